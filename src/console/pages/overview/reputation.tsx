// How mail servers see the project: bounces and complaints of the last seven days beside their limits.
import { Progress } from "@mantine/core";
import type { Reputation } from "../../api.gen.ts";
import { formatNumber, formatPercent } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status, type Tone } from "../../parts/status.tsx";
import { useProjectId } from "../../place.ts";
import { useApi } from "../../queries.ts";
import classes from "./overview.module.css";

export function ReputationPanel() {
  const id = useProjectId();
  const query = useApi("GET /projects/{id}/security", { path: { id } });
  const state = query.data && stateOf(query.data.data);
  return (
    <Panel title="Reputation" aside={state && <Status status={state.word} tone={state.tone} />}>
      <Loaded query={query}>{({ data }) => <Rates reputation={data} />}</Loaded>
    </Panel>
  );
}

function Rates({ reputation: { status, levels } }: { reputation: Reputation }) {
  const { total, bounceRate, complaintRate } = status.sevenDay;
  const rates = [
    {
      name: "Bounces",
      rate: bounceRate,
      limit: levels.bounceRate.critical,
      warning: levels.bounceRate.warning,
    },
    {
      name: "Complaints",
      rate: complaintRate,
      limit: levels.complaintRate.critical,
      warning: levels.complaintRate.warning,
    },
  ];
  return (
    <>
      {rates.map(({ name, rate, limit, warning }) => (
        <div key={name} className={classes.measure}>
          <span>{name}</span>
          <span className={classes.aside}>
            {formatPercent(rate / 100)} · limit {formatPercent(limit / 100)}
          </span>
          <Progress
            size={4}
            value={Math.min(100, (rate / limit) * 100)}
            color={rate >= limit ? "red" : rate >= warning ? "yellow" : "green"}
            aria-label={`${name}: ${formatPercent(rate / 100)} of a limit of ${formatPercent(limit / 100)}`}
          />
        </div>
      ))}
      <p className={classes.quiet} style={{ marginTop: "0.75rem" }}>
        {formatNumber(total)} mails in the last seven days
        {total < levels.minimumMails && `; limits count from ${formatNumber(levels.minimumMails)} on`}.
      </p>
    </>
  );
}

function stateOf({ isDisabled, status }: Reputation): { word: string; tone: Tone } {
  if (isDisabled) return { word: "SUSPENDED", tone: "bad" };
  if (status.violations.length > 0) return { word: "OVER_THE_LIMIT", tone: "bad" };
  if (status.warnings.length > 0) return { word: "NEAR_THE_LIMIT", tone: "warn" };
  return { word: "HEALTHY", tone: "fine" };
}
