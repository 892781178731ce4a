// Changes to a segment, saved only if nobody else has changed it since.
import { Alert, Button, Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Condition, Segment } from "../../api.gen.ts";
import { callForVersion, Refusal } from "../../api.ts";
import { useVocabulary } from "../../parts/conditions/vocabulary.ts";
import { sentence } from "../../parts/conditions/words.ts";
import { WarningIcon } from "../../parts/icons.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { SegmentForm, useSegmentDraft, type Words, wordsOf } from "./form.tsx";
import classes from "./segments.module.css";

/** What somebody else has saved since. */
interface Other {
  segment: Segment;
  etag: string | undefined;
  by: string;
  at: string;
}

interface Props {
  segment: Segment;
  etag: string | undefined;
}

/** The form, with what to do where two people have edited. */
export function EditSegment({ segment, etag }: Props) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const draft = useSegmentDraft(wordsOf(segment), segment.condition);
  // What was there when the writing began, and not what has been read since.
  const [seen, setSeen] = useState(etag);
  const [other, setOther] = useState<Other | null>(null);
  const [isSaving, setSaving] = useState(false);
  const path = { id: segment.id };
  useUnsaved(draft.isUnsaved);

  const save = async (ifMatch: string | undefined) => {
    const { name, description, type, trackMembership } = draft.words;
    const condition = type === "DYNAMIC" ? draft.conditions.check() : null;
    if (type === "DYNAMIC" && !condition) return;
    setSaving(true);
    try {
      const body = {
        name,
        description: description || null,
        trackMembership,
        ...(condition && { condition }),
      };
      const saved = await callForVersion("PATCH /segments/{id}", { path, body }, { projectId, ifMatch });
      take(saved.answer, saved.etag);
      await readAgain(cache, projectId, ["GET /segments"]);
      toast.done("Saved");
    } catch (refusal) {
      if (refusal instanceof Refusal && refusal.status === 412) await showOther(refusal);
      else draft.refuse(refusal);
    } finally {
      setSaving(false);
    }
  };
  const showOther = async ({ details }: Refusal) => {
    const now = await callForVersion("GET /segments/{id}", { path }, { projectId });
    const by = String(details.editedBy || "Somebody");
    setOther({ segment: now.answer, etag: now.etag, by, at: String(details.editedAt) });
  };
  const take = (stored: Segment, tag: string | undefined) => {
    draft.reset(stored);
    setSeen(tag);
    setOther(null);
  };
  const takeOther = async ({ segment: stored, etag: tag }: Other) => {
    take(stored, tag);
    await readAgain(cache, projectId, ["GET /segments"]);
  };
  return (
    <>
      <SegmentForm draft={draft} />
      {other && (
        <Versions
          mine={{ words: draft.words, condition: draft.conditions.condition }}
          other={other}
          keep={() => void save(other.etag)}
          take={() => void takeOther(other)}
        />
      )}
      <Group mt="lg" gap="xs">
        <Button
          onClick={() => void save(seen)}
          loading={isSaving}
          disabled={!draft.isChanged || other !== null}
        >
          Save changes
        </Button>
        {draft.isChanged && !other && (
          <Button variant="default" onClick={() => take(segment, etag)}>
            Discard changes
          </Button>
        )}
      </Group>
    </>
  );
}

interface VersionsProps {
  mine: { words: Words; condition: Condition | null };
  other: Other;
  keep: () => void;
  take: () => void;
}

function Versions({ mine, other, keep, take }: VersionsProps) {
  const { segment, by, at } = other;
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<WarningIcon />}
      mt="lg"
      role="alert"
      title="Somebody else has changed this segment since you opened it"
    >
      Nothing was overwritten. Choose which version stays.
      <div className={classes.versions}>
        <Version title="Yours" {...mine}>
          <Button size="xs" onClick={keep}>
            Save mine
          </Button>
        </Version>
        <Version
          title={
            <>
              {by}, <Time at={at} />
            </>
          }
          words={wordsOf(segment)}
          condition={segment.condition}
        >
          <Button size="xs" variant="default" onClick={take}>
            Take this one
          </Button>
        </Version>
      </div>
    </Alert>
  );
}

interface VersionProps {
  title: React.ReactNode;
  words: Words;
  condition: Condition | null;
  children: React.ReactNode;
}

function Version({ title, words, condition, children }: VersionProps) {
  const { vocabulary } = useVocabulary(condition);
  return (
    <section className={classes.version}>
      <span className={classes.faded}>{title}</span>
      <strong>{words.name}</strong>
      {words.description && <span>{words.description}</span>}
      {condition && vocabulary && <span>{sentence(condition, vocabulary)}</span>}
      <span className={classes.faded}>
        {words.trackMembership ? "Joining and leaving is recorded" : "Joining and leaving is not recorded"}
      </span>
      {children}
    </section>
  );
}
