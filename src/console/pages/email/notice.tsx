// What the state of a mail means, and what can be done: said where it is not plain.
import { Alert, Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Email } from "../../api.gen.ts";
import { BASE } from "../../api.ts";
import { ClockIcon, InfoIcon, WarningIcon } from "../../parts/icons.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./email.module.css";

interface Words {
  tone: "red" | "yellow" | "gray";
  title: string;
  text: ReactNode;
}

/** Nothing for a mail that has arrived, as far as anybody knows. */
export function Notice({ mail }: { mail: Email }) {
  const words = wordsOf(mail);
  if (!words) return null;
  const { tone, title, text } = words;
  const Shape = tone === "gray" ? InfoIcon : mail.status === "PENDING" ? ClockIcon : WarningIcon;
  return (
    <Alert variant="light" color={tone} title={title} icon={<Shape size={17} />} className={classes.notice!}>
      {text}
    </Alert>
  );
}

function wordsOf(mail: Email): Words | null {
  const { status, error } = mail;
  switch (status) {
    case "PENDING":
      return pending(mail);
    case "CAPTURED":
      return {
        tone: "gray",
        title: "Captured, not sent",
        text: (
          <>
            There was no mail server when it was to be sent. It is in the{" "}
            <Link href={`/inbox?search=${encodeURIComponent(mail.to ?? "")}`}>inbox</Link>, where an owner can
            release it once there is one.
          </>
        ),
      };
    case "BOUNCED":
      return {
        tone: "red",
        title: "The recipient’s server refused it permanently",
        text: (
          <>
            <Reply error={error} /> If that is about the address itself, it is on the{" "}
            <Suppressed mail={mail} /> now and gets no more mail until you take it off.
          </>
        ),
      };
    case "COMPLAINED":
      return {
        tone: "red",
        title: "The recipient reported it as spam",
        text: (
          <>
            The address is on the <Suppressed mail={mail} />, and the contact is unsubscribed: further mail
            would harm the reputation of your domain.
          </>
        ),
      };
    case "FAILED":
      return { tone: "red", title: "It could not be sent", text: <Reply error={error} /> };
    case "SUPPRESSED":
      return {
        tone: "yellow",
        title: "It was not sent, on purpose",
        text: (
          <>
            {error ?? "The recipient does not want such mail, or cannot be reached"}. See the contact, or the{" "}
            <Suppressed mail={mail} />.
          </>
        ),
      };
    case "IN_DOUBT":
      return inDoubt(mail);
    default:
      return null;
  }
}

/** Leads to the list, narrowed to its address. */
function Suppressed({ mail: { to } }: { mail: Email }) {
  return <Link href={`/suppressions${to ? `?search=${encodeURIComponent(to)}` : ""}`}>suppression list</Link>;
}

/** What the mail server said, as it said it. */
function Reply({ error }: { error: string | null }) {
  return error ? <q className={classes.reply}>{error}</q> : null;
}

function pending({ attempts, error, nextAttemptAt }: Email): Words | null {
  if (attempts === 0) return null;
  return {
    tone: "yellow",
    title: "It was refused temporarily, and is retried",
    text: (
      <>
        <Reply error={error} />{" "}
        {nextAttemptAt && (
          <>
            Next attempt: <Time at={nextAttemptAt} />.{" "}
          </>
        )}
        It is tried for a day, at growing intervals.
      </>
    ),
  };
}

function inDoubt({ error }: Email): Words {
  return {
    tone: "yellow",
    title: "It is unknown whether it was sent",
    text: (
      <>
        The connection ended after the mail was handed over and before the mail server replied.{" "}
        <Reply error={error} /> A notice of the provider, an open or a click settles it. Whether such mails
        are resent automatically is set in the <Link href="/settings">settings</Link>: somebody may then have
        it twice.{" "}
        <Anchor
          href={`${BASE}/docs/guides/reliability#doubt`}
          target="_blank"
          rel="noreferrer"
          size="sm"
          underline="always"
        >
          More on doubt
        </Anchor>
      </>
    ),
  };
}
