// Which links were followed: as a list, and over the mail itself.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Campaign, CampaignLink } from "../../../api.gen.ts";
import { call } from "../../../api.ts";
import { formatNumber, formatRate } from "../../../parts/format.ts";
import { MailFrame } from "../../../parts/mail_frame.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { Loaded, SkeletonLines } from "../../../parts/states.tsx";
import { useProjectId } from "../../../place.ts";
import { keyOf, useApi } from "../../../queries.ts";
import { withClicks } from "./click_map.ts";
import classes from "./report.module.css";

const SENDING_MS = 10_000;

export function Links({ campaign }: { campaign: Campaign }) {
  const { id, status } = campaign;
  const links = useApi(
    "GET /campaigns/{id}/links",
    { path: { id } },
    { refetchInterval: status === "SENDING" ? SENDING_MS : false },
  );
  return (
    <Loaded query={links}>
      {(found) => (
        <div className={classes.columns}>
          <Panel title="Links by clicks">
            <LinkTable links={found} clickers={campaign.clickedCount} />
          </Panel>
          <Panel title="Where in the mail">
            <ClickMap campaign={campaign} links={found} />
          </Panel>
        </div>
      )}
    </Loaded>
  );
}

function LinkTable({ links, clickers }: { links: CampaignLink[]; clickers: number }) {
  if (links.length === 0) {
    return (
      <p className={classes.quiet}>
        Nobody has followed a link yet. Clicks of filters and mail programs do not count.
      </p>
    );
  }
  return (
    <table className={classes.linkTable}>
      <thead>
        <tr>
          <th scope="col">Link</th>
          <th scope="col">Clicks</th>
          <th scope="col" title="Those whose first click was on this link">
            First
          </th>
        </tr>
      </thead>
      <tbody>
        {links.map(({ link, clicks, firstClicks }) => (
          <tr key={link}>
            <td>
              <a href={link} target="_blank" rel="noreferrer" title={link}>
                {shortened(link)}
              </a>
            </td>
            <td>{formatNumber(clicks)}</td>
            <td title={`${formatNumber(firstClicks)} recipients`}>{formatRate(firstClicks / clickers)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Without what every address begins with. */
function shortened(link: string): string {
  return link.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "");
}

/** The mail, with the clicks written at each link. */
function ClickMap({ campaign: { id, subject }, links }: { campaign: Campaign; links: CampaignLink[] }) {
  const projectId = useProjectId();
  const path = { id };
  const preview = useQuery({
    queryKey: keyOf(projectId, "POST /campaigns/{id}/preview", { path }),
    queryFn: ({ signal }) => call("POST /campaigns/{id}/preview", { path, body: {} }, { projectId, signal }),
    staleTime: Infinity,
  });
  const html = preview.data?.html;
  const marked = useMemo(() => html && withClicks(html, links), [html, links]);
  return (
    <Loaded query={preview} skeleton={<SkeletonLines count={8} />}>
      {() => (
        <div className={classes.frame}>
          <MailFrame html={marked ?? ""} title={`Clicks in: ${subject}`} />
        </div>
      )}
    </Loaded>
  );
}
