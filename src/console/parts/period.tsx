// For which time figures are shown: in the address, so that a link shows the same.
import { SegmentedControl } from "@mantine/core";
import { useMemo } from "react";
import { useUrlState } from "../place.ts";

const PERIODS = { "7d": 7, "30d": 30, "90d": 90 } as const;
type PeriodName = keyof typeof PERIODS;

/** Whole days, both included, as the API takes them: `2026-11-24`. */
export interface Period {
  name: PeriodName;
  days: number;
  startDate: string;
  endDate: string;
  /** As many days, before. */
  before: { startDate: string; endDate: string };
}

const isPeriod = (name: string): name is PeriodName => name in PERIODS;

/** The day so many days ago. */
function dayBefore(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}

/** The period in the address, `?period=7d`; 30 days otherwise. */
export function usePeriod(): [Period, (name: PeriodName) => void] {
  const [{ period }, set] = useUrlState({ period: "30d" });
  const name = isPeriod(period) ? period : "30d";
  const today = dayBefore(0);
  return useMemo(() => {
    const days = PERIODS[name];
    const chosen: Period = {
      name,
      days,
      startDate: dayBefore(days - 1),
      endDate: today,
      before: { startDate: dayBefore(2 * days - 1), endDate: dayBefore(days) },
    };
    return [chosen, (next: PeriodName) => set({ period: next }, { replace: true })];
  }, [name, set, today]);
}

/** Chooses the period. */
export function PeriodPicker({ value, onChange }: { value: Period; onChange: (name: PeriodName) => void }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Period"
      value={value.name}
      onChange={(name) => isPeriod(name) && onChange(name)}
      data={Object.entries(PERIODS).map(([name, days]) => ({ value: name, label: `${days} days` }))}
    />
  );
}
