// What refers to a segment.
import { Link } from "wouter";
import type { Segment } from "../../api.gen.ts";
import { SegmentsIcon } from "../../parts/icons.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useHasPage } from "../../place.ts";
import { useApi } from "../../queries.ts";
import classes from "./segments.module.css";

const KINDS = [
  { kind: "campaigns", label: "Campaigns that are not sent yet" },
  { kind: "workflows", label: "Enabled workflows" },
  { kind: "segments", label: "Other segments" },
] as const;

/** Lists of what uses it, with links. */
export function Uses({ segment: { id } }: { segment: Segment }) {
  const usage = useApi("GET /segments/{id}/usage", { path: { id } });
  return (
    <Loaded query={usage}>
      {(uses) =>
        uses.canDelete ? (
          <Empty icon={SegmentsIcon} title="Not in use">
            Unsent campaigns, enabled workflows and other segments that use it are listed here.
          </Empty>
        ) : (
          KINDS.filter(({ kind }) => uses[kind].length > 0).map(({ kind, label }) => (
            <section key={kind} aria-label={label}>
              <h2 className={classes.heading}>{label}</h2>
              <ul className={classes.uses}>
                {uses[kind].map((use) => (
                  <li key={use.id}>
                    <Use kind={kind} {...use} />
                  </li>
                ))}
              </ul>
            </section>
          ))
        )
      }
    </Loaded>
  );
}

function Use({ kind, id, name }: { kind: string; id: string; name: string }) {
  const hasPage = useHasPage(`/${kind}/:id`);
  return hasPage ? <Link href={`/${kind}/${id}`}>{name}</Link> : <>{name}</>;
}
