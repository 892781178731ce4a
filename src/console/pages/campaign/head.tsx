// What is above the steps: whether everything is saved, and what can be done with the whole.
import { Button, Menu } from "@mantine/core";
import { useSyncExternalStore } from "react";
import { useLocation } from "wouter";
import { connection } from "../../connection.ts";
import { CopyIcon, DeleteIcon, MoreIcon, UndoIcon } from "../../parts/icons.tsx";
import { MenuButton } from "../../parts/menu_button.tsx";
import { Time } from "../../parts/time.tsx";
import { useCampaignActions } from "../campaigns/actions.tsx";
import { type CampaignDraft, gapOf, type Stored } from "./kind.ts";

interface Props {
  stored: Stored;
  draft: CampaignDraft;
}

/** Whether what is written is saved, and, if not, what is in the way. */
export function SaveState({ stored: { answer }, draft }: Props) {
  const isLost = useSyncExternalStore(connection.subscribe, connection.isLost);
  const { changed, words, isHeld, isSaving, other } = draft;
  if (changed.length === 0) {
    return (
      <>
        Saved <Time at={answer.updatedAt} />
      </>
    );
  }
  const gap = gapOf(words);
  if (gap) return <>Not saved yet: {gap.text}</>;
  if (other) return <>Not saved yet: somebody else has changed it</>;
  if (isLost) return <>Kept in this browser until the service responds again</>;
  if (isHeld) return <>Not saved yet: see what is marked</>;
  return <>{isSaving || answer.status === "DRAFT" ? "Saving…" : "Not saved yet"}</>;
}

/** A copy, and its end. */
export function More({ stored: { answer } }: { stored: Stored }) {
  const [, navigate] = useLocation();
  const { duplicate, unschedule, remove } = useCampaignActions();
  return (
    <MenuButton
      button={(opener) => (
        <Button {...opener} variant="default" leftSection={<MoreIcon size={16} />}>
          More
        </Button>
      )}
    >
      <Menu.Item leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(answer)}>
        Duplicate
      </Menu.Item>
      {answer.status === "SCHEDULED" ? (
        <Menu.Item leftSection={<UndoIcon size={15} />} onClick={() => void unschedule(answer)}>
          Unschedule
        </Menu.Item>
      ) : (
        <Menu.Item
          color="red"
          leftSection={<DeleteIcon size={15} />}
          onClick={() => remove(answer, () => navigate("/campaigns"))}
        >
          Delete
        </Menu.Item>
      )}
    </MenuButton>
  );
}
