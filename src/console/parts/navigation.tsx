// The pages of a project, in groups.
import { Link, useLocation } from "wouter";
import { GROUPS, PAGES, type PageRoute } from "../routes.tsx";
import { useRole } from "../session.ts";
import classes from "./navigation.module.css";

export function Navigation() {
  const groups = GROUPS.map((name) => ({ name, pages: PAGES.filter(({ group }) => group === name) }));
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

function Entry({ page: { path, label, icon: Shape, role = "MEMBER", page } }: { page: PageRoute }) {
  const [here] = useLocation();
  const { isAllowed } = useRole(role);
  if (!isAllowed) return null;
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
