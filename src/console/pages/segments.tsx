// The segments of a project.
import { Button } from "@mantine/core";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import type { Segment, SegmentSizes } from "../api.gen.ts";
import { useVocabulary, type Vocabulary } from "../parts/conditions/vocabulary.ts";
import { sentence } from "../parts/conditions/words.ts";
import { formatCount, formatNumber } from "../parts/format.ts";
import { AddIcon, SegmentsIcon } from "../parts/icons.tsx";
import { ListSearch } from "../parts/list_search.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { useShortcut } from "../parts/shortcuts.ts";
import { Sparkline } from "../parts/sparkline.tsx";
import { Empty, Loaded, NoMatch } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { type Column, VirtualTable } from "../parts/virtual_table.tsx";
import { useUrlState } from "../place.ts";
import { useApi } from "../queries.ts";
import classes from "./segments/segments.module.css";

const ROW_HEIGHT = 60;

/** `/segments`. */
export default function SegmentsPage() {
  const segments = useApi("GET /segments", {});
  const [, navigate] = useLocation();
  useShortcut("n", "New segment", () => navigate("/segments/new"));
  const create = (
    <Button component={Link} href="/segments/new" leftSection={<AddIcon size={16} />}>
      New segment
    </Button>
  );
  return (
    <div className={classes.list}>
      <PageHeader
        title="Segments"
        count={segments.data?.length}
        about="Named groups of contacts, for campaigns and workflows."
        actions={segments.data?.length ? create : null}
      />
      <Loaded query={segments}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon={SegmentsIcon} title="No segment yet" action={create}>
              Define a group, such as “ordered in the last 30 days”. Contacts who match become members
              automatically.
            </Empty>
          ) : (
            <List all={all} />
          )
        }
      </Loaded>
    </div>
  );
}

function List({ all }: { all: Segment[] }) {
  const [{ search }, set] = useUrlState({ search: "" });
  const [, navigate] = useLocation();
  const { vocabulary } = useVocabulary(all);
  const { data: sizes } = useApi("GET /segments/sizes", {});
  const columns = useMemo(() => columnsOf(vocabulary, sizes), [vocabulary, sizes]);
  const shown = all.filter(({ name, description }) =>
    `${name} ${description ?? ""}`.toLowerCase().includes(search.toLowerCase()),
  );
  const look = (next: string) => set({ search: next }, { replace: true });
  return (
    <>
      <ListSearch className={classes.search!} label="Search segments" value={search} onChange={look} />
      {shown.length === 0 ? (
        <NoMatch title="No segment matches" clear={() => look("")}>
          Nothing has “{search}” in its name or description.
        </NoMatch>
      ) : (
        <VirtualTable
          label="Segments"
          columns={columns}
          rows={shown}
          idOf={({ id }) => id}
          total={shown.length}
          rowHeight={ROW_HEIGHT}
          open={({ id }) => navigate(`/segments/${id}`)}
        />
      )}
    </>
  );
}

function columnsOf(vocabulary: Vocabulary | null, sizes: SegmentSizes | undefined): Column<Segment>[] {
  const sizesOf = new Map(sizes?.segments.map(({ id, members }) => [id, members]));
  return [
    {
      key: "name",
      header: "Segment",
      width: "minmax(0, 3fr)",
      cell: (segment) => (
        <>
          <Link href={`/segments/${segment.id}`} className={classes.name!}>
            {segment.name}
          </Link>
          <span className={classes.second}>{aboutOf(segment, vocabulary)}</span>
        </>
      ),
    },
    {
      key: "kind",
      header: "Kind",
      width: "7rem",
      isWideOnly: true,
      cell: ({ type }) => KINDS[type],
    },
    {
      key: "events",
      header: "Joining and leaving",
      width: "9rem",
      isWideOnly: true,
      cell: ({ trackMembership }) =>
        trackMembership ? "Recorded" : <span className={classes.faded}>–</span>,
    },
    {
      key: "changed",
      header: "Changed",
      width: "8rem",
      isWideOnly: true,
      cell: ({ updatedAt }) => (
        <span className={classes.faded}>
          <Time at={updatedAt} />
        </span>
      ),
    },
    {
      key: "size",
      header: "Last 30 days",
      width: "6.5rem",
      isWideOnly: true,
      cell: ({ id }) =>
        sizes && <Sparkline values={sizesOf.get(id) ?? []} label="Members" period="30 days" />,
    },
    {
      key: "members",
      header: "Members",
      width: "6rem",
      align: "right",
      cell: ({ memberCount }) => (
        <span aria-label={formatCount(memberCount, "member")}>{formatNumber(memberCount)}</span>
      ),
    },
  ];
}

/** The two kinds of segments in words. */
const KINDS: Record<Segment["type"], string> = { DYNAMIC: "Condition", STATIC: "List" };

function aboutOf({ description, type, condition }: Segment, vocabulary: Vocabulary | null): string {
  if (description) return description;
  if (type === "STATIC") return "A list that you manage yourself.";
  return (vocabulary && sentence(condition, vocabulary)) ?? "";
}
