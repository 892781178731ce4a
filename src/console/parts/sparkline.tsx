// A line in a table: which way a number went.
import { formatNumber } from "./format.ts";
import classes from "./sparkline.module.css";

const WIDTH = 96;
const HEIGHT = 24;
/** Room for the stroke and for the dot at the end. */
const EDGE = 3;
/** A change of less than a twentieth does not fill the height. */
const LEAST_RANGE = 0.05;

interface Props {
  /** From the oldest to the newest; null if nothing is known. */
  values: readonly (number | null)[];
  /** What the numbers are: `Members`. */
  label: string;
  /** Of how long: `30 days`. */
  period: string;
}

/** The line, which screen readers hear as its first and last number. A dash for fewer than two numbers. */
export function Sparkline({ values, label, period }: Props) {
  const points = values.flatMap((value, at) => (value === null ? [] : [{ at, value }]));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first === last)
    return <span className={classes.none}>–</span>;
  const place = placing(
    points.map(({ value }) => value),
    values.length,
  );
  const line = points.map(({ at, value }) =>
    place(at, value)
      .map((n) => n.toFixed(1))
      .join(" "),
  );
  const [x, y] = place(last.at, last.value);
  const words = `${label}: ${formatNumber(first.value)} to ${formatNumber(last.value)} in ${period}`;
  return (
    <svg className={classes.line} width={WIDTH} height={HEIGHT} role="img" aria-label={words}>
      <title>{words}</title>
      <path d={`M${line.join("L")}`} />
      <circle cx={x} cy={y} r={2} />
    </svg>
  );
}

/** Where a number stands: `[x, y]`. */
function placing(numbers: number[], count: number): (at: number, value: number) => [number, number] {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const range = Math.max(high - low, high * LEAST_RANGE, 1);
  const floor = (low + high - range) / 2;
  return (at, value) => [
    EDGE + (at / (count - 1)) * (WIDTH - 2 * EDGE),
    HEIGHT - EDGE - ((value - floor) / range) * (HEIGHT - 2 * EDGE),
  ];
}
