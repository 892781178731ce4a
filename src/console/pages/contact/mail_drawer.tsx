// One mail as it was sent, beside the page of the contact.
import { Alert, Button, Drawer, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { Email } from "../../api.gen.ts";
import type { Answer } from "../../api.ts";
import { InfoIcon } from "../../parts/icons.tsx";
import { MailFrame } from "../../parts/mail_frame.tsx";
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

function Shown({ content: { html, text, subject, removedAt } }: { content: Content }) {
  const [view, setView] = useState(html ? "html" : "text");
  const [withPictures, setPictures] = useState(false);
  if (!html && !text) {
    return (
      <Alert variant="light" color="gray" icon={<InfoIcon size={16} />}>
        {removedAt ? "The text of this mail is no longer kept." : "This mail has no text."}
      </Alert>
    );
  }
  const hasPictures = html !== null && /<img\b|background(-image)?\s*[:=]/i.test(html);
  return (
    <>
      <div className={classes.views}>
        {html && text && (
          <SegmentedControl
            size="xs"
            aria-label="View"
            value={view}
            onChange={setView}
            data={[
              { value: "html", label: "Mail" },
              { value: "text", label: "Plain text" },
            ]}
          />
        )}
        {view === "html" && hasPictures && !withPictures && (
          <Button variant="default" size="xs" onClick={() => setPictures(true)}>
            Show pictures
          </Button>
        )}
      </div>
      {view === "html" && html ? (
        <div className={classes.frame}>
          <MailFrame html={html} title={`Mail: ${subject ?? ""}`} withPictures={withPictures} />
        </div>
      ) : (
        <pre className={classes.text} tabIndex={0}>
          {text}
        </pre>
      )}
    </>
  );
}
