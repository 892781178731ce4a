// A line above everything while one is in the sandbox of a project: what is seen there was never sent.
import { Link } from "wouter";
import { placeOf, useProject } from "../place.ts";
import classes from "./test_bar.module.css";

export function TestBar() {
  const { sandboxOf } = useProject();
  return (
    <aside className={classes.bar} aria-label="Test mode">
      <strong>Test mode</strong>
      <span className={classes.about}>Mails are kept in the inbox and never sent.</span>
      <Link href={`~${placeOf(sandboxOf!)}`}>Leave test mode</Link>
    </aside>
  );
}
