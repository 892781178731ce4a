// What a mail can begin as, as cards.
import { StartCards } from "../start_cards.tsx";
import { Sketch } from "./sketch.tsx";
import { type Start, STARTS } from "./starts.ts";

interface Props {
  /** Told the name of the start. */
  choose: (name: string) => void;
  /** Left out: all of them. */
  isOffered?: (start: Start) => boolean;
}

/** The cards of the starts that are offered. */
export function MailStartCards({ choose, isOffered = () => true }: Props) {
  const offered = Object.entries(STARTS).filter(([, start]) => isOffered(start));
  const cards = offered.map(([name, { label, about, sketch }]) => ({
    name,
    label,
    about,
    sketch: <Sketch marks={sketch} />,
  }));
  return <StartCards cards={cards} choose={choose} />;
}
