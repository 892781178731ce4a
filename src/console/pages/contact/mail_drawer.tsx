// One mail as it was sent, beside the page of the contact.
import { Button, Drawer } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Email } from "../../api.gen.ts";
import type { Answer } from "../../api.ts";
import { MailView } from "../../parts/mail_view.tsx";
import { Failed, Loaded, SkeletonLines } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useApi } from "../../queries.ts";
import classes from "./contact.module.css";

type Content = Answer<"GET /emails/{id}/content">;

/** Open while `id` says which mail. */
export function MailDrawer({ id, close }: { id: string; close: () => void }) {
  const path = { id };
  const mail = useApi("GET /emails/{id}", { path }, { enabled: id !== "" });
  const content = useApi("GET /emails/{id}/content", { path }, { enabled: id !== "", staleTime: Infinity });
  return (
    <Drawer
      opened={id !== ""}
      onClose={close}
      position="right"
      size="min(46rem, 100vw)"
      title={mail.data?.subject ?? "Mail"}
      classNames={{ content: classes.drawer!, body: classes.drawerBody! }}
    >
      {id !== "" && (
        <>
          {mail.isError ? <Failed error={mail.error} /> : mail.data && <About mail={mail.data} />}
          {mail.data && (
            <Button
              component={Link}
              href={`/emails/${id}`}
              variant="default"
              size="compact-sm"
              className={classes.toMail!}
            >
              Show history
            </Button>
          )}
          <Loaded query={content} skeleton={<SkeletonLines count={6} />}>
            {(shown) => <Shown key={id} content={shown} />}
          </Loaded>
        </>
      )}
    </Drawer>
  );
}

function About({ mail: { status, from, to, queuedAt, sentAt, error } }: { mail: Email }) {
  return (
    <dl className={classes.about}>
      <dt>From</dt>
      <dd>{from ?? "–"}</dd>
      <dt>To</dt>
      <dd>{to ?? "–"}</dd>
      <dt>{sentAt ? "Sent" : "Written"}</dt>
      <dd>
        <Time at={sentAt ?? queuedAt} /> <Status status={status} />
      </dd>
      {error && (
        <>
          <dt>Reason</dt>
          <dd>{error}</dd>
        </>
      )}
    </dl>
  );
}

function Shown({ content: { removedAt, ...mail } }: { content: Content }) {
  const [shown, setShown] = useState({ view: "html", isDark: false });
  return (
    <MailView
      mail={mail}
      nothing={removedAt ? "The text of this mail is no longer kept." : "This mail has no text."}
      {...shown}
      set={(patch) => setShown((before) => ({ ...before, ...patch }))}
    />
  );
}
