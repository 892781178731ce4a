// The page of people who are not in a project: a letterhead, a heading, and one thing to do, as the hosted pages have it.
import type { ReactNode } from "react";
import { BASE } from "../api.ts";
import { APP } from "../place.ts";
import { BrandIcon } from "./icons.tsx";
import classes from "./letter.module.css";
import { useTitle } from "./page_header.tsx";

interface Props {
  title: string;
  /** A sentence below. */
  about?: ReactNode;
  children?: ReactNode;
  /** Where else one may want to go, below a line. */
  aside?: ReactNode;
}

/** A page with one thing to do. */
export function Letter({ title, about, children, aside }: Props) {
  useTitle(title);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <a href={APP}>
          <BrandIcon />
          Postrider
        </a>
        <nav aria-label="Reading">
          <a href={`${BASE}/docs`}>Guides</a>
          <a href={`${BASE}/docs/api`}>API</a>
        </nav>
      </header>
      <main className={classes.main}>
        <h1 className={classes.title}>{title}</h1>
        {about && <p className={classes.about}>{about}</p>}
        {children}
        {aside && <footer className={classes.aside}>{aside}</footer>}
      </main>
      <div id="announcements" className="for-readers" role="status" aria-live="polite" />
    </div>
  );
}
