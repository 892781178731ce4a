// One event, or anything else that happened, beside the list: all that is known of it.
import { Drawer } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Activity } from "../../api.gen.ts";
import { textOf, thingOf } from "../../parts/activity/words.ts";
import { Copyable } from "../../parts/copy.tsx";
import { formatExact } from "../../parts/format.ts";
import { Json } from "../../parts/json.tsx";
import { useFirstOpening } from "../../parts/first_opening.ts";
import { Fact, Facts } from "../../parts/section.tsx";
import { useHasPage } from "../../place.ts";
import { KINDS } from "./kinds.ts";
import classes from "./events.module.css";

/** Open while there is an item. */
export function ItemDrawer({ item, close }: { item: Activity | null; close: () => void }) {
  const { isDrawn, isOpen } = useFirstOpening(item !== null);
  if (!isDrawn) return null;
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      position="right"
      size="min(40rem, 100vw)"
      title={item && [KINDS[item.type].label, thingOf(item)].filter(Boolean).join(" ")}
    >
      {item && <Known item={item} />}
    </Drawer>
  );
}

/** Facts that have a text of their own, with their names. */
const TEXTS = [
  ["from", "From"],
  ["link", "Link"],
  ["error", "Reason"],
  ["status", "Now"],
  ["exitReason", "Why it ended"],
] as const;

function Known({ item }: { item: Activity }) {
  const { id, type, timestamp, contactId, contactEmail, metadata } = item;
  const { eventName, eventData } = metadata;
  const texts = TEXTS.map(([key, name]) => [name, textOf(item, key)] as const).filter(([, text]) => text);
  return (
    <div className={classes.drawer}>
      <Facts>
        <Fact name="When">
          <time dateTime={timestamp}>{formatExact(timestamp)}</time>
        </Fact>
        {contactId && (
          <Fact name="Contact">
            <Link href={`/contacts/${contactId}`}>{contactEmail ?? contactId}</Link>
          </Fact>
        )}
        <Subject item={item} />
        {texts.map(([name, text]) => (
          <Fact key={name} name={name}>
            {text}
          </Fact>
        ))}
        {metadata.machine === true && <Fact name="By">A program, such as a link scanner</Fact>}
        {typeof eventName === "string" && (
          <Fact name="Event">
            <Link href={`/events?name=${encodeURIComponent(eventName)}`}>{eventName}</Link>
          </Fact>
        )}
        {!id.includes(":") && (
          <Fact name="Id">
            <Copyable value={id} label="id" />
          </Fact>
        )}
      </Facts>
      {type === "event.triggered" || type.startsWith("contact.") ? (
        <section aria-label="Data">
          <h3 className={classes.heading}>Data</h3>
          {isEmpty(eventData) ? (
            <p className={classes.faded}>Nothing came with it.</p>
          ) : (
            <Json value={eventData} label="Data of the event" />
          )}
        </section>
      ) : null}
    </div>
  );
}

const isEmpty = (data: unknown) =>
  typeof data !== "object" || data === null || Object.keys(data).length === 0;

/** The mail, the campaign or the workflow that it is about. */
function Subject({ item }: { item: Activity }) {
  const [mailId, campaignId, workflowId] = ["emailId", "campaignId", "workflowId"].map((name) =>
    textOf(item, name),
  );
  const hasMails = useHasPage("/emails/:id");
  const mail = hasMails
    ? `/emails/${mailId}`
    : item.contactId && `/contacts/${item.contactId}?tab=mails&mail=${mailId}`;
  return (
    <>
      {mailId && (
        <Fact name="Mail">
          <MaybeLink href={mail}>{textOf(item, "subject") || "Mail"}</MaybeLink>
        </Fact>
      )}
      <Named name="Campaign" page="/campaigns/:id" id={campaignId!} text={textOf(item, "campaignName")} />
      <Named name="Workflow" page="/workflows/:id" id={workflowId!} text={textOf(item, "workflowName")} />
    </>
  );
}

interface NamedProps {
  name: string;
  page: string;
  id: string;
  text: string;
}

function Named({ name, page, id, text }: NamedProps) {
  const hasPage = useHasPage(page);
  if (!text) return null;
  return (
    <Fact name={name}>
      <MaybeLink href={hasPage && id ? page.replace(":id", id) : undefined}>{text}</MaybeLink>
    </Fact>
  );
}

/** A link if there is a page to lead to. */
export function MaybeLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  return href ? <Link href={href}>{children}</Link> : <>{children}</>;
}
