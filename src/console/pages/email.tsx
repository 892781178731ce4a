// One mail: what it said, what happened to it, and everything that is known of it.
import { Button } from "@mantine/core";
import { useLocation, useParams } from "wouter";
import type { Email } from "../api.gen.ts";
import { type Answer, linkTo, Refusal } from "../api.ts";
import { FileLinks } from "../parts/file_links.tsx";
import { Headers, MailView } from "../parts/mail_view.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Panel } from "../parts/panel.tsx";
import { Empty, Failed, Loaded, SkeletonLines } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useProjectId, useUrlState } from "../place.ts";
import { useApi } from "../queries.ts";
import { Events } from "./email/events.tsx";
import { Facts } from "./email/facts.tsx";
import { Notice } from "./email/notice.tsx";
import { Recipients } from "./email/recipients.tsx";
import { isScheduled, ScheduleActions } from "./email/schedule.tsx";
import { SendAgain } from "./email/send_again.tsx";
import classes from "./email/email.module.css";

const BACK = { label: "Sent mails", to: "/emails" };
/** While it is on its way. */
const SOON_MS = 2_000;

type Content = Answer<"GET /emails/{id}/content">;

/** `/emails/:id`. */
export default function EmailPage() {
  const { id } = useParams<{ id: string }>();
  const query = useApi(
    "GET /emails/{id}",
    { path: { id } },
    { refetchInterval: ({ state }) => state.data !== undefined && isUnderWay(state.data) && SOON_MS },
  );
  if (query.data) return <EmailView key={id} mail={query.data} />;
  if (!query.isError) return <SkeletonLines count={6} />;
  if (query.error instanceof Refusal && query.error.status === 404) return <NoMail />;
  return <Failed error={query.error} retry={query.refetch} />;
}

const isUnderWay = (mail: Email) =>
  (mail.status === "PENDING" || mail.status === "SENDING") && !isScheduled(mail);

function EmailView({ mail }: { mail: Email }) {
  const { id, subject, status, to, queuedAt, sentAt } = mail;
  const path = { id };
  const waits = isScheduled(mail);
  const content = useApi("GET /emails/{id}/content", { path }, { staleTime: Infinity });
  const events = useApi(
    "GET /emails/{id}/events",
    { path },
    { refetchInterval: isUnderWay(mail) && SOON_MS },
  );
  const isKept = content.data && content.data.html !== null;
  return (
    <div className={classes.page}>
      <PageHeader
        title={content.data?.subject || subject || "(no subject)"}
        back={BACK}
        badge={<Status status={status} />}
        about={
          <>
            {sentAt ? "Sent" : waits ? "Scheduled for" : "Accepted"}{" "}
            <Time at={sentAt ?? (waits ? mail.scheduledFor : queuedAt)} />
            {to && ` to ${to}`}
          </>
        }
        actions={waits ? <ScheduleActions mail={mail} /> : <SendAgain mail={mail} isKept={isKept} />}
      />
      <Notice mail={mail} />
      <div className={classes.columns}>
        <div className={classes.mail}>
          <Loaded query={content} skeleton={<SkeletonLines count={10} />}>
            {(shown) => <Said id={id} content={shown} />}
          </Loaded>
        </div>
        <div className={classes.aside}>
          <Panel title="History">
            <Loaded query={events}>{(list) => <Events events={list} />}</Loaded>
          </Panel>
          <Recipients mail={mail} refresh={isUnderWay(mail) && SOON_MS} />
          <Panel title="Details">
            <Facts mail={mail} />
          </Panel>
        </div>
      </div>
    </div>
  );
}

function Said({
  id,
  content: { headers, attachments, removedAt, ...mail },
}: {
  id: string;
  content: Content;
}) {
  const projectId = useProjectId();
  const [{ view, dark }, set] = useUrlState({ view: "html", dark: "" });
  const listed = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return (
    <>
      <MailView
        mail={mail}
        nothing={
          removedAt
            ? "The content of this mail is no longer kept: it is deleted after a while, but the outcome is kept."
            : "This mail has no text."
        }
        view={view}
        isDark={dark !== ""}
        set={({ view: next = view, isDark = dark !== "" }) =>
          set({ view: next, dark: isDark ? "1" : "" }, { replace: true })
        }
        {...(listed.length > 0 && {
          more: [{ value: "headers", label: "Headers", content: <Headers headers={listed} /> }],
        })}
      />
      <FileLinks
        files={attachments.map((file, n) => ({
          ...file,
          href: linkTo("GET /emails/{id}/attachments/{index}", { path: { id, index: String(n) } }, projectId),
        }))}
      />
    </>
  );
}

function NoMail() {
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Mail" back={BACK} />
      <Empty
        title="There is no such mail"
        action={
          <Button variant="default" onClick={() => navigate("/emails")}>
            All mails
          </Button>
        }
      >
        It has expired and was deleted, or it belongs to another project.
      </Empty>
    </>
  );
}
