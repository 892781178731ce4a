// What happened to a campaign: while it is being sent, and from then on.
import { Alert, Button, Tabs } from "@mantine/core";
import { useLocation } from "wouter";
import type { Campaign } from "../../api.gen.ts";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { CopyIcon, InfoIcon } from "../../parts/icons.tsx";
import { PageHeader } from "../../parts/page_header.tsx";
import { PageTabs } from "../../parts/page_tabs.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useCampaignActions } from "../campaigns/actions.tsx";
import { momentOf } from "../campaigns/words.ts";
import { Content } from "./report/content.tsx";
import { Links } from "./report/links.tsx";
import { Overview } from "./report/overview.tsx";
import { Recipients } from "./report/recipients.tsx";
import { Running } from "./report/running.tsx";
import { UnsentWords } from "./report/unsent_words.tsx";
import classes from "./report/report.module.css";

const TABS = [
  { value: "overview", label: "Overview" },
  { value: "recipients", label: "Recipients" },
  { value: "links", label: "Links" },
  { value: "content", label: "Content" },
];

/** The report of a campaign that is being sent, was sent, or was cancelled. */
export default function Report({ campaign }: { campaign: Campaign }) {
  const { verb, at } = momentOf(campaign);
  return (
    <div className={classes.page}>
      <PageHeader
        title={campaign.name}
        back={{ label: "Campaigns", to: "/campaigns" }}
        badge={<Status status={campaign.status} />}
        about={
          <>
            {verb} <Time at={at} /> · {campaign.subject}
          </>
        }
        actions={<Actions campaign={campaign} />}
      />
      <UnsentWords campaign={campaign} />
      {campaign.status === "SENDING" && <Running campaign={campaign} />}
      {campaign.status === "CANCELLED" && <Cancelled campaign={campaign} />}
      <PageTabs tabs={TABS} className={classes.page}>
        <Tabs.Panel value="overview" className={classes.loose!}>
          <Overview campaign={campaign} />
        </Tabs.Panel>
        <Tabs.Panel value="recipients" className={classes.panel!}>
          <Recipients campaign={campaign} />
        </Tabs.Panel>
        <Tabs.Panel value="links" className={classes.loose!}>
          <Links campaign={campaign} />
        </Tabs.Panel>
        <Tabs.Panel value="content" className={classes.loose!}>
          <Content campaign={campaign} />
        </Tabs.Panel>
      </PageTabs>
    </div>
  );
}

function Actions({ campaign }: { campaign: Campaign }) {
  const [, navigate] = useLocation();
  const { duplicate, remove } = useCampaignActions();
  return (
    <>
      {campaign.status !== "SENDING" && (
        <Button variant="default" onClick={() => remove(campaign, () => navigate("/campaigns"))}>
          Delete
        </Button>
      )}
      <Button variant="default" leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(campaign)}>
        Duplicate
      </Button>
    </>
  );
}

/** What was sent before, and what never will be. */
function Cancelled({ campaign: { sentAt, sentCount, totalRecipients } }: { campaign: Campaign }) {
  const rest = Math.max(0, totalRecipients - sentCount);
  return (
    <Alert color="yellow" variant="light" icon={<InfoIcon size={16} />} mb="md">
      {sentAt === null
        ? "It was cancelled before it was sent: nobody got it."
        : `It was cancelled after ${formatCount(sentCount, "mail")}. The other ${formatNumber(rest)} are never sent: to reach those recipients, duplicate it and choose who gets the copy.`}
    </Alert>
  );
}
