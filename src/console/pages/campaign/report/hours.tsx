// When people opened it and clicked: hour by hour at first, day by day once that would be too many.
import { BarChart } from "@mantine/charts";
import { Skeleton } from "@mantine/core";
import type { Campaign } from "../../../api.gen.ts";
import { formatClock, formatCompact, formatDay, formatNumber } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { Loaded } from "../../../parts/states.tsx";
import { ticksTo } from "../../../parts/ticks.ts";
import { useApi } from "../../../queries.ts";
import { periodsOf } from "./periods.ts";
import classes from "./report.module.css";

const HEIGHT = 220;
const SENDING_MS = 10_000;

export default function Hours({ campaign: { id, status } }: { campaign: Campaign }) {
  const series = useApi(
    "GET /campaigns/{id}/series",
    { path: { id } },
    { refetchInterval: status === "SENDING" ? SENDING_MS : false },
  );
  const periods = series.data && periodsOf(series.data);
  return (
    <Panel
      title="When"
      aside={
        periods &&
        periods.rows.length > 0 && (
          <span className={classes.faded}>{periods.isByDay ? "Day by day" : "Hour by hour"}</span>
        )
      }
    >
      <Loaded query={series} skeleton={<Skeleton height={HEIGHT} />}>
        {(hours) => {
          const { rows, isByDay } = periodsOf(hours);
          const label = (at: string) => (isByDay ? formatDay(at) : `${formatDay(at)}, ${formatClock(at)}`);
          const best = rows.reduce((a, b) => (b.opened > a.opened ? b : a), rows[0] ?? NOTHING);
          if (rows.every(({ opened, clicked }) => opened + clicked === 0)) {
            return (
              <p className={classes.quiet}>
                Nobody has opened it yet. Opens and clicks appear here a moment after they happen.
              </p>
            );
          }
          const ticks = ticksTo(Math.max(...rows.map(({ opened, clicked }) => Math.max(opened, clicked))));
          return (
            <BarChart
              h={HEIGHT}
              data={rows.map((row) => ({ ...row, label: label(row.at) }))}
              dataKey="label"
              gridAxis="x"
              tickLine="none"
              withLegend
              legendProps={{ itemSorter: null, verticalAlign: "bottom", height: 28 }}
              maxBarWidth={22}
              xAxisProps={{ minTickGap: 40 }}
              yAxisProps={{
                tickFormatter: formatCompact,
                width: 44,
                ticks,
                domain: [0, ticks.at(-1)!],
                interval: 0,
              }}
              valueFormatter={formatNumber}
              barProps={{ isAnimationActive: false }}
              tooltipAnimationDuration={0}
              series={[
                { name: "opened", label: "Opened", color: "var(--chart-2)" },
                { name: "clicked", label: "Clicked", color: "var(--chart-1)" },
              ]}
              role="img"
              aria-label={`Opens and clicks ${isByDay ? "day by day" : "hour by hour"}. Most were opened on ${label(best.at)}: ${formatNumber(best.opened)}`}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}

const NOTHING = { at: new Date(0).toISOString(), opened: 0, clicked: 0 };
