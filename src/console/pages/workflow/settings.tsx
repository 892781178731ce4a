// What a workflow is besides its graph: its name and its description; and its end.
import { Button, Group, Textarea, TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import type { WorkflowGraph } from "../../api.gen.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { Section, Sections } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { useChange } from "../../queries.ts";
import { useDuplicateWorkflow, useRemoveWorkflow } from "../workflows/actions.tsx";

export function Settings({ workflow }: { workflow: WorkflowGraph }) {
  const [, navigate] = useLocation();
  const duplicate = useDuplicateWorkflow();
  const remove = useRemoveWorkflow(() => navigate("/workflows"));
  return (
    <Sections>
      <Words workflow={workflow} />
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
        about="With its steps, and the history of those who went through it. Mails that were sent stay."
        actions={
          <Button variant="default" onClick={() => void remove(workflow)}>
            Delete the workflow
          </Button>
        }
      />
    </Sections>
  );
}

function Words({ workflow: { id, name, description } }: { workflow: WorkflowGraph }) {
  const change = useChange("PATCH /workflows/{id}", { reads: ["GET /workflows"], showsErrors: true });
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { name, description: description ?? "" } },
    async (words) => {
      await change.mutateAsync({
        path: { id },
        body: { name: words.name, description: words.description || null },
      });
      toast.done("Saved");
    },
  );
  return (
    <Section title="Name">
      <form onSubmit={submit} noValidate>
        <TextInput
          label="Name"
          description="Only you and your team see it."
          maxLength={255}
          key={form.key("name")}
          {...form.getInputProps("name")}
        />
        <Textarea
          mt="sm"
          label="Description"
          placeholder="What it is for (optional)"
          maxLength={1000}
          autosize
          minRows={2}
          key={form.key("description")}
          {...form.getInputProps("description")}
        />
        <FormError error={error} />
        <Group mt="md">
          <Button type="submit" loading={isSending}>
            Save
          </Button>
        </Group>
      </form>
    </Section>
  );
}
