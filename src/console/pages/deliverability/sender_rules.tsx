// What mailbox providers ask of a domain, as a list to go through.
import { Button, Select } from "@mantine/core";
import { Link } from "wouter";
import type { SenderRule, SenderRules as Rules } from "../../api.gen.ts";
import { formatCount, formatDay, formatNumber } from "../../parts/format.ts";
import { Panel } from "../../parts/panel.tsx";
import { Row, Rows } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status, type Tone } from "../../parts/status.tsx";
import { useProjectId, useUrlState } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { providerName } from "./words.ts";
import classes from "./deliverability.module.css";

const TITLES: Record<SenderRule["rule"], string> = {
  SPF: "SPF: the record names who sends",
  DKIM: "DKIM: mails are signed",
  DMARC: "DMARC: there is a policy",
  ALIGNMENT: "Alignment: the sender is the one that is proved",
  ONE_CLICK_UNSUBSCRIBE: "One click unsubscribes",
  TLS: "Mail is sent over TLS",
  REVERSE_DNS: "Servers have names that lead back",
  COMPLAINT_RATE: "Few reports as spam: below 0.1 %, never 0.3 %",
};

const STATES: Record<SenderRule["state"], { tone: Tone; word: string }> = {
  OK: { tone: "fine", word: "OK" },
  WARNING: { tone: "warn", word: "To improve" },
  FAILED: { tone: "bad", word: "To do" },
  UNKNOWN: { tone: "quiet", word: "Unknown" },
};

/** The rules for one of the domains; `domain` in the address. */
export function SenderRules() {
  const projectId = useProjectId();
  const domains = useApi("GET /domains/project/{projectId}", { path: { projectId } });
  const [{ domain }, set] = useUrlState({ domain: "" });
  const all = domains.data ?? [];
  const chosen = all.find(({ id }) => id === domain) ?? all.find(({ verified }) => verified) ?? all[0];
  return (
    <Panel
      title="Rules of Google, Yahoo and Microsoft"
      aside={
        all.length > 1 && (
          <Select
            size="xs"
            aria-label="Domain"
            data={all.map(({ id, domain: label }) => ({ value: id, label }))}
            value={chosen?.id ?? null}
            onChange={(next) => next && set({ domain: next })}
            allowDeselect={false}
            searchable={all.length > 10}
          />
        )
      }
    >
      <Loaded query={domains}>
        {() => (chosen ? <RulesOf key={chosen.id} id={chosen.id} /> : <NoDomain />)}
      </Loaded>
    </Panel>
  );
}

function NoDomain() {
  return (
    <div className={classes.noDomain}>
      <p className={classes.quiet}>They apply to the domain that you send from: add yours first.</p>
      <Button component={Link} href="/domains" variant="default" size="xs">
        Add a domain
      </Button>
    </div>
  );
}

function RulesOf({ id }: { id: string }) {
  const rules = useApi("GET /deliverability/domains/{id}", { path: { id } });
  return (
    <Loaded query={rules}>
      {(data) => (
        <>
          <p className={classes.volume}>
            <Link href={`/domains/${id}`}>{data.domain}</Link>: {volumeOf(data)}
          </p>
          <Rows label={`Rules for ${data.domain}`}>
            {data.rules.map((rule) => (
              <Row
                key={rule.rule}
                name={TITLES[rule.rule]}
                badge={
                  <Status status={rule.state} tone={STATES[rule.state].tone}>
                    {STATES[rule.state].word}
                  </Status>
                }
                about={<About rule={rule} />}
              />
            ))}
          </Rows>
        </>
      )}
    </Loaded>
  );
}

function About({ rule: { detail, advice, providers, askedOf } }: { rule: SenderRule }) {
  const names = new Intl.ListFormat("en-GB").format(providers.map(providerName));
  return (
    <>
      {detail} {advice && <span className={classes.advice}>{advice} </span>}
      <span className={classes.asked}>
        Asked by {names}
        {askedOf === "BULK" ? " of bulk senders." : "."}
      </span>
    </>
  );
}

function volumeOf({ isBulkSender, busiestDay }: Rules): string {
  if (busiestDay === null)
    return "it has not sent to them in the last 30 days, and should meet their rules before it does.";
  const { provider, date, mails } = busiestDay;
  const most = `${formatCount(mails, "mail")} to ${providerName(provider)} on ${formatDay(date)}`;
  return isBulkSender
    ? `a bulk sender, with ${most}: every rule applies.`
    : `at most ${most} in the last 30 days. From ${formatNumber(5_000)} a day on, the rules for bulk senders apply, too.`;
}
