// A new workflow: what it begins as, what it is called, and which events it is about.
import { Autocomplete, Button, Group, TextInput } from "@mantine/core";
import { useLocation } from "wouter";
import { call } from "../api.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { FormDialog } from "../parts/form_dialog.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { StartCards } from "../parts/start_cards.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId, useUrlState } from "../place.ts";
import { useApi, useChange } from "../queries.ts";
import { Sketch } from "./new_workflow/sketch.tsx";
import { graphOf, type Start, STARTS } from "./new_workflow/starts.ts";

const CARDS = Object.entries(STARTS).map(([name, { label, about, sketch }]) => ({
  name,
  label,
  about,
  sketch: <Sketch rows={sketch} />,
}));

/** `/workflows/new`. */
export default function NewWorkflowPage() {
  const [{ start }, set] = useUrlState({ start: "" });
  const chosen = Object.hasOwn(STARTS, start) ? STARTS[start] : undefined;
  const close = () => set({ start: "" });
  return (
    <>
      <PageHeader
        title="New workflow"
        about="Choose a starting point. You can change everything, and nothing starts until you enable it."
        back={{ label: "Workflows", to: "/workflows" }}
      />
      <StartCards cards={CARDS} choose={(name) => set({ start: name })} />
      <FormDialog
        opened={chosen !== undefined}
        onClose={close}
        title={`New workflow: ${chosen?.label ?? ""}`}
        isInAddress
      >
        {chosen && <NewWorkflowForm start={chosen} close={close} />}
      </FormDialog>
    </>
  );
}

function NewWorkflowForm({ start, close }: { start: Start; close: () => void }) {
  const projectId = useProjectId();
  const [, navigate] = useLocation();
  const events = useApi("GET /events/names", {}).data?.eventNames ?? [];
  const create = useChange("POST /workflows", { reads: ["GET /workflows"], showsErrors: true });
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { name: start.name, eventName: start.events.begin, goal: start.events.goal } },
    async ({ name, eventName, goal }) => {
      const { id } = await create.mutateAsync({
        body: { name, eventName, allowReentry: start.allowReentry },
      });
      await fill(projectId, id, start, { begin: eventName, goal: goal || eventName });
      navigate(`/workflows/${id}`, { replace: true });
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        description="Only you and your team see it."
        maxLength={255}
        data-autofocus
        key={form.key("name")}
        {...form.getInputProps("name")}
        // After its own: it would replace this one.
        onFocus={(event) => event.currentTarget.select()}
      />
      <Autocomplete
        mt="sm"
        label="Starts with the event"
        description="That your application sends. Another trigger can be chosen later."
        data={events}
        maxLength={255}
        key={form.key("eventName")}
        {...form.getInputProps("eventName")}
      />
      {start.events.goal !== "" && (
        <Autocomplete
          mt="sm"
          label="Event of an order"
          description="Contacts who have done this get no more mails."
          data={events}
          maxLength={255}
          key={form.key("goal")}
          {...form.getInputProps("goal")}
        />
      )}
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={isSending}>
          Create workflow
        </Button>
      </Group>
    </form>
  );
}

/** Puts the steps of the start into a new workflow. If that fails, the workflow exists anyway, but is empty. */
async function fill(projectId: string, id: string, start: Start, events: Start["events"]): Promise<void> {
  const path = { id };
  try {
    const { version, steps } = await call("GET /workflows/{id}/graph", { path }, { projectId });
    const body = graphOf(start, events, { id: steps[0]!.id, version });
    if (body.steps.length > 1) await call("PUT /workflows/{id}/graph", { path, body }, { projectId });
  } catch (error) {
    toast.failed(error);
  }
}
