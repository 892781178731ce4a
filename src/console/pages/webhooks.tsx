// The endpoints that are told what happens in the project.
import { Button } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import type { WebhookEndpoint } from "../api.gen.ts";
import { BASE } from "../api.ts";
import { formatCount, formatShare } from "../parts/format.ts";
import { FormDialog } from "../parts/form_dialog.tsx";
import { Gate } from "../parts/gate.tsx";
import { AddIcon, RightIcon, WebhooksIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useApi } from "../queries.ts";
import { WebhookForm } from "./webhooks/form.tsx";
import { WebhookState } from "./webhooks/state.tsx";
import { asked } from "./webhooks/words.ts";
import classes from "./webhooks/webhooks.module.css";

/** `/webhooks`. */
export default function WebhooksPage() {
  const list = useApi("GET /webhooks", {});
  const [isCreating, setCreating] = useState(false);
  const [, navigate] = useLocation();
  const create = (
    <Gate role="ADMIN">
      <Button leftSection={<AddIcon size={16} />} onClick={() => setCreating(true)}>
        Create a webhook
      </Button>
    </Gate>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        count={list.data?.webhooks.length}
        about={
          <>
            Your servers are told what happens in this project, about a second later.{" "}
            <a href={`${BASE}/docs/guides/webhooks`} target="_blank" rel="noreferrer">
              What is sent, and how to check it
            </a>
          </>
        }
        actions={list.data?.webhooks.length ? create : null}
      />
      <Loaded query={list}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty icon={WebhooksIcon} title="No webhook yet" action={create}>
              Give the address of your server and choose what it wants to know: bounces and complaints, new
              contacts, events of your application. Each call is signed, and repeated until it succeeds.
            </Empty>
          ) : (
            <ul className={classes.list} aria-label="Webhooks">
              {webhooks.map((webhook) => (
                <Row key={webhook.id} webhook={webhook} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <FormDialog opened={isCreating} onClose={() => setCreating(false)} title="Create a webhook">
        <WebhookForm done={({ id }) => navigate(`/webhooks/${id}`)} />
      </FormDialog>
    </>
  );
}

function Row({ webhook }: { webhook: WebhookEndpoint }) {
  const { id, url, description, delivered, failed, pending } = webhook;
  const calls = delivered + failed;
  return (
    <li>
      <Link href={`/webhooks/${id}`} className={classes.row!}>
        <span className={classes.name}>
          {description || url}
          {description && <span className={classes.url}>{url}</span>}
        </span>
        <WebhookState webhook={webhook} />
        <span className={classes.aside}>{asked(webhook)}</span>
        <span className={classes.aside}>
          {calls === 0
            ? "No calls in 7 days"
            : `${formatCount(calls, "call")} in 7 days, ${failed === 0 ? "none" : formatShare(failed, calls)} failed`}
          {pending > 0 && `; ${formatCount(pending, "delivery", "deliveries")} waiting`}
        </span>
        <RightIcon size={16} />
      </Link>
    </li>
  );
}
