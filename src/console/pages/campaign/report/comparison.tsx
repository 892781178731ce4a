// This campaign beside the ones that were sent before and after it.
import { Link } from "wouter";
import type { Campaign } from "../../../api.gen.ts";
import { formatCount, formatPercent, formatRate } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { Loaded } from "../../../parts/states.tsx";
import { useApi } from "../../../queries.ts";
import classes from "./report.module.css";

const FIELDS = "name,sentCount,openedCount,clickedCount,bouncedCount,unsubscribedCount";
/** One of a few mails says nothing about the next one. */
const FEWEST_MAILS = 10;
const LOOKED_AT = 20;
const LISTED = 5;

type Counted = Pick<
  Campaign,
  "sentCount" | "openedCount" | "clickedCount" | "bouncedCount" | "unsubscribedCount"
>;

const RATES = [
  { name: "Opened", key: "openedCount", isGoodUp: true },
  { name: "Clicked", key: "clickedCount", isGoodUp: true },
  { name: "Bounced", key: "bouncedCount", isGoodUp: false },
  { name: "Unsubscribed", key: "unsubscribedCount", isGoodUp: false },
] as const;

export function Comparison({ campaign }: { campaign: Campaign }) {
  const query = { status: "SENT", fields: FIELDS, pageSize: LOOKED_AT } as const;
  const sent = useApi("GET /campaigns", { query });
  return (
    <Panel title="Compared with other campaigns">
      <Loaded query={sent}>
        {({ data }) => {
          const others = data.filter(
            (one): one is typeof one & Counted & { name: string; id: string } =>
              one.id !== campaign.id && (one.sentCount ?? 0) >= FEWEST_MAILS,
          );
          if (others.length === 0) {
            return (
              <p className={classes.quiet}>
                No other campaign was sent to {FEWEST_MAILS} contacts or more yet. Once there is one, both
                stand here.
              </p>
            );
          }
          return <Compared campaign={campaign} others={others} />;
        }}
      </Loaded>
    </Panel>
  );
}

interface Props {
  campaign: Campaign;
  others: (Counted & { name: string; id: string })[];
}

function Compared({ campaign, others }: Props) {
  return (
    <>
      <table className={classes.rates}>
        <thead>
          <tr>
            <th scope="col">Of sent</th>
            <th scope="col">This one</th>
            <th scope="col" title={`The median of the last ${formatCount(others.length, "campaign")}`}>
              Usually
            </th>
          </tr>
        </thead>
        <tbody>
          {RATES.map(({ name, key, isGoodUp }) => {
            const mine = campaign[key] / campaign.sentCount;
            const usual = medianOf(others.map((other) => other[key] / other.sentCount));
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td data-tone={toneOf(mine, usual, isGoodUp)}>{formatRate(mine)}</td>
                <td>{formatRate(usual)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <h3 className={classes.subtitle}>The last ones</h3>
      <ul className={classes.others}>
        {others.slice(0, LISTED).map(({ id, name, openedCount, clickedCount, sentCount }) => (
          <li key={id} className={classes.other}>
            <Link href={`/campaigns/${id}`} className={classes.otherName!}>
              {name}
            </Link>
            <span className={classes.faded}>
              {formatPercent(openedCount / sentCount)} opened, {formatPercent(clickedCount / sentCount)}{" "}
              clicked
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** A difference of less than a tenth is chance. */
const SAME = 0.1;

function toneOf(mine: number, usual: number, isGoodUp: boolean): "fine" | "bad" | undefined {
  if (!Number.isFinite(mine) || Math.abs(mine - usual) <= usual * SAME) return undefined;
  return mine > usual === isGoodUp ? "fine" : "bad";
}

function medianOf(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
