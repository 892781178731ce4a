// All recipients of a message, as its header names them, each with what became of their mail.
import { Link } from "wouter";
import type { Email } from "../../api.gen.ts";
import { formatNumber } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { Loaded, SkeletonLines } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { useApi } from "../../queries.ts";
import classes from "./email.module.css";

/** As the header of a message calls them. */
export const ROLE_WORDS: Record<Email["role"], string> = { to: "To", cc: "Cc", bcc: "Bcc" };

const LIMIT = 50;

/** Nothing for a mail that names its own recipient only. */
export function Recipients({ mail: { id, parentId }, refresh }: { mail: Email; refresh: number | false }) {
  const query = useApi(
    "GET /emails",
    { query: { parentId: parentId ?? "", dir: "asc", limit: LIMIT } },
    { enabled: parentId !== null, refetchInterval: refresh },
  );
  if (parentId === null) return null;
  return (
    <Panel
      title="Recipients"
      aside={query.data && <span className={classes.quiet}>{formatNumber(query.data.total ?? 0)}</span>}
    >
      <Loaded query={query} skeleton={<SkeletonLines count={3} />}>
        {({ data, total = 0 }) => (
          <>
            <ul className={classes.recipients} aria-label="Recipients">
              {data.map((each) => (
                <Recipient key={each.id} mail={each} isShown={each.id === id} />
              ))}
            </ul>
            {total > data.length && (
              <p className={classes.quiet}>and {formatNumber(total - data.length)} more</p>
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Recipient({ mail, isShown }: { mail: Email; isShown: boolean }) {
  const { id, to, role, status, resendOf } = mail;
  const name = to ?? "A deleted contact";
  return (
    <li className={classes.recipient}>
      <span className={classes.quiet}>{ROLE_WORDS[role]}</span>
      <span className={classes.recipientName}>
        {isShown ? <strong aria-current="page">{name}</strong> : <Link href={`/emails/${id}`}>{name}</Link>}
        {resendOf && <span className={classes.quiet}> again</span>}
      </span>
      <Status status={status} />
    </li>
  );
}
