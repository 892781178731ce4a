// What a contact was sent, newest first.
import { formatNumber } from "../../parts/format.ts";
import { More } from "../../parts/more.tsx";
import { Loaded, SkeletonLines } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useApiPages } from "../../queries.ts";
import classes from "./contact.module.css";

interface Props {
  contactId: string;
  openMail: (id: string) => void;
}

export function Mails({ contactId, openMail }: Props) {
  const query = useApiPages("GET /emails", { query: { contactId, limit: 25 } });
  return (
    <Loaded query={query} skeleton={<SkeletonLines count={5} height={28} />}>
      {() => {
        const mails = query.data!.pages.flatMap(({ data }) => data);
        if (mails.length === 0) return <p className={classes.quiet}>No mail was sent to this address yet.</p>;
        return (
          <>
            <ul className={classes.list} aria-label="Mails">
              {mails.map(({ id, subject, status, queuedAt, opens, clicks }) => (
                <li key={id}>
                  <button type="button" className={classes.mail} onClick={() => openMail(id)}>
                    <span className={classes.mailSubject}>{subject || "(no subject)"}</span>
                    <Status status={status} />
                    <span className={classes.mailCounts}>
                      {opens > 0 && `opened ${formatNumber(opens)}×`}
                      {opens > 0 && clicks > 0 && ", "}
                      {clicks > 0 && `clicked ${formatNumber(clicks)}×`}
                    </span>
                    <span className={classes.when}>
                      <Time at={queuedAt} />
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            <More query={query}>Older mails</More>
          </>
        );
      }}
    </Loaded>
  );
}
