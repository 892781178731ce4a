// In place of a step that looks at what is stored, while what is written is not.
import { Button } from "@mantine/core";
import { EditIcon } from "../../parts/icons.tsx";
import { Empty, LoadingPage } from "../../parts/states.tsx";
import { type CampaignDraft, gapOf } from "./kind.ts";
import { type Step, STEPS, wrongSteps } from "./steps.ts";

interface Props {
  draft: CampaignDraft;
  go: (step: Step) => void;
}

/** Says what is in the way, and leads there. What is being saved takes a moment only. */
export function NotSaved({ draft, go }: Props) {
  const { words, faults, isHeld, other, error } = draft;
  const gap = gapOf(words);
  const [wrong] = wrongSteps(words, faults);
  if (!gap && !isHeld && !other && !error) return <LoadingPage />;
  const step = wrong ?? "content";
  const { label } = STEPS.find(({ value }) => value === step)!;
  return (
    <Empty
      icon={EditIcon}
      title="Something is in the way"
      action={<Button onClick={() => go(step)}>{`Back to ${label.toLowerCase()}`}</Button>}
    >
      {gap
        ? `It is not saved as it is: ${gap.text}.`
        : "What you have written is not saved yet: see above, and what is marked."}
    </Empty>
  );
}
