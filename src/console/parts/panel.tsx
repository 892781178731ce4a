// A part of a page in a frame, with its name.
import { type ReactNode, useId } from "react";
import classes from "./panel.module.css";

interface Props {
  title: string;
  /** At the right of the title: a number, or what can be done. */
  aside?: ReactNode;
  children: ReactNode;
}

/** The frame, which screen readers know by its name. */
export function Panel({ title, aside, children }: Props) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <header className={classes.head}>
        <h2 className={classes.title} id={id}>
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
