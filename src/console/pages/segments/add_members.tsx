// Addresses are pasted, and become members of a list.
import { Alert, Button, Checkbox, Group, Modal, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Segment } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { formatCount } from "../../parts/format.ts";
import { FormError } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { addressesIn, changeMembers } from "./change_members.ts";

interface Props {
  segment: Segment;
  isOpen: boolean;
  close: () => void;
}

/** What is pasted stays when the dialog is closed. */
export function AddMembers({ segment, isOpen, close }: Props) {
  const [text, setText] = useState("");
  const [isCreating, setCreating] = useState(false);
  const [unknown, setUnknown] = useState<string[]>([]);
  const [error, setError] = useState<unknown>(null);
  const [isSending, setSending] = useState(false);
  const add = useAdd(segment);
  const emails = addressesIn(text);
  useUnsaved(text.trim() !== "");
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    setSending(true);
    setError(null);
    try {
      const notFound = await add(emails, isCreating);
      setUnknown(notFound);
      // Those that are left can be checked, and made.
      setText(notFound.join("\n"));
      if (notFound.length === 0) close();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal opened={isOpen} onClose={close} title={`Add contacts to ${segment.name}`} size="lg">
      <form onSubmit={submit}>
        <Textarea
          label="Addresses"
          description="One per line, or separated by commas. Other words are ignored."
          placeholder={"ada@example.com\nbob@example.com"}
          autosize
          minRows={6}
          maxRows={14}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          data-autofocus
          spellCheck={false}
        />
        <Checkbox
          mt="md"
          label="Create contacts for new addresses"
          description="They will be subscribed: only do this for people who have agreed."
          checked={isCreating}
          onChange={(event) => setCreating(event.currentTarget.checked)}
        />
        {unknown.length > 0 && (
          <Alert color="yellow" variant="light" mt="md" role="status">
            {formatCount(unknown.length, "address", "addresses")} above{" "}
            {unknown.length === 1 ? "is not a contact" : "are not contacts"}. Correct or create them, or close
            this.
          </Alert>
        )}
        <FormError error={error} />
        <Group justify="flex-end" mt="lg" gap="xs">
          <Button variant="default" onClick={close}>
            Close
          </Button>
          <Button type="submit" loading={isSending} disabled={emails.length === 0}>
            {emails.length > 0 ? `Add ${formatCount(emails.length, "address", "addresses")}` : "Add"}
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

/** Adds them, and returns those that are no contacts. */
function useAdd({ id, name }: Segment) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return async (emails: string[], createMissing: boolean) => {
    try {
      const answers = await changeMembers(emails, (some) => {
        const body = { emails: some, createMissing };
        return call("POST /segments/{id}/members", { path: { id }, body }, { projectId });
      });
      const added = answers.reduce((sum, answer) => sum + answer.added, 0);
      toast.done(
        added > 0 ? `${formatCount(added, "contact")} added to ${name}` : "All of them were already members",
      );
      return answers.flatMap(({ notFound }) => notFound);
    } finally {
      await readAgain(cache, projectId, ["GET /segments", "GET /contacts"]);
    }
  };
}
