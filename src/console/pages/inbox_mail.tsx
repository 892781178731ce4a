// One captured mail, as it would have gone out.
import { ActionIcon, Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useLocation, useParams } from "wouter";
import type { InboxMail } from "../api.gen.ts";
import { linkTo, Refusal } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { FileLinks } from "../parts/file_links.tsx";
import { DeleteIcon, DownloadIcon, MailIcon, MoreIcon, SendIcon } from "../parts/icons.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { Headers, MailView, Plain } from "../parts/mail_view.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Failed, Loaded, SkeletonLines } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId, useUrlState } from "../place.ts";
import { useApi, useChange } from "../queries.ts";
import { useFeatures, useIsTest, useRole } from "../session.ts";
import { useCaptured } from "./inbox/captured.tsx";
import classes from "./inbox/inbox.module.css";

const BACK = { label: "Inbox", to: "/inbox" };

/** `/inbox/:id`. */
export default function InboxMailPage() {
  const { id } = useParams<{ id: string }>();
  const query = useApi("GET /inbox/mails/{id}", { path: { id } });
  if (query.data) return <MailOf key={id} mail={query.data} />;
  if (!query.isError) return <SkeletonLines count={6} />;
  if (query.error instanceof Refusal && query.error.status === 404) return <NoMail />;
  return <Failed error={query.error} retry={query.refetch} />;
}

function MailOf({ mail }: { mail: InboxMail }) {
  const { id, subject, from, to, capturedAt, attachments } = mail;
  const projectId = useProjectId();
  const markAsUnread = useMarkAsRead(mail);
  return (
    <div className={classes.mailPage}>
      <PageHeader
        title={subject || "(no subject)"}
        back={BACK}
        actions={<Actions mail={mail} markAsUnread={markAsUnread} />}
      />
      <dl className={classes.envelope}>
        <dt>To</dt>
        <dd>{to}</dd>
        <dt>From</dt>
        <dd>{headerOf(mail, "from") ?? from}</dd>
        <dt>Captured</dt>
        <dd>
          <Time at={capturedAt} />
        </dd>
      </dl>
      <div className={classes.mail}>
        <Views mail={mail} />
      </div>
      <FileLinks
        files={attachments.map(({ index, filename, sizeBytes }) => ({
          filename,
          size: sizeBytes,
          href: linkTo(
            "GET /inbox/mails/{id}/attachments/{index}",
            { path: { id, index: String(index) } },
            projectId,
          ),
        }))}
      />
    </div>
  );
}

/** The pictures of a mail are part of what is asked for here: in the message they are apart. */
function Views({ mail: { id, subject, hasHtml, text, headers } }: { mail: InboxMail }) {
  const [{ view, dark }, set] = useUrlState({ view: "html", dark: "" });
  const path = { id };
  const html = useApi("GET /inbox/mails/{id}/html", { path }, { enabled: hasHtml, staleTime: Infinity });
  if (hasHtml && html.isPending) return <SkeletonLines count={10} />;
  return (
    <MailView
      mail={{ subject, html: hasHtml ? String(html.data ?? "") : null, text }}
      nothing="This mail has no text."
      view={view}
      isDark={dark !== ""}
      set={({ view: next = view, isDark = dark !== "" }) =>
        set({ view: next, dark: isDark ? "1" : "" }, { replace: true })
      }
      more={[
        { value: "headers", label: "Headers", content: <Headers headers={headers} /> },
        { value: "source", label: "Source", content: <Source id={id} /> },
      ]}
    />
  );
}

const MAX_SOURCE_CHARS = 200_000;

function Source({ id }: { id: string }) {
  const query = useApi("GET /inbox/mails/{id}/source", { path: { id } }, { staleTime: Infinity });
  return (
    <Loaded query={query} skeleton={<SkeletonLines count={8} />}>
      {(source) => {
        const text = String(source);
        return (
          <Plain>
            {text.slice(0, MAX_SOURCE_CHARS)}
            {text.length > MAX_SOURCE_CHARS && "\n… Download it to see the rest."}
          </Plain>
        );
      }}
    </Loaded>
  );
}

/** Who opens it has read it; who says then that it is unread, which is what is answered here, is not overruled. */
function useMarkAsRead({ id, readAt }: InboxMail): () => void {
  const mark = useMark();
  const [, navigate] = useLocation();
  const isDecided = useRef(false);
  useEffect(() => {
    if (readAt !== null || isDecided.current) return;
    isDecided.current = true;
    mark.mutate({ path: { id }, body: { read: true } });
  }, [id, readAt, mark]);
  return () => {
    isDecided.current = true;
    mark.mutate({ path: { id }, body: { read: false } }, { onSuccess: () => navigate("/inbox") });
  };
}

function useMark() {
  return useChange("PATCH /inbox/mails/{id}", { reads: ["GET /inbox/mails"] });
}

function Actions({ mail: { id, emailId }, markAsUnread }: { mail: InboxMail; markAsUnread: () => void }) {
  const [, navigate] = useLocation();
  const isTest = useIsTest();
  const remove = useChange("DELETE /inbox/mails/{id}", { showsErrors: true });
  const projectId = useProjectId();
  const cache = useQueryClient();
  const askToDelete = () =>
    confirm({
      title: "Delete this mail from the inbox?",
      children:
        "It is removed only from the inbox, for everybody. It stays in the list of sent mails. This cannot be undone.",
      action: "Delete",
      act: async () => {
        await remove.mutateAsync({ path: { id } });
        navigate("/inbox");
        // The lists alone: the mail itself is not there to be read again.
        const isList = ([owner, endpoint]: readonly unknown[]) =>
          owner === projectId && endpoint === "GET /inbox/mails";
        await cache.invalidateQueries({ predicate: ({ queryKey }) => isList(queryKey) });
        toast.done("The mail was deleted from the inbox");
      },
    });
  return (
    <>
      {emailId && (
        <Button variant="default" onClick={() => navigate(`/emails/${emailId}`)}>
          Show history
        </Button>
      )}
      <MenuButton
        width={230}
        button={(opener) => (
          <ActionIcon {...opener} variant="default" size="input-sm" aria-label="More">
            <MoreIcon size={17} />
          </ActionIcon>
        )}
      >
        <Menu.Item leftSection={<MailIcon size={15} />} onClick={markAsUnread}>
          Mark as unread
        </Menu.Item>
        <Menu.Item
          component="a"
          href={linkTo("GET /inbox/mails/{id}/source", { path: { id } }, projectId)}
          download={`${id}.eml`}
          leftSection={<DownloadIcon size={15} />}
        >
          Download the source
        </Menu.Item>
        {emailId && !isTest && <OfOwners emailId={emailId} />}
        <Menu.Divider />
        <Menu.Item c="var(--bad)" leftSection={<DeleteIcon size={15} />} onClick={askToDelete}>
          Delete…
        </Menu.Item>
      </MenuButton>
    </>
  );
}

function OfOwners({ emailId }: { emailId: string }) {
  const { isAllowed } = useRole("OWNER");
  const isSent = useFeatures()?.smtp;
  const { askToRelease, askToDiscard } = useCaptured();
  return (
    <>
      <Menu.Divider />
      {!isAllowed && <Menu.Label>Only owners can release or discard mails</Menu.Label>}
      <Menu.Item
        leftSection={<SendIcon size={15} />}
        disabled={!isAllowed || isSent !== true}
        onClick={() => void askToRelease({ ids: [emailId] })}
      >
        {isSent === false ? "Release: needs a mail server" : "Release…"}
      </Menu.Item>
      <Menu.Item disabled={!isAllowed} onClick={() => void askToDiscard({ ids: [emailId] })}>
        Discard…
      </Menu.Item>
    </>
  );
}

const headerOf = ({ headers }: InboxMail, sought: string) =>
  headers.find(({ name }) => name.toLowerCase() === sought)?.value;

function NoMail() {
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Captured mail" back={BACK} />
      <Empty
        title="There is no such mail"
        action={
          <Button variant="default" onClick={() => navigate("/inbox")}>
            The inbox
          </Button>
        }
      >
        It was deleted, replaced by newer ones, or belongs to another project.
      </Empty>
    </>
  );
}
