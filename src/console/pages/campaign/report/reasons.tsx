// Why mails did not arrive, in the words of the mail servers.
import { Link } from "wouter";
import type { Campaign, CampaignReason } from "../../../api.gen.ts";
import { formatCount } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { Loaded } from "../../../parts/states.tsx";
import { Status } from "../../../parts/status.tsx";
import { useApi } from "../../../queries.ts";
import { OF_STATUS, recipientsOf } from "./outcomes.ts";
import classes from "./report.module.css";

const SENDING_MS = 10_000;
const SHOWN = 8;

export function Reasons({ campaign: { id, status } }: { campaign: Campaign }) {
  const reasons = useApi(
    "GET /campaigns/{id}/reasons",
    { path: { id } },
    { refetchInterval: status === "SENDING" ? SENDING_MS : false },
  );
  return (
    <Panel title="What was not delivered, and why">
      <Loaded query={reasons}>
        {(found) =>
          found.length === 0 ? (
            <p className={classes.quiet}>Nothing so far: no mail has bounced or failed.</p>
          ) : (
            <ul className={classes.reasons}>
              {found.slice(0, SHOWN).map((reason) => (
                <Reason key={`${reason.status} ${reason.reason}`} campaignId={id} reason={reason} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Reason({ campaignId, reason }: { campaignId: string; reason: CampaignReason }) {
  const { status, mails, example, isSample } = reason;
  return (
    <li className={classes.reason}>
      <div className={classes.reasonHead}>
        <Status status={status} />
        <Link href={recipientsOf(campaignId, OF_STATUS[status]!)}>
          {formatCount(mails, "mail")}
          {isSample && " of the newest"}
        </Link>
      </div>
      <div className={classes.reasonWords} title={example}>
        {reason.reason || "No reason was given."}
      </div>
    </li>
  );
}
