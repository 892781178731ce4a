// A campaign that is not sent yet.
import { Button } from "@mantine/core";
import { formatNumber } from "../../parts/format.ts";
import { PageHeader } from "../../parts/page_header.tsx";
import { Fact, Facts, Section, Sections } from "../../parts/section.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useApi } from "../../queries.ts";
import { useCampaignActions } from "../campaigns/actions.tsx";
import { audienceOf, momentOf } from "../campaigns/words.ts";
import type { Stored } from "./stored.ts";

export default function Compose({ stored: { answer: campaign } }: { stored: Stored }) {
  const { data: segments } = useApi("GET /segments", {}, { staleTime: 60_000 });
  const { duplicate } = useCampaignActions();
  const { verb, at } = momentOf(campaign);
  return (
    <>
      <PageHeader
        title={campaign.name}
        back={{ label: "Campaigns", to: "/campaigns" }}
        badge={<Status status={campaign.status} />}
        about={
          <>
            {verb} <Time at={at} />
          </>
        }
        actions={
          <Button variant="default" onClick={() => void duplicate(campaign)}>
            Duplicate
          </Button>
        }
      />
      <Sections>
        <Section title="What it is">
          <Facts>
            <Fact name="Subject">{campaign.subject}</Fact>
            <Fact name="Sender">{campaign.from}</Fact>
            <Fact name="Audience">
              {audienceOf(campaign, new Map(segments?.map(({ id, name }) => [id, name])))}
            </Fact>
            <Fact name="Recipients">{formatNumber(campaign.totalRecipients)}</Fact>
          </Facts>
        </Section>
      </Sections>
    </>
  );
}
