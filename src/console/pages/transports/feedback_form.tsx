// How the provider behind a transport tells what became of mails: where its webhook leads, and the secret that proves it.
import { Button, Group, PasswordInput, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Transport } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { Copyable } from "../../parts/copy.tsx";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { FEEDBACK, FEEDBACK_SECRETS } from "./words.ts";

interface Props {
  transport: Transport & { feedback: NonNullable<Transport["feedback"]> };
  done: () => void;
}

export function FeedbackForm({ transport: { id, name, feedback }, done }: Props) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const provider = FEEDBACK[feedback.provider];
  const save = async (feedbackSecret: string | null) => {
    await call("PATCH /transports/{id}", { path: { id }, body: { feedbackSecret } }, { projectId });
    await readAgain(cache, projectId, ["GET /transports"]);
    toast.done(feedbackSecret === null ? `Webhooks about ${name} are refused now` : "The secret was saved");
    done();
  };
  const { form, submit, isSending, error } = useServerForm(
    {
      initialValues: { feedbackSecret: "" },
      validate: { feedbackSecret: (secret) => (secret.trim() === "" ? "Give the secret" : null) },
    },
    async ({ feedbackSecret }) => await save(feedbackSecret.trim()),
  );
  const remove = () => save(null).catch((refusal: unknown) => toast.failed(refusal));
  return (
    <form onSubmit={submit} noValidate>
      <Text size="sm" mb="sm">
        {feedback.provider === "arf"
          ? "Yahoo, Comcast and others report complaints by mail. Have the mail server that gets these mails pass each on to this address, as it came in, with the secret as a bearer token."
          : `${provider} reports deliveries, bounces, complaints, opens and clicks to this address. Set up a webhook there for all of these events, and give its secret here.`}
      </Text>
      <Copyable value={feedback.url} label="address of the webhook" />
      <PasswordInput
        mt="md"
        label="Secret"
        description={FEEDBACK_SECRETS[feedback.provider]}
        placeholder={feedback.hasSecret ? "Unchanged" : ""}
        autoComplete="new-password"
        data-autofocus
        visibilityToggleButtonProps={{ "aria-label": "Show the secret" }}
        key={form.key("feedbackSecret")}
        {...form.getInputProps("feedbackSecret")}
      />
      <FormError error={error} />
      <Group mt="lg" grow>
        {feedback.hasSecret && (
          <Button variant="default" onClick={remove}>
            Remove the secret
          </Button>
        )}
        <Button type="submit" loading={isSending}>
          Save
        </Button>
      </Group>
    </form>
  );
}
