// What stands where data will be: nothing yet, a fault, or nothing at all.
import { Button, Skeleton } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Refusal, Unreachable } from "../api.ts";
import { type Icon, RefreshIcon, SearchIcon, WarningIcon } from "./icons.tsx";
import classes from "./states.module.css";

interface EmptyProps {
  icon?: Icon;
  /** `No contacts yet`. */
  title: string;
  /** What they are for, and what to do: a sentence or two. */
  children: ReactNode;
  /** Does it in one click. */
  action?: ReactNode;
}

/** A list without entries: what belongs here, and a button that makes the first. */
export function Empty({ icon: Shape, title, children, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      {Shape && (
        <div className={classes.sign}>
          <Shape size={22} />
        </div>
      )}
      <h2 className={classes.title}>{title}</h2>
      <div className={classes.text}>{children}</div>
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}

interface NoMatchProps {
  /** `No template matches`. */
  title: string;
  /** Where to look, or what to change. */
  children: ReactNode;
  /** What the button says that takes the filters away. */
  all?: string;
  clear: () => void;
}

/** A list of which nothing matches what is looked for. */
export function NoMatch({ title, children, all = "Show all", clear }: NoMatchProps) {
  const action = (
    <Button variant="default" onClick={clear}>
      {all}
    </Button>
  );
  return (
    <Empty icon={SearchIcon} title={title} action={action}>
      {children}
    </Empty>
  );
}

/** What could not be read, why, and a button that tries again. */
export function Failed({ error, retry }: { error: Error; retry?: () => unknown }) {
  const { suggestion, requestId } = error instanceof Refusal ? error : { suggestion: null, requestId: null };
  return (
    <div className={classes.empty} role="alert">
      <div className={classes.sign}>
        <WarningIcon size={22} />
      </div>
      <h2 className={classes.title}>{error.message}</h2>
      <div className={classes.text}>
        {suggestion && `${suggestion}. `}
        {error instanceof Unreachable && "It is retried automatically. "}
        {requestId && <span className={classes.request}>Request {requestId}</span>}
      </div>
      {retry && (
        <div className={classes.action}>
          <Button variant="default" leftSection={<RefreshIcon size={15} />} onClick={() => void retry()}>
            Try again
          </Button>
        </div>
      )}
    </div>
  );
}

interface LoadedProps<T> {
  query: Pick<UseQueryResult<T>, "data" | "isError" | "error"> & { refetch: () => unknown };
  /** In the shape of what will be there. Left out: some lines. */
  skeleton?: ReactNode;
  children: (data: T) => ReactNode;
}

/** What a query answers, or its skeleton, or what went wrong. What was read before stays while it is read again. */
export function Loaded<T>({ query, skeleton, children }: LoadedProps<T>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <Failed error={query.error!} retry={query.refetch} />;
  return <>{skeleton ?? <SkeletonLines />}</>;
}

/** Lines that will be text. */
export function SkeletonLines({ count = 4, height = 14 }: { count?: number; height?: number }) {
  return (
    <div className={classes.lines} role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, i) => (
        <Skeleton key={i} height={height} width={`${92 - ((i * 17) % 40)}%`} />
      ))}
    </div>
  );
}

/** A page that is on its way. If it comes at once, nothing flashes: it appears after a moment only. */
export function LoadingPage() {
  return (
    <div className={classes.loading}>
      <SkeletonLines count={5} />
    </div>
  );
}
