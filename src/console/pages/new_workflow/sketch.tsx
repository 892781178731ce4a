// A small drawing of a workflow: its steps, from the top down.
import classes from "./new_workflow.module.css";

const WIDTH = 160;
const STEP = { width: 52, height: 17 };
const ROW = 31;
const BESIDE = 64;

/** `rows`: how many steps are next to each other. */
export function Sketch({ rows }: { rows: number[] }) {
  const places = rows.map((count, row) =>
    Array.from({ length: count }, (_, n) => ({
      x: WIDTH / 2 + (n - (count - 1) / 2) * BESIDE,
      y: 14 + row * ROW,
    })),
  );
  const lines = places.slice(1).flatMap((row, n) =>
    row.map(({ x, y }) => {
      const above = places[n]!.toSorted((a, b) => Math.abs(a.x - x) - Math.abs(b.x - x))[0]!;
      return `M${above.x} ${above.y + STEP.height}C${above.x} ${y - 6} ${x} ${above.y + STEP.height + 6} ${x} ${y}`;
    }),
  );
  return (
    <svg className={classes.sketch} viewBox={`0 0 ${WIDTH} 140`} aria-hidden="true" focusable="false">
      {lines.map((line) => (
        <path key={line} d={line} />
      ))}
      {places.flat().map(({ x, y }, n) => (
        <rect
          key={`${x} ${y}`}
          x={x - STEP.width / 2}
          y={y}
          {...STEP}
          rx={5}
          data-first={n === 0 || undefined}
        />
      ))}
    </svg>
  );
}
