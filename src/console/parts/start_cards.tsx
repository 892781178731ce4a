// What a new thing can begin as, as cards.
import type { ReactNode } from "react";
import classes from "./start_cards.module.css";

/** One of them. */
export interface StartCard {
  /** How {@linkcode Props.choose} is told of it. */
  name: string;
  label: string;
  about: string;
  /** A drawing of it, without words. */
  sketch: ReactNode;
}

interface Props {
  cards: StartCard[];
  choose: (name: string) => void;
}

/** A list of buttons, each with its drawing. */
export function StartCards({ cards, choose }: Props) {
  return (
    <ul className={classes.starts}>
      {cards.map(({ name, label, about, sketch }) => (
        <li key={name}>
          <button type="button" className={classes.start} onClick={() => choose(name)}>
            {sketch}
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
