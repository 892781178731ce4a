// Everything that is known of a mail, with what it belongs to and the ids to copy.
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { Email } from "../../api.gen.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { formatNumber } from "../../parts/format.ts";
import { Time } from "../../parts/time.tsx";
import { useHasPage } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { SOURCES } from "../emails/filters.ts";
import { ROLE_WORDS } from "./recipients.tsx";
import classes from "./email.module.css";

/** Names and values, one below the other. */
export function Facts({ mail }: { mail: Email }) {
  const { id, contactId, to, toName, role, from, fromName, sourceType, type } = mail;
  const { campaignId, templateId, workflowId, resendOf, tags, scheduledFor } = mail;
  return (
    <dl className={classes.facts}>
      <Fact name={ROLE_WORDS[role]}>
        {to === null ? (
          "A deleted contact"
        ) : (
          <>
            {toName && `${toName} `}
            {contactId ? <Link href={`/contacts/${contactId}`}>{to}</Link> : to}
          </>
        )}
      </Fact>
      <Fact name="From">
        {from === null ? (
          "–"
        ) : (
          <>
            {fromName && `${fromName} `}
            {from}
          </>
        )}
      </Fact>
      <Fact name="Kind">{[SOURCE_WORDS[sourceType], type && TYPES[type]].filter(Boolean).join(", ")}</Fact>
      {campaignId && (
        <Fact name="Campaign">
          <CampaignName id={campaignId} />
        </Fact>
      )}
      {workflowId && (
        <Fact name="Workflow">
          <WorkflowName id={workflowId} />
        </Fact>
      )}
      {templateId && (
        <Fact name="Template">
          <TemplateName id={templateId} />
        </Fact>
      )}
      {tags && (
        <Fact name="Tags">
          {tags.map(({ name, value }, n) => (
            <span key={name}>
              {n > 0 && ", "}
              <Link href={`/emails?tag=${name}:${value}`}>{`${name}: ${value}`}</Link>
            </span>
          ))}
        </Fact>
      )}
      {scheduledFor && (
        <Fact name="Scheduled for">
          <Time at={scheduledFor} />
        </Fact>
      )}
      {resendOf && (
        <Fact name="Repeats">
          <Link href={`/emails/${resendOf}`}>an earlier mail</Link>
        </Fact>
      )}
      <Outcome mail={mail} />
      <Id name="Id" value={id} label="id" />
      {mail.messageId && <Id name="Message-ID" value={mail.messageId} label="Message-ID" />}
      {mail.providerId && <Id name="Provider’s id" value={mail.providerId} label="id of the provider" />}
    </dl>
  );
}

const SOURCE_WORDS: Record<keyof typeof SOURCES, string> = {
  TRANSACTIONAL: "Single mail",
  CAMPAIGN: "Campaign",
  WORKFLOW: "Workflow",
};

const TYPES: Record<NonNullable<Email["type"]>, string> = {
  TRANSACTIONAL: "transactional",
  MARKETING: "marketing",
  HEADLESS: "headless",
};

function Outcome({ mail: { attempts, opens, clicks, doubtedAt, status } }: { mail: Email }) {
  return (
    <>
      {attempts > 0 && <Fact name="Attempts">{formatNumber(attempts)}</Fact>}
      {opens > 0 && <Fact name="Opened">{formatNumber(opens)}×</Fact>}
      {clicks > 0 && <Fact name="Clicked">{formatNumber(clicks)}×</Fact>}
      {doubtedAt && status !== "IN_DOUBT" && (
        <Fact name="Was in doubt">
          <Time at={doubtedAt} />: its recipient may have it twice
        </Fact>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Id({ name, value, label }: { name: string; value: string; label: string }) {
  return (
    <Fact name={name}>
      <span className={classes.id}>
        <code>{value}</code>
        <CopyButton value={value} label={label} />
      </span>
    </Fact>
  );
}

function CampaignName({ id }: { id: string }) {
  const { data } = useApi("GET /campaigns/{id}", { path: { id } });
  return <Leading to={`/campaigns/${id}`} page="/campaigns/:id" name={data?.name} />;
}

function WorkflowName({ id }: { id: string }) {
  const { data } = useApi("GET /workflows/{id}", { path: { id } });
  return <Leading to={`/workflows/${id}`} page="/workflows/:id" name={data?.name} />;
}

function TemplateName({ id }: { id: string }) {
  const { data } = useApi("GET /templates/{id}", { path: { id } });
  return <Leading to={`/templates/${id}`} page="/templates/:id" name={data?.name} />;
}

/** A name that leads to its page. What has been deleted has neither. */
function Leading({ to, page, name }: { to: string; page: string; name: string | undefined }) {
  const hasPage = useHasPage(page);
  if (name === undefined) return <span className={classes.quiet}>–</span>;
  return hasPage ? <Link href={to}>{name}</Link> : <>{name}</>;
}
