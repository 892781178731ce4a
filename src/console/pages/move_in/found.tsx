// How many of each would come, or have come, and what will be different here.
import { Link } from "wouter";
import type { Move, MoveCounts } from "../../api.gen.ts";
import { formatNumber } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import classes from "./move_in.module.css";

interface Line {
  name: string;
  to: string;
  created: number;
  /** What else is to be said of them. */
  more: string[];
}

export function Found({ move, counts }: { move: Move; counts: MoveCounts }) {
  if (counts === null) return null;
  const hasMoved = move.startedAt !== null;
  const lines = linesOf(counts);
  return (
    <>
      <Panel title={hasMoved ? "What has come in" : "What was found"}>
        <table className={classes.counts}>
          <thead>
            <tr>
              <th scope="col">Kind</th>
              <th scope="col" className={classes.number}>
                New here
              </th>
              <th scope="col">Besides</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ name, to, created, more }) => (
              <tr key={name}>
                <th scope="row">{hasMoved && created > 0 ? <Link href={to}>{name}</Link> : name}</th>
                <td className={classes.number}>{formatNumber(created)}</td>
                <td className={classes.faded}>{more.join(", ") || "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
      {!hasMoved && move.state === "READY" && <Different />}
    </>
  );
}

function linesOf(counts: NonNullable<MoveCounts>): Line[] {
  const { contacts, suppressions, segments, templates, campaigns, workflows } = counts;
  const here = (count: number) => (count > 0 ? [`${formatNumber(count)} here already`] : []);
  const known = contacts.read - contacts.created - contacts.refused;
  const tally = (name: string, to: string, { created, existing }: { created: number; existing: number }) => {
    return { name, to, created, more: here(existing) };
  };
  return [
    {
      name: "Contacts",
      to: "/contacts",
      created: contacts.created,
      more: [
        ...(contacts.unsubscribed > 0 ? [`${formatNumber(contacts.unsubscribed)} unsubscribed`] : []),
        ...here(Math.max(0, known)),
        ...(contacts.refused > 0 ? [`${formatNumber(contacts.refused)} refused`] : []),
      ],
    },
    { name: "Suppressions", to: "/suppressions", created: suppressions, more: [] },
    tally("Segments", "/segments", segments),
    tally("Templates", "/templates", templates),
    tally("Campaigns", "/campaigns", campaigns),
    tally("Workflows", "/workflows", workflows),
  ];
}

function Different() {
  return (
    <section aria-labelledby="different">
      <h2 className={classes.heading} id="different">
        What will be different here
      </h2>
      <ul className={classes.words}>
        <li>Nobody is subscribed again: who has unsubscribed there or here stays unsubscribed.</li>
        <li>Nothing is sent. Campaigns come as drafts, and workflows disabled.</li>
        <li>Segments do not track who enters and leaves them until you switch it on.</li>
        <li>Contacts that are here already keep their data, and get what they lack.</li>
      </ul>
    </section>
  );
}
