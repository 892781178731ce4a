// What a mail can begin as, as cards.
import classes from "./mail_starts.module.css";
import { Sketch } from "./sketch.tsx";
import { type Start, STARTS } from "./starts.ts";

interface Props {
  /** Told the name of the start. */
  choose: (name: string) => void;
  /** Left out: all of them. */
  isOffered?: (start: Start) => boolean;
}

/** A list of buttons, each with a drawing of the mail. */
export function StartCards({ choose, isOffered = () => true }: Props) {
  const offered = Object.entries(STARTS).filter(([, start]) => isOffered(start));
  return (
    <ul className={classes.starts}>
      {offered.map(([name, { label, about, sketch }]) => (
        <li key={name}>
          <button type="button" className={classes.start} onClick={() => choose(name)}>
            <Sketch marks={sketch} />
            <span className={classes.words}>
              <span className={classes.label}>{label}</span>
              <span className={classes.about}>{about}</span>
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
