// What is there before the first mail: one is sent in one click, to the person looking at it.
import { Anchor, Button } from "@mantine/core";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { BASE } from "../../api.ts";
import { MailIcon, SendIcon } from "../../parts/icons.tsx";
import { useSenders } from "../../parts/senders.ts";
import { Empty } from "../../parts/states.tsx";
import { useProject } from "../../place.ts";
import { useChange } from "../../queries.ts";
import { useFeatures, useSession } from "../../session.ts";

const SUBJECT = "The first mail of {{project}}";
const BODY = `<!doctype html>
<html>
  <body style="margin: 0; padding: 32px 16px; font-family: sans-serif; color: #22211f">
    <div style="max-width: 480px; margin: 0 auto; line-height: 1.6">
      <h1 style="font-size: 22px">It works.</h1>
      <p>This is the first mail of {{project}}. Your application sends such mails with one request; campaigns and workflows
        send them to many.</p>
    </div>
  </body>
</html>`;

export function FirstMail() {
  const senders = useSenders().data;
  const isSent = useFeatures()?.smtp;
  return (
    <Empty icon={MailIcon} title="No mail was sent yet" action={senders && <Action sender={senders} />}>
      Every mail is listed here with its outcome, whether a request, a campaign or a workflow sent it.{" "}
      {isSent === false &&
        "There is no mail server yet: mails are captured, and you can read them in the inbox. "}
      <Anchor
        href={`${BASE}/docs/guides/sending`}
        target="_blank"
        rel="noreferrer"
        size="sm"
        underline="always"
      >
        How an application sends
      </Anchor>
    </Empty>
  );
}

function Action({ sender: { choices, hasDomain, last } }: { sender: NonNullable<Senders> }) {
  const { name } = useProject();
  const [, navigate] = useLocation();
  const [key] = useState(() => crypto.randomUUID());
  const to = useSession().data?.user?.email;
  const send = useChange("POST /v1/send", { reads: ["GET /emails", "GET /projects/{id}/setup-state"] });
  const from = last.from || choices[0];
  if (!hasDomain || from === undefined) {
    return (
      <Button component={Link} href="/domains">
        Verify a domain to send from
      </Button>
    );
  }
  const first = () =>
    send.mutate(
      {
        body: {
          to: to!,
          from: { email: from, name },
          subject: SUBJECT,
          body: BODY,
          data: { project: { value: name, persistent: false } },
        },
        options: { idempotencyKey: key },
      },
      { onSuccess: ({ data }) => navigate(`/emails/${data.emails[0]!.email}`) },
    );
  return (
    <Button
      leftSection={<SendIcon size={15} />}
      onClick={first}
      loading={send.isPending}
      disabled={to === undefined}
    >
      Send one to yourself
    </Button>
  );
}

type Senders = ReturnType<typeof useSenders>["data"];
