// What was sent and what came of it, day by day; and how many contacts there are.
import { AreaChart } from "@mantine/charts";
import { formatCompact, formatCount, formatDay, formatNumber } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import type { Period } from "../../parts/period.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Skeleton } from "@mantine/core";
import { useApi } from "../../queries.ts";
import classes from "./overview.module.css";

const HEIGHT = 220;
const SKELETON = <Skeleton height={HEIGHT} />;

/** What both charts have in common. */
const CHART = {
  h: HEIGHT,
  dataKey: "date",
  withDots: false,
  withGradient: false,
  curveType: "monotone",
  gridAxis: "x",
  tickLine: "none",
  strokeWidth: 1.75,
  fillOpacity: 0.08,
  xAxisProps: { tickFormatter: formatDay, minTickGap: 40 },
  yAxisProps: { tickFormatter: formatCompact, width: 44, allowDecimals: false },
  valueFormatter: formatNumber,
  areaProps: { isAnimationActive: false },
  tooltipAnimationDuration: 0,
} as const;

interface Props {
  period: Period;
  /** Of the mails, as `name:value`; empty: of all. */
  tag: string;
}

export default function Charts({ period: { startDate, endDate, days }, tag }: Props) {
  const mails = useApi("GET /analytics/timeseries", {
    query: { startDate, endDate, ...(tag !== "" && { tag }) },
  });
  const contacts = useApi("GET /analytics/contacts", { query: { startDate, endDate } });
  const grown = contacts.data && growth(contacts.data);
  return (
    <div className={classes.charts}>
      <Panel title={tag === "" ? "Mails" : `Mails with the tag ${tag.replace(":", ": ")}`}>
        <Loaded query={mails} skeleton={SKELETON}>
          {(data) => (
            <AreaChart
              {...CHART}
              data={data}
              withLegend
              legendProps={{ itemSorter: null, verticalAlign: "bottom", height: 28 }}
              series={[
                { name: "emails", label: "Sent", color: "var(--chart-4)" },
                { name: "opens", label: "Opened", color: "var(--chart-2)" },
                { name: "clicks", label: "Clicked", color: "var(--chart-1)" },
              ]}
              role="img"
              aria-label={`Mails sent, opened and clicked on each of the last ${days} days`}
            />
          )}
        </Loaded>
      </Panel>
      <Panel
        title="Contacts"
        aside={
          grown && (
            <span className={classes.aside}>
              {grown.change >= 0 ? "+" : "−"}
              {formatNumber(Math.abs(grown.change))} · {formatCount(grown.total, "contact")}
            </span>
          )
        }
      >
        <Loaded query={contacts} skeleton={SKELETON}>
          {(data) => (
            <AreaChart
              {...CHART}
              data={data}
              series={[{ name: "total", label: "Contacts", color: "var(--chart-1)" }]}
              yAxisProps={{ ...CHART.yAxisProps, domain: ["auto", "auto"] }}
              role="img"
              aria-label={`How many contacts there were on each of the last ${days} days`}
            />
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

/** How many contacts there are, and how many more than at the beginning. */
function growth(days: { total: number; created: number; deleted: number }[]) {
  const total = days.at(-1)?.total ?? 0;
  return { total, change: days.reduce((sum, { created, deleted }) => sum + created - deleted, 0) };
}
