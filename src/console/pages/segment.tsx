// One segment: its members, its condition, why somebody is in it, how its size went, and what uses it.
import { Badge, Button, Menu, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation, useParams } from "wouter";
import type { Segment } from "../api.gen.ts";
import { callForVersion } from "../api.ts";
import { CampaignsIcon, CopyIcon, DeleteIcon, MoreIcon, RefreshIcon } from "../parts/icons.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { lazyPage } from "../parts/lazy_page.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { PageTabs, usePageTab } from "../parts/page_tabs.tsx";
import { Loaded, SkeletonLines } from "../parts/states.tsx";
import { useProjectId } from "../place.ts";
import { keyOf } from "../queries.ts";
import { useRemoveSegment, useRecount } from "./segments/actions.tsx";
import { EditSegment } from "./segments/edit.tsx";
import { Explain } from "./segments/explain.tsx";
import { Members } from "./segments/members.tsx";
import classes from "./segments/segments.module.css";
import { Uses } from "./segments/uses.tsx";

// The charts are as large as all the rest.
const Size = lazyPage(() => import("./segments/size.tsx"), <SkeletonLines />);

/** `/segments/:id`. */
export default function SegmentPage() {
  const { id } = useParams<{ id: string }>();
  const projectId = useProjectId();
  const path = { id };
  const segment = useQuery({
    queryKey: [...keyOf(projectId, "GET /segments/{id}", { path }), "version"],
    queryFn: ({ signal }) => callForVersion("GET /segments/{id}", { path }, { projectId, signal }),
  });
  return (
    <Loaded query={segment}>
      {({ answer, etag }) => <Shown key={answer.id} segment={answer} etag={etag} />}
    </Loaded>
  );
}

const TABS = [
  { value: "members", label: "Members" },
  { value: "edit", label: "Edit" },
  { value: "why", label: "Why in or out" },
  { value: "size", label: "Size" },
  { value: "uses", label: "Usage" },
];

function Shown({ segment, etag }: { segment: Segment; etag: string | undefined }) {
  const [tab] = usePageTab(TABS);
  const [isEdited, setEdited] = useState(false);
  if (tab === "edit" && !isEdited) setEdited(true);
  return (
    <div className={classes.page}>
      <PageHeader
        title={segment.name}
        count={segment.memberCount}
        back={{ label: "Segments", to: "/segments" }}
        badge={<Badge color="gray">{segment.type === "STATIC" ? "List" : "Condition"}</Badge>}
        about={segment.description}
        actions={<Actions segment={segment} />}
      />
      <PageTabs tabs={TABS} className={classes.page}>
        <Tabs.Panel value="members" className={classes.panel!}>
          <Members segment={segment} />
        </Tabs.Panel>
        {/* What is being written stays, whatever else is opened. */}
        <Tabs.Panel value="edit" className={classes.loose!} keepMounted>
          {isEdited && <EditSegment segment={segment} etag={etag} />}
        </Tabs.Panel>
        <Tabs.Panel value="why" className={classes.loose!}>
          <Explain segment={segment} />
        </Tabs.Panel>
        <Tabs.Panel value="size" className={classes.loose!}>
          <Size segment={segment} />
        </Tabs.Panel>
        <Tabs.Panel value="uses" className={classes.loose!}>
          <Uses segment={segment} />
        </Tabs.Panel>
      </PageTabs>
    </div>
  );
}

function Actions({ segment }: { segment: Segment }) {
  const [, navigate] = useLocation();
  const remove = useRemoveSegment(segment);
  const { recount, isCounting } = useRecount(segment);
  return (
    <>
      <MenuButton
        button={(opener) => (
          <Button {...opener} variant="default" leftSection={<MoreIcon size={16} />}>
            More
          </Button>
        )}
      >
        <Menu.Item
          leftSection={<CampaignsIcon size={15} />}
          onClick={() => navigate(`/campaigns/new?segment=${segment.id}`)}
        >
          New campaign
        </Menu.Item>
        <Menu.Item
          leftSection={<CopyIcon size={15} />}
          onClick={() => navigate(`/segments/new?from=${segment.id}`)}
        >
          Duplicate
        </Menu.Item>
        <Menu.Item color="red" leftSection={<DeleteIcon size={15} />} onClick={remove}>
          Delete
        </Menu.Item>
      </MenuButton>
      <Button
        variant="default"
        leftSection={<RefreshIcon size={16} />}
        onClick={recount}
        loading={isCounting}
      >
        Count again
      </Button>
    </>
  );
}
