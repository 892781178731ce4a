// A part of a page with a heading of its own, and the rows in it: settings, keys, members, sessions.
import type { ReactNode } from "react";
import classes from "./section.module.css";

interface SectionProps {
  title: string;
  /** One or two sentences below the title. */
  about?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** What is in it cannot be taken back. */
  isDanger?: boolean;
  /** What an address names it by, behind `#`. */
  id?: string;
  children?: ReactNode;
}

/** A card with a heading. */
export function Section({ title, about, actions, isDanger, id, children }: SectionProps) {
  return (
    <section id={id} className={classes.section} aria-label={title} data-danger={isDanger || undefined}>
      <header className={classes.head}>
        <div className={classes.words}>
          <h2 className={classes.title}>{title}</h2>
          {about && <p className={classes.about}>{about}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children && <div className={classes.body}>{children}</div>}
    </section>
  );
}

/** Cards below each other, as wide as can be read. */
export function Sections({ children }: { children: ReactNode }) {
  return <div className={classes.sections}>{children}</div>;
}

/** A list in a section. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={classes.rows} aria-label={label}>
      {children}
    </ul>
  );
}

interface RowProps {
  /** What it is. */
  name: ReactNode;
  /** Beside the name: its state. */
  badge?: ReactNode;
  /** Below it, in grey. */
  about?: ReactNode;
  /** At the right; below on a phone. */
  actions?: ReactNode;
}

/** A line of a list: a name, what is known of it, and what can be done. */
export function Row({ name, badge, about, actions }: RowProps) {
  return (
    <li className={classes.row}>
      <div className={classes.words}>
        <div className={classes.name}>
          <span>{name}</span>
          {badge}
        </div>
        {about && <div className={classes.about}>{about}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </li>
  );
}

/** A name and a value beside it, or below it on a phone. Stands in {@linkcode Facts}. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** A list of names with their values. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}
