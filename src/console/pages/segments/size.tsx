// How the size of a segment went.
import { AreaChart } from "@mantine/charts";
import type { Segment } from "../../api.gen.ts";
import { formatCompact, formatDay, formatNumber } from "../../parts/format.ts";
import { PeriodPicker, usePeriod } from "../../parts/period.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useApi } from "../../queries.ts";
import classes from "./segments.module.css";

export default function Size({ segment: { id } }: { segment: Segment }) {
  const [period, choose] = usePeriod();
  const { startDate, endDate } = period;
  const sizes = useApi("GET /segments/{id}/history", { path: { id }, query: { startDate, endDate } });
  return (
    <>
      <div className={classes.bar}>
        <span className={classes.quiet}>Members on each day on which they were counted</span>
        <PeriodPicker value={period} onChange={choose} />
      </div>
      <Loaded query={sizes}>
        {(days) =>
          days.length < 2 ? (
            <p className={classes.quiet}>
              {days[0]
                ? `${formatNumber(days[0].members)} on ${formatDay(days[0].date)}. It is counted every night: the line begins tomorrow.`
                : "It was not counted in this period."}
            </p>
          ) : (
            <AreaChart
              h={260}
              data={days}
              dataKey="date"
              series={[{ name: "members", label: "Members", color: "var(--chart-1)" }]}
              withDots={days.length < 15}
              withGradient={false}
              curveType="monotone"
              gridAxis="x"
              tickLine="none"
              strokeWidth={1.75}
              fillOpacity={0.08}
              xAxisProps={{ tickFormatter: formatDay, minTickGap: 40 }}
              yAxisProps={{ tickFormatter: formatCompact, width: 44, allowDecimals: false }}
              valueFormatter={formatNumber}
              areaProps={{ isAnimationActive: false }}
              tooltipAnimationDuration={0}
              role="img"
              aria-label={`Members from ${formatNumber(days[0]!.members)} to ${formatNumber(days.at(-1)!.members)}`}
            />
          )
        }
      </Loaded>
    </>
  );
}
