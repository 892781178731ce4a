// One webhook: how it stands, its secret, and what was sent.
import { Alert, Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import type { WebhookEndpoint } from "../api.gen.ts";
import { call } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { formatCount, formatNumber, formatShare } from "../parts/format.ts";
import { FormDialog } from "../parts/form_dialog.tsx";
import { Gate } from "../parts/gate.tsx";
import { DeleteIcon, EditIcon, PauseIcon, PlayIcon, SendIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Fact, Facts, Section, Sections } from "../parts/section.tsx";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId } from "../place.ts";
import { readAgain, useApi, useChange } from "../queries.ts";
import { Deliveries } from "./webhooks/deliveries.tsx";
import { WebhookForm } from "./webhooks/form.tsx";
import { Signing } from "./webhooks/signing.tsx";
import { WebhookState } from "./webhooks/state.tsx";
import { wordOfType } from "./webhooks/words.ts";
import classes from "./webhooks/webhooks.module.css";

/** `/webhooks/:id`. */
export default function WebhookPage() {
  const { id } = useParams<{ id: string }>();
  const webhook = useApi("GET /webhooks/{id}", { path: { id } });
  return <Loaded query={webhook}>{(shown) => <Shown webhook={shown} />}</Loaded>;
}

function Shown({ webhook }: { webhook: WebhookEndpoint }) {
  const [isChanging, setChanging] = useState(false);
  const { description, url } = webhook;
  return (
    <>
      <PageHeader
        title={description || url}
        back={{ label: "Webhooks", to: "/webhooks" }}
        badge={<WebhookState webhook={webhook} />}
        about={description ? <span className={classes.anywhere}>{url}</span> : undefined}
        actions={<Actions webhook={webhook} change={() => setChanging(true)} />}
      />
      <Standing webhook={webhook} />
      <Sections>
        <About webhook={webhook} />
        <Signing webhook={webhook} />
        <Deliveries webhook={webhook} />
      </Sections>
      <FormDialog opened={isChanging} onClose={() => setChanging(false)} title="Change the webhook">
        <WebhookForm webhook={webhook} done={() => setChanging(false)} />
      </FormDialog>
    </>
  );
}

function Actions({ webhook, change }: { webhook: WebhookEndpoint; change: () => void }) {
  const { id, enabled } = webhook;
  const remove = useRemove(webhook);
  const update = useChange("PATCH /webhooks/{id}", {
    reads: ["GET /webhooks"],
    onSuccess: (now) => toast.done(now.enabled ? "The webhook is enabled" : "The webhook is paused"),
  });
  const test = useChange("POST /webhooks/{id}/test", {
    reads: ["GET /webhooks"],
    onSuccess: ({ lastAttempt, status }) => {
      const answer = lastAttempt?.status ?? lastAttempt?.error ?? "nothing";
      if (status === "DELIVERED") toast.done(`The test arrived: it responded ${answer}`);
      else toast.failed(new Error(`The test did not arrive: ${answer}`));
    },
  });
  return (
    <>
      <Gate role="ADMIN">
        <Button variant="default" leftSection={<DeleteIcon size={16} />} onClick={remove}>
          Delete
        </Button>
      </Gate>
      <Gate role="ADMIN">
        <Button variant="default" leftSection={<EditIcon size={16} />} onClick={change}>
          Change
        </Button>
      </Gate>
      <Gate role="ADMIN">
        <Button
          variant="default"
          leftSection={enabled ? <PauseIcon size={16} /> : <PlayIcon size={16} />}
          loading={update.isPending}
          onClick={() => update.mutate({ path: { id }, body: { enabled: !enabled } })}
        >
          {enabled ? "Pause" : "Enable"}
        </Button>
      </Gate>
      <Gate role="ADMIN">
        <Button
          leftSection={<SendIcon size={16} />}
          loading={test.isPending}
          onClick={() => test.mutate({ path: { id } })}
        >
          Send test
        </Button>
      </Gate>
    </>
  );
}

/** What is wrong, and what to do. */
function Standing({ webhook }: { webhook: WebhookEndpoint }) {
  const { enabled, pauseReason, pausedAt, failingSince, retryAt, pending } = webhook;
  const waiting = pending > 0 ? `${formatCount(pending, "delivery", "deliveries")} waiting. ` : "";
  if (!enabled) {
    return (
      <Alert color={pauseReason === "USER" ? "gray" : "red"} variant="light" mb="lg">
        {pauseReason === "FAILING" && "Every call failed for three days. "}
        {pauseReason === "GONE" && "It responded with 410 Gone, which asks for no more calls. "}
        Paused <Time at={pausedAt!} />. {waiting}Nothing new is collected. Enable it to send what waits.
      </Alert>
    );
  }
  if (!failingSince) return null;
  return (
    <Alert color="yellow" variant="light" mb="lg">
      Every call has failed since <Time at={failingSince} />. {waiting}
      {retryAt && (
        <>
          It is tried again <Time at={retryAt} />.{" "}
        </>
      )}
      Look at the deliveries below for the reason.
    </Alert>
  );
}

function About({ webhook }: { webhook: WebhookEndpoint }) {
  const { url, events, eventNames, delivered, failed, pending, createdAt, createdBy } = webhook;
  const calls = delivered + failed;
  return (
    <Section title="What is sent">
      <Facts>
        <Fact name="URL">
          <span className={classes.anywhere}>{url}</span>
        </Fact>
        <Fact name="Events">{events.map(wordOfType).join(", ")}</Fact>
        {eventNames && <Fact name="Names">{eventNames.join(", ")}</Fact>}
        <Fact name="Last 7 days">
          {calls === 0
            ? "No calls"
            : `${formatCount(calls, "call")}, of which ${formatNumber(failed)} failed (${formatShare(failed, calls)})`}
        </Fact>
        <Fact name="Waiting">{formatCount(pending, "delivery", "deliveries")}</Fact>
        <Fact name="Created">
          <Time at={createdAt} /> by {createdBy}
        </Fact>
      </Facts>
    </Section>
  );
}

function useRemove({ id, url, pending }: WebhookEndpoint) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return () =>
    confirm({
      title: "Delete this webhook?",
      action: "Delete",
      children: (
        <>
          {url} is told nothing any more.{" "}
          {pending > 0 && `${formatCount(pending, "delivery", "deliveries")} that wait are not sent. `}
          Its log is deleted, too.
        </>
      ),
      act: async () => {
        await call("DELETE /webhooks/{id}", { path: { id } }, { projectId });
        navigate("/webhooks");
        await readAgain(cache, projectId, ["GET /webhooks"]);
        toast.done("The webhook was deleted");
      },
    });
}
