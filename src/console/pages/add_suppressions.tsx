// Addresses that are typed or pasted.
import { Button, Text, Textarea } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../api.ts";
import { formatCount } from "../parts/format.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId } from "../place.ts";
import { readAgain } from "../queries.ts";

/** Whatever separates addresses in what people paste. */
const BETWEEN = /[\s,;]+/;

export function AddSuppressions({ done }: { done: () => void }) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm(
    {
      initialValues: { emails: "" },
      validate: { emails: (text) => (listOf(text).length === 0 ? "Enter at least one address" : null) },
    },
    async ({ emails: text }) => {
      const emails = listOf(text);
      const answer = await call("POST /suppressions", { body: { emails } }, { projectId });
      const { added, existing } = answer as { added: number; existing: number };
      await readAgain(cache, projectId, ["GET /suppressions"]);
      const known = existing > 0 ? `, ${formatCount(existing, "was", "were")} there already` : "";
      toast.done(`${formatCount(added, "address", "addresses")} added${known}`);
      done();
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Textarea
        label="Addresses"
        description="One on each line, or separated by commas. Up to 1,000 at a time; for more, import a file."
        placeholder={"ada@example.com\ngrace@example.com"}
        autosize
        minRows={4}
        maxRows={12}
        data-autofocus
        key={form.key("emails")}
        {...form.getInputProps("emails")}
      />
      <Text size="sm" c="dimmed" mt="sm">
        They get no more mail, including mail that is already waiting to be sent.
      </Text>
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        Suppress
      </Button>
    </form>
  );
}

const listOf = (text: string) => text.split(BETWEEN).filter((part) => part !== "");
