// The head of a page: what it is, how many there are, and what can be done.
import { Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import { Link } from "wouter";
import { LeftIcon } from "./icons.tsx";
import { formatNumber } from "./format.ts";
import classes from "./page_header.module.css";
import { announce } from "./announce.ts";

/** A title of so many letters may be cut: it has the whole on hover. */
const LONG = 60;

interface Props {
  /** Also the title of the window. */
  title: string;
  /** Behind the title, in grey: how many there are. */
  count?: number | null | undefined;
  /** It was not counted further: `100,000+`. */
  isAtLeast?: boolean;
  /** One line below: what this is, or a state. */
  about?: ReactNode;
  /** Buttons, the main one last. */
  actions?: ReactNode;
  /** Where one came from, such as `{ label: "Contacts", to: "/contacts" }`. */
  back?: { label: string; to: string };
  /** Beside the title: a badge. */
  badge?: ReactNode;
}

/** The head of a page. It also gives the window its title and takes the focus after a step to the page. */
export function PageHeader({ title, count, isAtLeast, about, actions, back, badge }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => {
    // A field of the page that has taken the focus keeps it.
    if (!isFirstPage() && !document.activeElement?.closest("main input, main textarea, [role=dialog]")) {
      heading.current?.focus({ preventScroll: true });
    }
  }, []);
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        {back && (
          <Link href={back.to} className={classes.back!}>
            <LeftIcon size={14} />
            {back.label}
          </Link>
        )}
        <div className={classes.line}>
          <h1
            ref={heading}
            tabIndex={-1}
            className={classes.title}
            title={title.length > LONG ? title : undefined}
          >
            {title}
          </h1>
          {count !== undefined && count !== null && (
            <span className={classes.count}>
              {formatNumber(count)}
              {isAtLeast && "+"}
            </span>
          )}
          {badge}
        </div>
        {about && (
          <Text c="dimmed" size="sm" component="div">
            {about}
          </Text>
        )}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}

/** The title of the window, as long as the page is shown; screen readers hear it. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Postrider`;
    announce(title);
  }, [title]);
}

let pages = 0;

/** The browser reads the first page by itself; what follows is told by the focus. */
function isFirstPage(): boolean {
  return pages++ === 0;
}
