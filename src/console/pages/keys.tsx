// What lets programs into a project: the pair of keys, keys with names, and the secret that signs webhooks.
import { Button } from "@mantine/core";
import { useState } from "react";
import { AddIcon } from "../parts/icons.tsx";
import { Gate } from "../parts/gate.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Sections } from "../parts/section.tsx";
import { NamedKeys } from "./keys/named_keys.tsx";
import { KeyPair } from "./keys/pair.tsx";
import { ShownOnce, type Once } from "./keys/shown_once.tsx";
import { TestKeys } from "./keys/test_keys.tsx";
import { WebhookSigning } from "./keys/webhook_secret.tsx";
import { useIsTest } from "../session.ts";

/** `/keys`. */
export default function KeysPage() {
  const [once, setOnce] = useState<Once | null>(null);
  const [isCreating, setCreating] = useState(false);
  const isTest = useIsTest();
  return (
    <>
      <PageHeader
        title="Keys"
        about={
          isTest
            ? "Test keys give your programs access to the sandbox of this project. Nothing that they send leaves."
            : "Keys give your programs access to this project. Use a separate key for each program."
        }
        actions={
          <Gate role="ADMIN">
            <Button leftSection={<AddIcon size={16} />} onClick={() => setCreating(true)}>
              Create a key
            </Button>
          </Gate>
        }
      />
      <Sections>
        <NamedKeys isCreating={isCreating} setCreating={setCreating} show={setOnce} />
        <KeyPair show={setOnce} />
        {!isTest && <TestKeys show={setOnce} />}
        <WebhookSigning show={setOnce} />
      </Sections>
      <ShownOnce once={once} close={() => setOnce(null)} />
    </>
  );
}
