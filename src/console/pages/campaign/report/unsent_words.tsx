// What somebody was writing when the campaign was sent, by them elsewhere or by somebody else: it is in no mail, and not lost.
import { Alert, Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Campaign } from "../../../api.gen.ts";
import { call } from "../../../api.ts";
import { draftName, foundIn, type Kept } from "../../../parts/edits/kept.ts";
import { InfoIcon } from "../../../parts/icons.tsx";
import { forgetDraft, keepDraft } from "../../../parts/kept_drafts.ts";
import { Time } from "../../../parts/time.tsx";
import { toast } from "../../../parts/toast.tsx";
import { useProjectId } from "../../../place.ts";
import { readAgain } from "../../../queries.ts";
import { useSession } from "../../../session.ts";
import { CAMPAIGN, type Words } from "../kind.ts";

/** Offers a copy with it. */
export function UnsentWords({ campaign }: { campaign: Campaign }) {
  const projectId = useProjectId();
  const userId = useSession().data?.user?.id ?? "";
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const nameOf = (id: string) => draftName(userId, projectId, CAMPAIGN.noun, id);
  const name = nameOf(campaign.id);
  const [found, setFound] = useState(() => foundIn(name, CAMPAIGN.wordsOf(campaign), undefined));
  if (!found) return null;
  const forget = () => {
    forgetDraft(name);
    setFound(null);
  };
  const copy = async () => {
    try {
      const made = await call("POST /campaigns/{id}/duplicate", { path: { id: campaign.id } }, { projectId });
      const base = CAMPAIGN.wordsOf(made);
      const kept: Kept<Words> = { words: { ...found.words, name: made.name }, base, etag: undefined };
      // It is found there, and saved.
      if (keepDraft(nameOf(made.id), kept)) forget();
      await readAgain(cache, projectId, CAMPAIGN.reads);
      navigate(`/campaigns/${made.id}`);
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <Alert variant="light" color="gray" icon={<InfoIcon size={16} />} role="status">
      What you wrote <Time at={new Date(found.at).toISOString()} /> was not saved when this campaign was sent,
      and is in none of its mails.
      <Group gap="xs" mt="xs">
        <Button variant="default" size="compact-xs" onClick={() => void copy()}>
          Continue in a copy
        </Button>
        <Button variant="default" size="compact-xs" onClick={forget}>
          Discard it
        </Button>
      </Group>
    </Alert>
  );
}
