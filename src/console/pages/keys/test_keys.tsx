// The pair of keys for tests, on the page of the live ones: made here, and the way to test mode.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import type { Sandbox } from "../../api.gen.ts";
import { BASE } from "../../api.ts";
import { Copyable } from "../../parts/copy.tsx";
import { Gate } from "../../parts/gate.tsx";
import { TestIcon } from "../../parts/icons.tsx";
import { Fact, Facts, Section } from "../../parts/section.tsx";
import { Empty } from "../../parts/states.tsx";
import { placeOf, useProject } from "../../place.ts";
import { readAgain, useChange } from "../../queries.ts";
import type { Once } from "./shown_once.tsx";

/** What `/keys#test` leads to. */
const ID = "test";

export function TestKeys({ show }: { show: (once: Once) => void }) {
  const { sandbox } = useProject();
  useEffect(() => {
    if (window.location.hash === `#${ID}`) document.getElementById(ID)?.scrollIntoView();
  }, []);
  return (
    <Section
      id={ID}
      title="Test keys"
      about={
        <>
          For your tests and your staging: mail that they send is kept in an inbox, and never sent. Contacts
          and figures are apart.{" "}
          <a href={`${BASE}/docs/guides/sandbox`} target="_blank" rel="noreferrer">
            What test keys do
          </a>
        </>
      }
      actions={
        sandbox && (
          <Button variant="default" size="xs" component={Link} href={`~${placeOf(sandbox.id)}`}>
            Open test mode
          </Button>
        )
      }
    >
      {sandbox ? <Pair sandbox={sandbox} /> : <None show={show} />}
    </Section>
  );
}

function Pair({ sandbox }: { sandbox: NonNullable<Sandbox> }) {
  return (
    <Facts>
      <Fact name="Public test key">
        <Copyable value={sandbox.public} label="public test key" />
      </Fact>
      <Fact name="Secret test key">
        <code>sk_test_…{sandbox.secretHint}</code>
      </Fact>
      <Fact name="More">
        Named test keys, and a new pair, are made on the page{" "}
        <Link href={`~${placeOf(sandbox.id, "/keys")}`}>Keys of test mode</Link>.
      </Fact>
    </Facts>
  );
}

function None({ show }: { show: (once: Once) => void }) {
  const { id } = useProject();
  const cache = useQueryClient();
  const create = useChange("POST /projects/{id}/sandbox", {
    onSuccess: async ({ secret }) => {
      show({
        title: "The secret test key",
        value: secret,
        label: "secret test key",
        about: "The public one is shown on this page.",
      });
      await readAgain(cache, null, ["GET /users/@me/projects"]);
    },
  });
  return (
    <Empty
      icon={TestIcon}
      title="No test keys yet"
      action={
        <Gate role="ADMIN">
          <Button loading={create.isPending} onClick={() => create.mutate({ path: { id } })}>
            Create test keys
          </Button>
        </Gate>
      }
    >
      They begin with <code>sk_test_</code> and <code>pk_test_</code>. Nothing else changes in your code.
    </Empty>
  );
}
