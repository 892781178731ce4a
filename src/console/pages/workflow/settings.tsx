// What a workflow is besides its graph: its name and its description; and its end.
import { Button, Group, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { Workflow, WorkflowGraph } from "../../api.gen.ts";
import { callForVersion } from "../../api.ts";
import { Conflict } from "../../parts/edits/conflict.tsx";
import { useDraft } from "../../parts/edits/draft.ts";
import type { Edited, Stored } from "../../parts/edits/edited.ts";
import { Restored } from "../../parts/edits/restored.tsx";
import { FormError } from "../../parts/form.tsx";
import { Section, Sections } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import { useDuplicateWorkflow, useRemoveWorkflow } from "../workflows/actions.tsx";

export function Settings({ workflow }: { workflow: WorkflowGraph }) {
  const [, navigate] = useLocation();
  const duplicate = useDuplicateWorkflow();
  const remove = useRemoveWorkflow(() => navigate("/workflows"));
  return (
    <Sections>
      <Named id={workflow.id} />
      <Section
        title="Copy"
        about="A workflow with the same trigger and the same steps. It is disabled, and nobody is in it."
        actions={
          <Button variant="default" onClick={() => void duplicate(workflow)}>
            Duplicate
          </Button>
        }
      />
      <Section
        title="Delete"
        about="Its steps and the history of its contacts are deleted. Sent mails stay."
        actions={
          <Button variant="default" onClick={() => void remove(workflow)}>
            Delete the workflow
          </Button>
        }
      />
    </Sections>
  );
}

interface Words {
  name: string;
  description: string;
}

const NAMED: Edited<Workflow, Words> = {
  noun: "workflow's settings",
  wordsOf: ({ name, description }) => ({ name, description: description ?? "" }),
  labels: { name: "Name", description: "Description" },
  keyOf: (projectId, id) => [...keyOf(projectId, "GET /workflows/{id}", { path: { id } }), "version"],
  read: (id, options) => callForVersion("GET /workflows/{id}", { path: { id } }, options),
  write: (id, words, fields, options) => {
    const named = Object.fromEntries(fields.map((field) => [field, words[field]]));
    const body = { ...named, ...("description" in named && { description: words.description || null }) };
    return callForVersion("PATCH /workflows/{id}", { path: { id }, body }, options);
  },
  isWhole: ({ name }) => name.trim() !== "",
  reads: ["GET /workflows"],
};

function Named({ id }: { id: string }) {
  const projectId = useProjectId();
  const stored = useQuery({
    queryKey: NAMED.keyOf(projectId, id),
    queryFn: ({ signal }) => NAMED.read(id, { projectId, signal }),
  });
  return (
    <Section title="Name">
      <Loaded query={stored}>{(read) => <NameForm stored={read} />}</Loaded>
    </Section>
  );
}

function NameForm({ stored }: { stored: Stored<Workflow> }) {
  const draft = useDraft(NAMED, stored);
  const { words, set, faults, changed, isSaving, save, other, error } = draft;
  const errorOf = (field: keyof Words) => faults.find((fault) => fault.field === field)?.message;
  const isWhole = words.name.trim() !== "";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.length > 0 && other === null && isWhole) void save();
      }}
      noValidate
    >
      <Restored draft={draft} />
      <Conflict kind={NAMED} draft={draft} />
      <TextInput
        label="Name"
        description="Only you and your team see it."
        maxLength={255}
        value={words.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={isWhole ? errorOf("name") : "Write a name"}
      />
      <Textarea
        mt="sm"
        label="Description"
        placeholder="What it is for (optional)"
        maxLength={1000}
        autosize
        minRows={2}
        value={words.description}
        onChange={(event) => set({ description: event.currentTarget.value })}
        error={errorOf("description")}
      />
      <FormError error={faults.length > 0 ? null : error} />
      <Group mt="md">
        <Button
          type="submit"
          loading={isSaving}
          disabled={changed.length === 0 || other !== null || !isWhole}
        >
          Save
        </Button>
      </Group>
    </form>
  );
}
