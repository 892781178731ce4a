// What mail servers have said on each day.
import { BarChart } from "@mantine/charts";
import type { DeliverabilityPoint } from "../../api.gen.ts";
import { formatCompact, formatDay, formatNumber } from "../../parts/format.ts";

export default function Chart({ series, days }: { series: DeliverabilityPoint[]; days: number }) {
  return (
    <BarChart
      h={220}
      data={series.map(({ at, ...counts }) => ({ ...counts, date: at.slice(0, 10) }))}
      dataKey="date"
      type="stacked"
      gridAxis="x"
      tickLine="none"
      withLegend
      legendProps={{ itemSorter: null, verticalAlign: "bottom", height: 28 }}
      series={[
        { name: "accepted", label: "Accepted", color: "var(--chart-2)" },
        { name: "deferred", label: "Deferred", color: "var(--chart-3)" },
        { name: "bounced", label: "Bounced", color: "var(--chart-1)" },
      ]}
      xAxisProps={{ tickFormatter: formatDay, minTickGap: 40 }}
      yAxisProps={{ tickFormatter: formatCompact, width: 44, allowDecimals: false }}
      valueFormatter={formatNumber}
      barProps={{ isAnimationActive: false, maxBarSize: 28 }}
      tooltipAnimationDuration={0}
      role="img"
      aria-label={`Mails accepted, deferred and bounced on each of the last ${days} days`}
    />
  );
}
