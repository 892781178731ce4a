// The secret that signs the calls of one webhook: its end, all of it when asked for, and a new one.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { WebhookEndpoint } from "../../api.gen.ts";
import { BASE, call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Gate } from "../../parts/gate.tsx";
import { Fact, Facts, Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

export function Signing({ webhook: { id, secretHint, previousSecretUntil } }: { webhook: WebhookEndpoint }) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [secret, setSecret] = useState<string | null>(null);
  const reveal = async () => {
    try {
      setSecret((await call("GET /webhooks/{id}/secret", { path: { id } }, { projectId })).secret);
    } catch (error) {
      toast.failed(error);
    }
  };
  const rotate = () =>
    confirm({
      title: "Create a new secret?",
      action: "Create it",
      children: (
        <>
          Calls are signed with the new secret from now on, and for one day with the current one as well.
          Update your server by then.
        </>
      ),
      act: async () => {
        const made = await call("POST /webhooks/{id}/rotate-secret", { path: { id } }, { projectId });
        setSecret(made.secret);
        await readAgain(cache, projectId, ["GET /webhooks"]);
        toast.done("The secret was replaced");
      },
    });
  return (
    <Section
      title="Secret"
      about={
        <>
          Signs each call, so that your server knows that it comes from here.{" "}
          <a href={`${BASE}/docs/guides/webhooks#verify-the-signature`} target="_blank" rel="noreferrer">
            How to check a signature
          </a>
        </>
      }
      actions={
        <>
          {secret === null ? (
            <Gate role="ADMIN">
              <Button variant="default" size="xs" onClick={() => void reveal()}>
                Show the secret
              </Button>
            </Gate>
          ) : (
            <Button variant="default" size="xs" onClick={() => setSecret(null)}>
              Hide it
            </Button>
          )}
          <Gate role="ADMIN">
            <Button variant="default" size="xs" onClick={rotate}>
              Rotate
            </Button>
          </Gate>
        </>
      }
    >
      <Facts>
        <Fact name="Secret">
          {secret === null ? (
            <code>{secretHint === null ? "It cannot be decrypted: rotate it" : `whsec_…${secretHint}`}</code>
          ) : (
            <Copyable value={secret} label="secret" />
          )}
        </Fact>
        {previousSecretUntil && (
          <Fact name="The one before">
            Signs as well, and ends <Time at={previousSecretUntil} />
          </Fact>
        )}
      </Facts>
    </Section>
  );
}
