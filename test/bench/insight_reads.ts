// Every endpoint of events, activity and analytics, one request after the other: in a project that is two years old, and in
// turns with it in one of a tenth of its age.
import type { Context } from "../../src/context.ts";
import { COMMON, contactOfMail, LONG_AGO, SOME } from "./insight_facts.ts";
import type { Aged } from "./insight_setup.ts";
import { below, exactly, percentile, type Report } from "./support/report.ts";

/** Where requests go, and what they are about. */
export interface Subject extends Aged {
  port: number;
  contactIds: string[];
  /** Places all over the feed. */
  cursors: string[];
  /** The first of 731 days, which is the most that a range may have. */
  longAgo: string;
}

interface Endpoint {
  name: string;
  path(subject: Subject, n: number): string;
  body?(subject: Subject, n: number): object;
  /** A list in the answer that must not be empty, or a number above 0; "": the answer itself. */
  has?: string;
  /** What is asked for grows with the project. */
  isMore?: boolean;
}

const MIN_ROUNDS = 40;
const LIMIT_MS = 50;
const RATIO = 1.3;
/** These answers take a millisecond or two: less than this is noise. */
const SLACK_MS = 1;
const PLACES = 20;
const CONTACTS = 50;
const DAY_MS = 86_400_000;

const pick = (items: string[], n: number) => items[n % items.length]!;
const fixed = (name: string, has?: string): Endpoint => ({
  name: `GET ${name}`,
  path: () => name,
  ...(has !== undefined && { has }),
});

const ENDPOINTS: Endpoint[] = [
  fixed("/events", "events"),
  fixed(`/events?eventName=${encodeURIComponent(COMMON)}`, "events"),
  fixed(`/events?eventName=${SOME}`, "events"),
  fixed(`/events?eventName=${LONG_AGO}`, "events"),
  fixed("/events/stats", ""),
  {
    name: "GET /events/contact/:id",
    path: ({ contactIds }, n) => `/events/contact/${pick(contactIds, n)}`,
    has: "events",
  },
  fixed("/events/names", "eventNames"),
  fixed(`/events/${encodeURIComponent(COMMON)}/usage`, "uniqueContacts"),
  fixed("/activity", "data"),
  fixed("/activity?types=email.sent", "data"),
  fixed("/activity?types=event.triggered", "data"),
  fixed("/activity?types=email.complaint", "data"),
  // There is none.
  fixed("/activity?types=email.received"),
  fixed("/activity?types=campaign.sent,workflow.completed", "data"),
  {
    name: "GET /activity?contactId=",
    path: ({ contactIds }, n) => `/activity?contactId=${pick(contactIds, n)}`,
    has: "data",
  },
  {
    name: "GET /activity?cursor=, deep",
    path: ({ cursors }, n) => `/activity?cursor=${pick(cursors, n)}`,
    has: "data",
  },
  fixed("/activity/stats", "totalEvents"),
  fixed("/activity/recent-count"),
  fixed("/activity/types", "types"),
  fixed("/activity/upcoming", "activities"),
  fixed("/analytics/timeseries", ""),
  {
    name: "GET /analytics/timeseries, 24 months",
    path: ({ longAgo }) => `/analytics/timeseries?startDate=${longAgo}`,
    has: "",
    isMore: true,
  },
  fixed("/analytics/top-campaigns", ""),
  fixed("/analytics/campaign-stats", "total"),
  fixed("/analytics/top-events", ""),
  {
    name: "POST /events/track",
    path: () => "/events/track",
    body: ({ history }, n) => ({
      email: `user${(n * 7919) % history.contacts}@example.com`,
      event: "signed in",
      data: { visits: n },
    }),
    has: "success",
  },
];

/** Measures each of them. */
export async function measureReads(
  report: Report,
  aged: Subject,
  young: Subject,
  seconds: number,
): Promise<void> {
  for (const endpoint of ENDPOINTS) {
    try {
      await measure(report, endpoint, aged, young, seconds);
    } catch (error) {
      report.line(`${endpoint.name}, refused`, 1, "requests", {
        goal: exactly(0),
        note: { error: (error as Error).message },
      });
    }
  }
}

/** Whose events and where in the feed requests ask about. */
export async function subjectOf({ pool }: Context, port: number, aged: Aged): Promise<Subject> {
  const { project, history } = aged;
  const { mails, contacts } = history;
  const rows = await pool`
    select c.id
    from (
      select distinct ${pool.unsafe(contactOfMail(contacts))} as who
      from (select n::bigint * ${mails}::int / ${CONTACTS} as m from generate_series(0, ${CONTACTS - 1}::int) as n) as spread
    ) as mailed
    join contacts c on c.project_id = ${project.id} and c.email = 'user' || who || '@example.com'`;
  const longAgo = new Date(history.until.getTime() - 730 * DAY_MS).toISOString().slice(0, 10);
  const contactIds = rows.map((row) => row.id as string);
  const subject: Subject = { ...aged, port, contactIds, cursors: [], longAgo };
  const { since, until } = history;
  for (let n = 0; n < PLACES; n++) {
    const end = since.getTime() + ((until.getTime() - since.getTime()) * (n + 1)) / (PLACES + 1);
    const page = fixed(`/activity?limit=100&endDate=${new Date(end).toISOString()}`);
    const { answer } = await ask(page, subject, n);
    subject.cursors.push((answer as { cursor: string }).cursor);
  }
  return subject;
}

async function measure(
  report: Report,
  endpoint: Endpoint,
  aged: Subject,
  young: Subject,
  seconds: number,
): Promise<void> {
  const { name, has, isMore } = endpoint;
  for (const subject of [aged, young]) {
    const { answer } = await ask(endpoint, subject, 0);
    if (has !== undefined && !holds(answer, has)) {
      throw new Error(`Cannot measure an answer with nothing in it: ${JSON.stringify(answer).slice(0, 300)}`);
    }
  }
  // Statements have their plans made several times before one is kept, and that on each connection.
  await inTurns(endpoint, aged, young, seconds / 4);
  const times = await inTurns(endpoint, aged, young, seconds);
  const [old, fresh] = [percentile(times.aged, 50), percentile(times.young, 50)];
  report.line(`${name}, p95`, percentile(times.aged, 95), "ms", {
    // More than the default is asked for: that is told, and has no goal.
    ...(!isMore && { goal: below(LIMIT_MS) }),
    note: { p50: Number(old.toFixed(3)), requests: times.aged.length },
  });
  if (isMore) return;
  report.line(`${name}, p50 at ten times the age`, old, "ms", {
    ceiling: fresh,
    goal: {
      text: `<= ${RATIO}, or ${SLACK_MS} ms more`,
      isMet: (ratio) => ratio <= RATIO || old - fresh <= SLACK_MS,
    },
  });
}

async function inTurns(endpoint: Endpoint, aged: Subject, young: Subject, seconds: number) {
  const times = { aged: [] as number[], young: [] as number[] };
  const end = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < end || n < MIN_ROUNDS; n++) {
    times.aged.push((await ask(endpoint, aged, n)).ms);
    times.young.push((await ask(endpoint, young, n)).ms);
  }
  return times;
}

async function ask({ path, body }: Endpoint, subject: Subject, n: number) {
  const request: RequestInit = { headers: { authorization: `Bearer ${subject.project.secret}` } };
  if (body) {
    request.method = "POST";
    request.headers = { ...request.headers, "content-type": "application/json" };
    request.body = JSON.stringify(body(subject, n));
  }
  const url = `http://127.0.0.1:${subject.port}${path(subject, n)}`;
  const startedAt = performance.now();
  const response = await fetch(url, request);
  const text = await response.text();
  const ms = performance.now() - startedAt;
  if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 500)}`);
  return { ms, answer: JSON.parse(text) as unknown };
}

function holds(answer: unknown, has: string): boolean {
  const found = has === "" ? answer : (answer as Record<string, unknown>)[has];
  return Array.isArray(found) ? found.length > 0 : Boolean(found);
}
