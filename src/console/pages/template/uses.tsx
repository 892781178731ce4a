// Where a template is used, and what happened to its mails.
import { formatCount, formatNumber, formatRate } from "../../parts/format.ts";
import { TemplatesIcon } from "../../parts/icons.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useApi } from "../../queries.ts";
import type { TemplateUsage } from "../../api.gen.ts";
import { isHeld, UseList } from "../templates/actions.tsx";
import classes from "./template.module.css";

/** Lists what uses it, with figures. */
export function Uses({ id }: { id: string }) {
  const usage = useApi("GET /templates/{id}/usage", { path: { id } });
  return (
    <Loaded query={usage}>
      {(used) =>
        !isHeld(used) && used.emailsSent === 0 ? (
          <Empty icon={TemplatesIcon} title="Not in use yet">
            The campaigns, workflows and API calls that use it appear here, with the results of their mails.
          </Empty>
        ) : (
          <div className={classes.details}>
            {isHeld(used) && (
              <section aria-label="Used by">
                <h2 className={classes.heading}>Used by</h2>
                <UseList usage={used} />
              </section>
            )}
            <Figures usage={used} />
          </div>
        )
      }
    </Loaded>
  );
}

const OUTCOMES = [
  ["delivered", "Delivered"],
  ["opened", "Opened"],
  ["clicked", "Clicked"],
  ["bounced", "Bounced"],
  ["unsubscribed", "Unsubscribed"],
] as const;

function Figures({ usage: { emailsSent, outcomes } }: { usage: TemplateUsage }) {
  if (emailsSent === 0) return null;
  return (
    <section aria-label="Mails">
      <h2 className={classes.heading}>Mails</h2>
      <p className={classes.plain}>
        {formatCount(emailsSent, "mail")} sent
        {outcomes.lastSentAt && (
          <>
            , the last one <Time at={outcomes.lastSentAt} />
          </>
        )}
        .
      </p>
      {outcomes.sent > 0 && (
        <table className={classes.figures}>
          <caption>Of the newest {formatNumber(outcomes.sent)}, without those of campaigns</caption>
          <tbody>
            {OUTCOMES.map(([name, label]) => (
              <tr key={name}>
                <th scope="row">{label}</th>
                <td>{formatNumber(outcomes[name])}</td>
                <td>{formatRate(outcomes[name] / outcomes.sent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
