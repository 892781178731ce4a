// A workflow is started for one contact by hand.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Workflow } from "../../api.gen.ts";
import { ContactPicker } from "../../parts/contact_picker.tsx";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { FormError } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useChange } from "../../queries.ts";
import classes from "./executions.module.css";

interface Props {
  workflow: Pick<Workflow, "id" | "name" | "allowReentry">;
  isOpen: boolean;
  close: () => void;
}

/** The dialog. It leads to the execution. */
export function StartExecution({ workflow: { id, name, allowReentry }, isOpen, close }: Props) {
  const [contactId, setContact] = useState("");
  const [, navigate] = useLocation();
  const start = useChange("POST /workflows/{id}/executions", {
    reads: ["GET /workflows"],
    showsErrors: true,
    onSuccess: (execution) => {
      toast.done(`${name} has started`);
      setContact("");
      navigate(`/workflows/${id}/executions/${execution.id}`, { replace: true });
    },
  });
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    start.mutate({ path: { id }, body: { contactId } });
  };
  return (
    <FormDialog opened={isOpen} onClose={close} title={`Start ${name} for a contact`} isInAddress>
      <form onSubmit={submit}>
        <ContactPicker value={contactId} onChange={setContact} />
        <p className={classes.hint}>
          It starts at once with the saved steps, and sends real mails.
          {!allowReentry && " Contacts who have been in it cannot enter again."}
        </p>
        <FormError error={start.error} />
        <Group justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button type="submit" loading={start.isPending} disabled={contactId === ""}>
            Start
          </Button>
        </Group>
      </form>
    </FormDialog>
  );
}
