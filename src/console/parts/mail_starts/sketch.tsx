// A mail in a few strokes.
import type { Mark } from "./starts.ts";
import classes from "./mail_starts.module.css";

const PARTS: Record<Mark, number> = {
  logo: 1,
  title: 1,
  text: 3,
  button: 1,
  line: 1,
  columns: 2,
  rows: 3,
  picture: 1,
};

/** Decoration: the words below say what it is. */
export function Sketch({ marks }: { marks: Mark[] }) {
  return (
    <span className={classes.sketch} aria-hidden="true">
      <span className={classes.sheet}>
        {marks.map((mark, n) => (
          <span key={n} className={classes.mark} data-mark={mark}>
            {Array.from({ length: PARTS[mark] }, (_, part) => (
              <span key={part} />
            ))}
          </span>
        ))}
      </span>
    </span>
  );
}
