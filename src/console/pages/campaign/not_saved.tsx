// In place of a step that looks at what is stored, while what is written is not.
import { Button } from "@mantine/core";
import { EditIcon } from "../../parts/icons.tsx";
import { Empty, LoadingPage } from "../../parts/states.tsx";
import { type CampaignDraft, gapOf, type Stored } from "./kind.ts";
import { type Step, STEPS, wrongSteps } from "./steps.ts";

interface Props {
  stored: Stored;
  draft: CampaignDraft;
  go: (step: Step) => void;
}

/** Says what is in the way, and leads there. What is being saved takes a moment only. */
export function NotSaved({ stored, draft, go }: Props) {
  const { words, faults, isHeld, isSaving, other, error, save } = draft;
  const gap = gapOf(words);
  const [wrong] = wrongSteps(words, faults);
  const isFree = !gap && !isHeld && !other && !error;
  if (isFree && (isSaving || stored.answer.status === "DRAFT")) return <LoadingPage />;
  if (isFree) {
    return (
      <Empty
        icon={EditIcon}
        title="There are changes that are not saved"
        action={<Button onClick={() => void save()}>Save</Button>}
      >
        The last saved version would be sent. Save your changes, or discard them.
      </Empty>
    );
  }
  const step = wrong ?? "content";
  const { label } = STEPS.find(({ value }) => value === step)!;
  return (
    <Empty
      icon={EditIcon}
      title="It cannot be sent yet"
      action={<Button onClick={() => go(step)}>{`Back to ${label.toLowerCase()}`}</Button>}
    >
      {gap
        ? `Your changes cannot be saved yet: ${gap.text}.`
        : "What you have written is not saved yet: see above, and what is marked."}
    </Empty>
  );
}
