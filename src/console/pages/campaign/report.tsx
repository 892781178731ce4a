// What became of a campaign.
import { Button, Progress } from "@mantine/core";
import { useLocation } from "wouter";
import type { Campaign } from "../../api.gen.ts";
import { formatNumber, formatShare } from "../../parts/format.ts";
import { CloseIcon, CopyIcon } from "../../parts/icons.tsx";
import { PageHeader } from "../../parts/page_header.tsx";
import { Fact, Facts, Section, Sections } from "../../parts/section.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useCampaignActions } from "../campaigns/actions.tsx";
import { momentOf, progressOf } from "../campaigns/words.ts";

/** Its counters, as they are now. */
export default function Report({ campaign }: { campaign: Campaign }) {
  const [, navigate] = useLocation();
  const { duplicate, cancel, remove } = useCampaignActions();
  const { verb, at } = momentOf(campaign);
  const { done, total } = progressOf(campaign);
  const isSending = campaign.status === "SENDING";
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
          <>
            {isSending ? (
              <Button
                variant="default"
                leftSection={<CloseIcon size={15} />}
                onClick={() => cancel(campaign)}
              >
                Stop sending
              </Button>
            ) : (
              <Button variant="default" onClick={() => remove(campaign, () => navigate("/campaigns"))}>
                Delete
              </Button>
            )}
            <Button
              variant="default"
              leftSection={<CopyIcon size={15} />}
              onClick={() => void duplicate(campaign)}
            >
              Duplicate
            </Button>
          </>
        }
      />
      {isSending && (
        <Progress
          mb="lg"
          value={(done / Math.max(1, total)) * 100}
          aria-label={`${formatNumber(done)} of ${formatNumber(total)} sent`}
        />
      )}
      <Sections>
        <Section title="What became of it">
          <Facts>
            <Fact name="Recipients">{formatNumber(campaign.totalRecipients)}</Fact>
            <Fact name="Sent">{formatNumber(campaign.sentCount)}</Fact>
            <Count name="Opened" count={campaign.openedCount} of={campaign.sentCount} />
            <Count name="Clicked" count={campaign.clickedCount} of={campaign.sentCount} />
            <Count name="Bounced" count={campaign.bouncedCount} of={campaign.sentCount} />
            <Count name="Called spam" count={campaign.complainedCount} of={campaign.sentCount} />
            <Count name="Unsubscribed" count={campaign.unsubscribedCount} of={campaign.sentCount} />
            <Fact name="Failed">{formatNumber(campaign.failedCount)}</Fact>
            {campaign.capturedCount > 0 && (
              <Fact name="Captured">{formatNumber(campaign.capturedCount)}</Fact>
            )}
          </Facts>
        </Section>
      </Sections>
    </>
  );
}

function Count({ name, count, of }: { name: string; count: number; of: number }) {
  return (
    <Fact name={name}>
      {formatNumber(count)} ({formatShare(count, of)})
    </Fact>
  );
}
