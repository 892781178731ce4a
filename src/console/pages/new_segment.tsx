// A segment that is not there yet, empty or a copy of another.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Segment } from "../api.gen.ts";
import { call } from "../api.ts";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { toast } from "../parts/toast.tsx";
import { useUnsaved } from "../parts/unsaved.ts";
import { useProjectId, useUrlState } from "../place.ts";
import { readAgain, useApi } from "../queries.ts";
import { SegmentForm, useSegmentDraft, type Words, wordsOf } from "./segments/form.tsx";

const EMPTY: Words = { name: "", description: "", type: "DYNAMIC", trackMembership: false };

/** `/segments/new`, and `/segments/new?from=<id>` for a copy. */
export default function NewSegmentPage() {
  const [{ from }] = useUrlState({ from: "" });
  return from ? <Copy from={from} /> : <NewSegment words={EMPTY} condition={null} />;
}

function Copy({ from }: { from: string }) {
  const origin = useApi("GET /segments/{id}", { path: { id: from } });
  return (
    <Loaded query={origin}>
      {(segment) => (
        <NewSegment
          words={{ ...wordsOf(segment), name: `${segment.name} (copy)`.slice(0, 100) }}
          condition={segment.condition}
        />
      )}
    </Loaded>
  );
}

function NewSegment({ words, condition }: { words: Words; condition: Segment["condition"] }) {
  const draft = useSegmentDraft(words, condition);
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const [isSaving, setSaving] = useState(false);
  // Once it is saved, it leads on by itself.
  useUnsaved(draft.isUnsaved && !isSaving);
  const save = async () => {
    const { name, description, type, trackMembership } = draft.words;
    const whole = type === "DYNAMIC" ? draft.conditions.check() : null;
    if (type === "DYNAMIC" && !whole) return;
    setSaving(true);
    try {
      const shared = { name, description: description || null, trackMembership };
      const body = whole
        ? { ...shared, type: "DYNAMIC" as const, condition: whole }
        : { ...shared, type: "STATIC" as const };
      const { id } = await call("POST /segments", { body }, { projectId });
      await readAgain(cache, projectId, ["GET /segments"]);
      toast.done(`${name} was created`);
      navigate(`/segments/${id}`, { replace: true });
    } catch (refusal) {
      draft.refuse(refusal);
    } finally {
      setSaving(false);
    }
  };
  return (
    <>
      <PageHeader
        title="New segment"
        back={{ label: "Segments", to: "/segments" }}
        actions={
          <>
            <Button variant="default" component={Link} href="/segments">
              Cancel
            </Button>
            <Button onClick={save} loading={isSaving} disabled={draft.words.name.trim() === ""}>
              Create segment
            </Button>
          </>
        }
      />
      <SegmentForm draft={draft} isNew />
    </>
  );
}
