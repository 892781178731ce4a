// How far an import is.
import { Progress } from "@mantine/core";
import classes from "./imports.module.css";

export function ImportProgress({ label, progress }: { label: string; progress: number }) {
  return (
    <div className={classes.progress}>
      <div role="status">{label}…</div>
      <Progress value={progress} animated size="md" aria-label={label} />
      <div className={classes.faded}>{progress} %</div>
    </div>
  );
}
