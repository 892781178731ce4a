// A part of the page of a contact, with its name and what can be done.
import { type ReactNode, useId } from "react";
import classes from "./contact.module.css";

interface Props {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}

export function Panel({ title, action, children }: Props) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <header className={classes.panelHead}>
        <h2 className={classes.panelTitle} id={id}>
          {title}
        </h2>
        {action}
      </header>
      {children}
    </section>
  );
}
