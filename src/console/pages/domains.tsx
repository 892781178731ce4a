// The domains that a project sends from.
import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { Domain } from "../api.gen.ts";
import { call } from "../api.ts";
import { formatCount } from "../parts/format.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { FormDialog } from "../parts/form_dialog.tsx";
import { Gate } from "../parts/gate.tsx";
import { AddIcon, DomainsIcon, RightIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Status, type Tone } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useProjectId } from "../place.ts";
import { readAgain, useApi } from "../queries.ts";
import { useQueryClient } from "@tanstack/react-query";
import classes from "./domains.module.css";

/** What a state of a domain means, by the API's word for it. */
export const DOMAIN_STATES: Record<Domain["status"], { tone: Tone; word: string }> = {
  VERIFIED: { tone: "fine", word: "Verified" },
  PENDING: { tone: "warn", word: "Waiting for its records" },
  FAILED: { tone: "bad", word: "Records not found" },
};

/** `/domains`. */
export default function DomainsPage() {
  const projectId = useProjectId();
  const domains = useApi("GET /domains/project/{projectId}", { path: { projectId } });
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Gate role="ADMIN">
      <Button leftSection={<AddIcon size={16} />} onClick={() => setAdding(true)}>
        Add a domain
      </Button>
    </Gate>
  );
  return (
    <>
      <PageHeader
        title="Domains"
        count={domains.data?.length}
        about="The domains that mail is sent from. DNS records prove that a domain is yours."
        actions={domains.data?.length ? add : null}
      />
      <Loaded query={domains}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={DomainsIcon} title="No domain yet" action={add}>
              Mail is only sent from verified domains. Add yours, publish a few records in its DNS, and it is
              verified within minutes.
            </Empty>
          ) : (
            <ul className={classes.list}>
              {list.map((domain) => (
                <Row key={domain.id} domain={domain} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <FormDialog opened={isAdding} onClose={() => setAdding(false)} title="Add a domain">
        <AddDomain projectId={projectId} />
      </FormDialog>
    </>
  );
}

function Row({ domain }: { domain: Domain }) {
  const { tone, word } = DOMAIN_STATES[domain.status];
  const wrong = domain.records.filter(({ status }) => status !== "VERIFIED").length;
  return (
    <li>
      <Link href={`/domains/${domain.id}`} className={classes.row!}>
        <span className={classes.name}>{domain.domain}</span>
        <Status status={domain.status} tone={tone}>
          {word}
        </Status>
        <span className={classes.aside}>
          {wrong === 0
            ? "All records in place"
            : `${formatCount(wrong, "record")} of ${domain.records.length} to publish`}
        </span>
        <span className={classes.aside}>
          {domain.lastCheckedAt ? (
            <>
              Checked <Time at={domain.lastCheckedAt} />
            </>
          ) : (
            "Not checked yet"
          )}
        </span>
        <RightIcon size={16} />
      </Link>
    </li>
  );
}

function AddDomain({ projectId }: { projectId: string }) {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { domain: "" } },
    async (body) => {
      const { id } = await call("POST /domains", { body }, { projectId });
      await readAgain(cache, projectId, ["GET /domains", "GET /projects"]);
      navigate(`/domains/${id}`);
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Domain"
        description="The part after the @ of your senders, such as shop.example or mail.shop.example."
        placeholder="shop.example"
        autoCapitalize="none"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        key={form.key("domain")}
        {...form.getInputProps("domain")}
      />
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        Add, and show its records
      </Button>
    </form>
  );
}
