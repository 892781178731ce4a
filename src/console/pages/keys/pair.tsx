// The pair of keys that every project has.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { Copyable } from "../../parts/copy.tsx";
import { Gate } from "../../parts/gate.tsx";
import { Fact, Facts, Section } from "../../parts/section.tsx";
import { useProject } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import type { Once } from "./shown_once.tsx";

export function KeyPair({ show }: { show: (once: Once) => void }) {
  const project = useProject();
  const regenerate = useRegenerate(show);
  return (
    <Section
      title="Key pair"
      about="There are always these two. The public key may be part of a web page, and can only track events. The secret key may do everything that keys may: keep it on your servers."
      actions={
        <Gate role="ADMIN">
          <Button variant="default" size="xs" onClick={regenerate}>
            Regenerate both
          </Button>
        </Gate>
      }
    >
      <Facts>
        <Fact name="Public key">
          <Copyable value={project.public} label="public key" />
        </Fact>
        <Fact name="Secret key">
          <code>
            {project.sandboxOf ? "sk_test" : "sk"}_…{project.secretHint}
          </code>
        </Fact>
      </Facts>
    </Section>
  );
}

function useRegenerate(show: (once: Once) => void) {
  const { id } = useProject();
  const cache = useQueryClient();
  return () =>
    confirm({
      title: "Regenerate both keys?",
      action: "Regenerate",
      children: (
        <>
          The public and the secret key stop working at once: every program and page that uses one of them is
          refused until it has the new one. Named keys keep working.
        </>
      ),
      act: async () => {
        const { secret } = await call("POST /users/@me/projects/{id}/regenerate-keys", { path: { id } });
        show({
          title: "The new secret key",
          value: secret,
          label: "secret key",
          about: "The new public key is shown on this page.",
        });
        await readAgain(cache, null, ["GET /users/@me/projects"]);
      },
    });
}
