// What was captured instead of sent, as long as there is no mail server.
import { useState } from "react";
import { ActionIcon, Alert, Button, Menu, SegmentedControl } from "@mantine/core";
import { useLocation } from "wouter";
import type { ListedInboxMail } from "../api.gen.ts";
import { BASE } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { formatCount } from "../parts/format.ts";
import { DeleteIcon, InboxIcon, InfoIcon, MailOpenIcon, MoreIcon, SendIcon } from "../parts/icons.tsx";
import { ListSearch } from "../parts/list_search.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { useRefresh } from "../parts/refresh.ts";
import { Empty, Failed, NoMatch } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { type Column, VirtualTable } from "../parts/virtual_table.tsx";
import { useUrlState } from "../place.ts";
import { useApi, useApiPages, useChange } from "../queries.ts";
import { useFeatures, useIsTest, useRole } from "../session.ts";
import { useCaptured } from "./inbox/captured.tsx";
import { Chosen } from "./inbox/chosen.tsx";
import classes from "./inbox/inbox.module.css";

const FILTERS = { search: "", show: "all" };
const REFRESH_MS = 5_000;
const NONE: ReadonlySet<string> = new Set();
/** As many as the service takes in one call, and keeps. */
const AT_ONCE = 500;

const COLUMNS: Column<ListedInboxMail>[] = [
  {
    key: "to",
    header: "To",
    width: "minmax(0, 2fr)",
    cell: ({ to, subject, capturedAt, readAt }) => (
      <span className={classes.to}>
        <span className={classes.dot} data-unread={readAt === null || undefined} />
        <span className={classes.words}>
          {readAt === null && <span className="for-readers">Unread. </span>}
          <span className={classes.line} data-unread={readAt === null || undefined}>
            {to}
          </span>
          <span className={classes.below}>
            <Time at={capturedAt} /> · {subject || "(no subject)"}
          </span>
        </span>
      </span>
    ),
  },
  {
    key: "subject",
    header: "Subject",
    width: "minmax(0, 3fr)",
    isWideOnly: true,
    cell: ({ subject, readAt }) => (
      <span className={classes.line} data-unread={readAt === null || undefined}>
        {subject || "(no subject)"}
      </span>
    ),
  },
  {
    key: "time",
    header: "Captured",
    width: "8.5rem",
    align: "right",
    isWideOnly: true,
    cell: ({ capturedAt }) => <Time at={capturedAt} />,
  },
];

/** `/inbox`. */
export default function InboxPage() {
  const [{ search, show }, set] = useUrlState(FILTERS);
  const [, navigate] = useLocation();
  const query = {
    limit: 100,
    ...(search && { search }),
    ...(show === "unread" && { read: "false" as const }),
  };
  const list = useApiPages("GET /inbox/mails", { query }, { keepsPrevious: true });
  useRefresh(list, REFRESH_MS);
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const { total, unread = 0 } = list.data?.pages[0] ?? {};
  const isFiltered = search !== "" || show === "unread";
  const isEmpty = list.isSuccess && !list.isPlaceholderData && rows.length === 0;
  const isTest = useIsTest();
  const isSent = useFeatures()?.smtp && !isTest;
  const [ids, setIds] = useState<ReadonlySet<string>>(NONE);
  const chosen = rows.filter(({ id }) => ids.has(id)).slice(0, AT_ONCE);
  return (
    <div className={classes.page}>
      <PageHeader
        title="Inbox"
        count={total}
        about={
          isTest
            ? "Mails of test mode. Nobody has received them."
            : "Mails that were captured instead of sent. Nobody has received them."
        }
        actions={!(isEmpty && !isFiltered) && <Actions unread={unread} />}
      />
      {isSent === true && rows.length > 0 && (
        <Alert variant="light" color="gray" icon={<InfoIcon size={16} />} mb="md">
          Mails are now sent. These were captured before: an owner can release those that should still be
          sent.
        </Alert>
      )}
      {chosen.length > 0 && <Chosen mails={chosen} clear={() => setIds(NONE)} />}
      {chosen.length === 0 && !(isEmpty && !isFiltered) && (
        <div className={classes.toolbar} role="search" aria-label="Inbox">
          <ListSearch
            className={classes.search!}
            size="xs"
            label="Search address or subject"
            value={search}
            onChange={(text) => set({ search: text }, { replace: true })}
          />
          <SegmentedControl
            size="xs"
            aria-label="Show"
            value={show}
            onChange={(next) => set({ show: next })}
            data={[
              { value: "all", label: "All" },
              { value: "unread", label: unread > 0 ? `Unread · ${unread}` : "Unread" },
            ]}
          />
        </div>
      )}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {isEmpty && !isFiltered && <NothingCaptured isSent={isSent} />}
      {isEmpty && isFiltered && (
        <NoMatch
          title={search ? "No captured mail matches" : "Everything has been read"}
          clear={() => set(FILTERS)}
        >
          {search ? "The search finds part of the subject, recipient or sender." : "Nothing is unread."}
        </NoMatch>
      )}
      {!isEmpty && (rows.length > 0 || !list.isError) && (
        <VirtualTable
          key={JSON.stringify(query)}
          label="Captured mails"
          columns={COLUMNS}
          rows={rows}
          idOf={({ id }) => id}
          nameOf={({ subject, to }) => `${subject} to ${to}`}
          total={total}
          rowHeight={52}
          hasMore={list.isPending || list.hasNextPage}
          isLoadingMore={list.isFetching}
          loadMore={list.fetchNextPage}
          open={({ id }) => navigate(`/inbox/${id}`)}
          selection={{ ids, change: setIds }}
        />
      )}
    </div>
  );
}

function Actions({ unread }: { unread: number }) {
  const all = useApi("GET /inbox/mails", { query: { limit: 1 } }).data?.total ?? 0;
  const isTest = useIsTest();
  const reads = ["GET /inbox"];
  const mark = useChange("PATCH /inbox/mails", {
    reads,
    onSuccess: ({ updated }) => toast.done(`${formatCount(updated, "mail")} marked as read`),
  });
  const clear = useChange("DELETE /inbox/mails", { reads, showsErrors: true });
  const askToClear = () =>
    confirm({
      title: `Delete ${formatCount(all, "mail")} from the inbox?`,
      children: isTest
        ? "They are removed only from the inbox, for everybody. They stay in the list of sent mails. This cannot be undone."
        : "They are removed only from the inbox, for everybody. They stay in the list of sent mails as captured, and owners can still release them. This cannot be undone.",
      action: "Delete all",
      act: async () => {
        await clear.mutateAsync({});
        toast.done("The inbox is empty");
      },
    });
  return (
    <>
      <Button
        variant="default"
        leftSection={<MailOpenIcon size={15} />}
        disabled={unread === 0}
        loading={mark.isPending}
        onClick={() => mark.mutate({ body: { read: true } })}
      >
        Mark all as read
      </Button>
      <MoreActions askToClear={askToClear} />
    </>
  );
}

function MoreActions({ askToClear }: { askToClear: () => void }) {
  const isTest = useIsTest();
  return (
    <MenuButton
      width={230}
      button={(opener) => (
        <ActionIcon {...opener} variant="default" size="input-sm" aria-label="More">
          <MoreIcon size={17} />
        </ActionIcon>
      )}
    >
      {!isTest && <OfOwners />}
      <Menu.Item c="var(--bad)" leftSection={<DeleteIcon size={15} />} onClick={askToClear}>
        Delete all…
      </Menu.Item>
    </MenuButton>
  );
}

function OfOwners() {
  const { isAllowed } = useRole("OWNER");
  const isSent = useFeatures()?.smtp;
  const { askToRelease, askToDiscard } = useCaptured();
  return (
    <>
      <Menu.Label>
        {isAllowed ? "Those still captured" : "Only owners can release or discard mails"}
      </Menu.Label>
      <Menu.Item
        leftSection={<SendIcon size={15} />}
        disabled={!isAllowed || isSent !== true}
        onClick={() => void askToRelease({ all: true })}
      >
        {isSent === false ? "Release: needs a mail server" : "Release all…"}
      </Menu.Item>
      <Menu.Item disabled={!isAllowed} onClick={() => void askToDiscard({ all: true })}>
        Discard all…
      </Menu.Item>
      <Menu.Divider />
    </>
  );
}

function NothingCaptured({ isSent }: { isSent: boolean | undefined }) {
  const [, navigate] = useLocation();
  if (useIsTest()) {
    return (
      <Empty
        icon={InboxIcon}
        title="Nothing was sent in test mode yet"
        action={<Button onClick={() => navigate("/keys")}>Test keys</Button>}
      >
        Send with a test key, and the mail is here a moment later. Mail to{" "}
        <code>bounced@simulator.example</code> bounces; there are{" "}
        <a href={`${BASE}/docs/guides/sandbox`} target="_blank" rel="noreferrer">
          more such addresses
        </a>
        .
      </Empty>
    );
  }
  return (
    <Empty
      icon={InboxIcon}
      title={isSent ? "Mails are sent, not captured" : "Nothing was captured yet"}
      action={<Button onClick={() => navigate("/emails")}>Sent mails</Button>}
    >
      {isSent
        ? "This installation has a mail server. The inbox holds mails that were captured before it had one."
        : "There is no mail server yet (SMTP_URL). Until there is, every mail of this project appears here a moment later, and nobody receives it."}
    </Empty>
  );
}
