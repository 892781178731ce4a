// The columns of the list of campaigns.
import { Menu, Progress } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { formatNumber, formatRate } from "../../parts/format.ts";
import { CloseIcon, CopyIcon, DeleteIcon, EditIcon, UndoIcon } from "../../parts/icons.tsx";
import { RowMenu } from "../../parts/menu_button.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import type { Column } from "../../parts/virtual_table.tsx";
import { useCampaignActions } from "./actions.tsx";
import classes from "./campaigns.module.css";
import type { Listed } from "./list.ts";
import { audienceOf, momentOf, progressOf } from "./words.ts";

/** `segments`: names by id. */
export function columnsOf(segments: ReadonlyMap<string, string>): Column<Listed>[] {
  return [
    {
      key: "name",
      header: "Campaign",
      width: "minmax(0, 3fr)",
      cell: (campaign) => (
        <>
          <Link href={`/campaigns/${campaign.id}`} className={classes.name!}>
            {campaign.name}
          </Link>
          <span className={classes.second}>
            <span className={classes.wide}>{campaign.subject}</span>
            <span className={classes.narrow}>
              <Status status={campaign.status} />
              <Time at={momentOf(campaign).at} />
            </span>
          </span>
        </>
      ),
    },
    {
      key: "status",
      header: "State",
      width: "7.5rem",
      isWideOnly: true,
      cell: (campaign) => <State campaign={campaign} />,
    },
    {
      key: "audience",
      header: "Audience",
      width: "minmax(0, 1.6fr)",
      isWideOnly: true,
      cell: (campaign) => audienceOf(campaign, segments),
    },
    {
      key: "when",
      header: "When",
      width: "7.5rem",
      isWideOnly: true,
      cell: (campaign) => (
        <span className={classes.faded}>
          <Time at={momentOf(campaign).at} />
        </span>
      ),
    },
    {
      key: "recipients",
      header: "Recipients",
      width: "6rem",
      align: "right",
      isWideOnly: true,
      cell: ({ totalRecipients }) => formatNumber(totalRecipients),
    },
    {
      key: "opened",
      header: "Opened",
      width: "4.5rem",
      align: "right",
      cell: ({ openedCount, sentCount }) => formatRate(openedCount / sentCount),
    },
    {
      key: "clicked",
      header: "Clicked",
      width: "4.5rem",
      align: "right",
      isWideOnly: true,
      cell: ({ clickedCount, sentCount }) => formatRate(clickedCount / sentCount),
    },
    {
      key: "more",
      header: "",
      width: "2rem",
      cell: (campaign) => (
        <RowMenu label={`More for ${campaign.name}`}>
          <Acts campaign={campaign} />
        </RowMenu>
      ),
    },
  ];
}

function State({ campaign }: { campaign: Listed }) {
  const { done, total } = progressOf(campaign);
  return (
    <>
      <Status status={campaign.status} />
      {campaign.status === "SENDING" && (
        <Progress
          mt={4}
          size={4}
          value={(done / Math.max(1, total)) * 100}
          aria-label={`${campaign.name}: ${formatNumber(done)} of ${formatNumber(total)} processed`}
        />
      )}
    </>
  );
}

/** What can be done with a campaign. */
function Acts({ campaign }: { campaign: Listed }) {
  const { id, status } = campaign;
  const [, navigate] = useLocation();
  const { duplicate, unschedule, cancel, remove } = useCampaignActions();
  const isOpen = status === "DRAFT" || status === "SCHEDULED";
  return (
    <>
      {isOpen && (
        <Menu.Item leftSection={<EditIcon size={15} />} onClick={() => navigate(`/campaigns/${id}`)}>
          Edit
        </Menu.Item>
      )}
      <Menu.Item leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(campaign)}>
        Duplicate
      </Menu.Item>
      {status === "SCHEDULED" && (
        <Menu.Item leftSection={<UndoIcon size={15} />} onClick={() => void unschedule(campaign)}>
          Unschedule
        </Menu.Item>
      )}
      {status === "SENDING" ? (
        <Menu.Item color="red" leftSection={<CloseIcon size={15} />} onClick={() => cancel(campaign)}>
          Cancel sending
        </Menu.Item>
      ) : (
        status !== "SCHEDULED" && (
          <Menu.Item color="red" leftSection={<DeleteIcon size={15} />} onClick={() => remove(campaign)}>
            Delete
          </Menu.Item>
        )
      )}
    </>
  );
}
