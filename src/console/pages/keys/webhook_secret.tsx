// The secret that signs webhooks.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { BASE, call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { Gate } from "../../parts/gate.tsx";
import { Fact, Facts, Section } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";
import type { Once } from "./shown_once.tsx";

export function WebhookSigning({ show }: { show: (once: Once) => void }) {
  const id = useProjectId();
  const secret = useApi("GET /projects/{id}/webhook-secret", { path: { id } });
  const rotate = useRotate(show);
  return (
    <Section
      title="Webhook secret"
      about={
        <>
          Signs the webhooks of this project, so that your server knows that they come from here.{" "}
          <a href={`${BASE}/docs/guides/webhooks`} target="_blank" rel="noreferrer">
            How to check a signature
          </a>
        </>
      }
      actions={
        <Gate role="ADMIN">
          <Button variant="default" size="xs" onClick={rotate}>
            {secret.data?.hint === null ? "Create a secret" : "Rotate"}
          </Button>
        </Gate>
      }
    >
      <Loaded query={secret}>
        {({ hint, previousUntil }) => (
          <Facts>
            <Fact name="Secret">
              {hint === null ? "None yet: the first webhook creates one" : <code>whsec_…{hint}</code>}
            </Fact>
            {previousUntil && (
              <Fact name="The one before">
                Signs as well, and ends <Time at={previousUntil} />
              </Fact>
            )}
          </Facts>
        )}
      </Loaded>
    </Section>
  );
}

function useRotate(show: (once: Once) => void) {
  const id = useProjectId();
  const cache = useQueryClient();
  return () =>
    confirm({
      title: "Create a new webhook secret?",
      action: "Create it",
      children: (
        <>
          Webhooks are signed with the new secret from now on, and for one day with the current one as well.
          Update your servers by then.
        </>
      ),
      act: async () => {
        const { secret } = await call("POST /projects/{id}/webhook-secret/rotate", { path: { id } });
        show({
          title: "The new webhook secret",
          value: secret,
          label: "webhook secret",
          about: "The previous one also signs for one day.",
        });
        await readAgain(cache, id, ["GET /projects/{id}/webhook-secret"]);
      },
    });
}
