// The pages of a project, in groups.
import { useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { GROUPS, PAGES, type PageRoute } from "../routes.tsx";
import { usePageFilter } from "../session.ts";
import { loadAhead } from "./lazy_page.tsx";
import classes from "./navigation.module.css";

export function Navigation() {
  const shown = PAGES.filter(usePageFilter());
  const ahead = useRef(shown);
  useEffect(
    () => loadAhead(ahead.current.filter(({ group }) => group !== undefined).map(({ page }) => page)),
    [],
  );
  const groups = GROUPS.map((name) => ({ name, pages: shown.filter(({ group }) => group === name) }));
  return (
    <nav className={classes.navigation} aria-label="Pages of the project">
      {groups
        .filter(({ pages }) => pages.length > 0)
        .map(({ name, pages }) => (
          <section key={name} aria-label={name || undefined}>
            {name && <h2 className={classes.group}>{name}</h2>}
            <ul>
              {pages.map((page) => (
                <Entry key={page.path} page={page} />
              ))}
            </ul>
          </section>
        ))}
    </nav>
  );
}

function Entry({ page: { path, label, icon: Shape, page } }: { page: PageRoute }) {
  const [here] = useLocation();
  const isHere = path === "/" ? here === "/" : here === path || here.startsWith(`${path}/`);
  return (
    <li>
      <Link
        href={path}
        className={classes.entry!}
        aria-current={isHere ? "page" : undefined}
        // Its code is there before the click is over.
        onPointerEnter={() => void page.load().catch(() => {})}
      >
        {Shape && <Shape size={17} />}
        {label}
      </Link>
    </li>
  );
}
