// What was found in this browser from before.
import { Alert, Button } from "@mantine/core";
import { InfoIcon } from "../icons.tsx";
import { Time } from "../time.tsx";
import type { Draft } from "./draft.ts";
import classes from "./edits.module.css";

/** Says so, and throws it away where nobody wants it. */
export function Restored<T, W>({ draft: { restoredAt, discard, other } }: { draft: Draft<T, W> }) {
  if (restoredAt === null || other) return null;
  return (
    <Alert
      variant="light"
      color="gray"
      icon={<InfoIcon size={16} />}
      role="status"
      className={classes.restored!}
    >
      <div className={classes.bar}>
        <span>
          What you wrote <Time at={new Date(restoredAt).toISOString()} /> and did not save is here again.
        </span>
        <Button variant="default" size="compact-xs" onClick={discard}>
          Discard it
        </Button>
      </div>
    </Alert>
  );
}
