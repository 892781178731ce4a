// What a bench says: one JSON line for each figure, and one at the end that says whether all goals are met.

/** How long and how often is measured. */
export interface BenchOptions {
  /** Length of one measurement. */
  seconds: number;
  /** How often both sides take turns. */
  rounds: number;
  /** Mails of one delivery, or of the project; each bench has its own default. */
  mails?: number | undefined;
  /** Contacts of the project; each bench has its own default. */
  contacts?: number | undefined;
  /** Events of the project; each bench has its own default. */
  events?: number | undefined;
  /** Whether the bench of campaigns is about signatures instead. */
  dkim?: boolean;
}

/** What a figure should be. With a ceiling, the goal is about the ratio to it. */
export interface Goal {
  text: string;
  isMet(figure: number): boolean;
}

/** One figure, as it is printed. */
export interface Line {
  bench: string;
  measure: string;
  value: number;
  unit: string;
  ceiling?: number;
  ratio?: number;
  /** How far the ceiling lay apart in the rounds, of its median. */
  spread?: number;
  goal?: string;
  pass?: boolean;
}

/** The figures of one bench. */
export interface Report {
  /** Those that were printed. */
  readonly lines: readonly Line[];
  /** Prints one figure. */
  line(measure: string, value: number, unit: string, more?: LineOptions): void;
  /** Prints whether all goals were met, and answers it. */
  end(): boolean;
}

/** What a figure is compared with, and what is worth knowing about it. */
export interface LineOptions {
  /** In each round, or as one figure. */
  ceiling?: number | number[];
  goal?: Goal;
  note?: Record<string, unknown>;
}

/** The figure is to be `limit` or more. */
export function atLeast(limit: number): Goal {
  return { text: `>= ${limit}`, isMet: (figure) => figure >= limit };
}

/** The figure is to be less than `limit`. */
export function below(limit: number): Goal {
  return { text: `< ${limit}`, isMet: (figure) => figure < limit };
}

/** The figure is to be exactly this. */
export function exactly(wanted: number): Goal {
  return { text: `= ${wanted}`, isMet: (figure) => figure === wanted };
}

/** Begins a report on standard output. */
export function startReport(bench: string): Report {
  const startedAt = performance.now();
  const missed: string[] = [];
  const lines: Line[] = [];
  let goals = 0;
  const print = (line: object) => console.log(JSON.stringify({ bench, ...line }));
  return {
    lines,
    line(measure, value, unit, { ceiling: ceilings, goal, note } = {}) {
      const ceiling = Array.isArray(ceilings) ? median(ceilings) : ceilings;
      const spread = Array.isArray(ceilings) && ceilings.length > 1 ? spreadOf(ceilings) : undefined;
      const ratio = ceiling === undefined ? undefined : value / ceiling;
      const pass = goal?.isMet(ratio ?? value);
      if (goal) goals++;
      if (pass === false) missed.push(measure);
      const line = {
        measure,
        value: rounded(value),
        unit,
        ...(ratio !== undefined && { ceiling: rounded(ceiling!), ratio: rounded(ratio) }),
        ...(spread !== undefined && { spread: rounded(spread) }),
        ...(goal && { goal: `${ratio === undefined ? "value" : "ratio"} ${goal.text}`, pass: pass! }),
      };
      lines.push({ bench, ...line });
      print({ ...line, ...note });
    },
    end() {
      const pass = goals > 0 && missed.length === 0;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      print({ measure: "summary", goals, missed, seconds, pass });
      return pass;
    },
  };
}

/** How far the greatest lies above the least, of the median. */
export function spreadOf(values: number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/** The middle one, or the mean of the two middle ones. */
export function median(values: ArrayLike<number>): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value that `percent` of all values do not exceed. */
export function percentile(values: ArrayLike<number>, percent: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)] ?? Number.NaN;
}

function rounded(value: number): number {
  const digits = Math.abs(value) >= 1000 ? 0 : Math.abs(value) >= 10 ? 1 : 3;
  return Number(value.toFixed(digits));
}
