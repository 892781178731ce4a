// Test mails of a campaign, and what happened to each.
import { Autocomplete, Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Campaign, Email } from "../../api.gen.ts";
import { FormError } from "../../parts/form.tsx";
import { SendIcon } from "../../parts/icons.tsx";
import { Status } from "../../parts/status.tsx";
import { useHasPage, useProjectId } from "../../place.ts";
import { useApi, useChange } from "../../queries.ts";
import { useSession } from "../../session.ts";
import classes from "./campaign.module.css";

const ASK_MS = 1_500;

/** To oneself, to somebody of the project, or to any other address. */
export function TestMailForm({ campaign: { id } }: { campaign: Campaign }) {
  const projectId = useProjectId();
  const mine = useSession().data?.user?.email ?? "";
  const members = useApi("GET /projects/{id}/members", { path: { id: projectId } });
  const [address, setAddress] = useState(mine);
  const [sent, setSent] = useState<{ id: string; to: string }[]>([]);
  const test = useChange("POST /campaigns/{id}/test", { showsErrors: true });
  const submit = async (event: React.FormEvent) => {
    event.preventDefault();
    const to = address.trim();
    const answer = await test.mutateAsync({ path: { id }, body: { email: to } }).catch(() => null);
    if (answer) setSent((before) => [{ id: answer.emailId, to }, ...before]);
  };
  return (
    <form onSubmit={submit} noValidate>
      <div className={classes.line}>
        <Autocomplete
          className={classes.grow!}
          label="To"
          type="email"
          placeholder="you@example.com"
          data={members.data?.data.map(({ email }) => email) ?? []}
          value={address}
          onChange={setAddress}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<SendIcon size={15} />}
          loading={test.isPending}
          disabled={address.trim() === ""}
        >
          Send test
        </Button>
      </div>
      <FormError error={test.error} />
      {sent.length > 0 && (
        <ul className={classes.tests} aria-label="Test mails" aria-live="polite">
          {sent.map((mail) => (
            <Sent key={mail.id} {...mail} />
          ))}
        </ul>
      )}
    </form>
  );
}

const isOpen = ({ status }: Pick<Email, "status">) => status === "PENDING" || status === "SENDING";

function Sent({ id, to }: { id: string; to: string }) {
  const hasPage = useHasPage("/emails/:id");
  const { data } = useApi(
    "GET /emails/{id}",
    { path: { id } },
    { refetchInterval: ({ state }) => (!state.data || isOpen(state.data) ? ASK_MS : false) },
  );
  return (
    <li>
      <Status status={data?.status ?? "PENDING"} />
      <span>{hasPage ? <Link href={`/emails/${id}`}>{to}</Link> : to}</span>
      {data?.error && <span className={classes.quiet}>{data.error}</span>}
    </li>
  );
}
