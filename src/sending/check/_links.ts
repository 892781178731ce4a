// Asks for the links and images of a mail, as a recipient's browser would. They are somebody else's servers, chosen by
// somebody else: public addresses only, few at a time, fewer of one host, and not for long.
import type { MailReference } from "../../content/references.ts";
import type { Context } from "../../context.ts";
import { guardOf } from "../../guard.ts";
import { type GuardedAnswer, guardedRequest } from "../../net/guarded_request.ts";
import { VERSION } from "../../version.ts";
import { type CampaignCheck, count, type FaultyLink } from "./_check.ts";

/** How many different addresses one check asks for. */
export const MAX_VISITED = 100;
/** For one address, both ways of asking together. */
export const VISIT_MS = 5_000;
/** For all of them. */
export const VISITS_MS = 15_000;
const AT_ONCE = 6;
const OF_ONE_HOST = 2;
/** As many as browsers follow is no use: each costs a recipient time. */
const MAX_REDIRECTS = 10;
const MAX_LISTED = 50;

/** What is not a web address, but is fine. */
const OTHER_WAYS = /^\s*(?:mailto|tel|sms|cid|data|geo|facetime|whatsapp|tg):/i;

/** How long a check may take. */
export interface Patience {
  visitMs?: number;
  visitsMs?: number;
  /** Of the spam filter. */
  spamMs?: number;
}

type Fault = Pick<FaultyLink, "level" | "reason">;

/** Looks at every link and image, and asks for those that are the same for all recipients. */
export async function checkLinks(
  ctx: Context,
  projectId: string,
  references: readonly MailReference[],
  patience: Patience = {},
): Promise<CampaignCheck> {
  const looked = references.filter(({ isOwnPage, written }) => !isOwnPage && !OTHER_WAYS.test(written));
  const skipped = [...new Set(looked.filter((one) => one.hasExpressions).map(({ written }) => written))];
  const known = looked.filter(({ hasExpressions }) => !hasExpressions);
  const wrong = known.flatMap((reference) => faultOf(reference) ?? []);
  const asked = new Map<string, MailReference>();
  for (const reference of known) {
    const address = addressOf(ctx, reference);
    if (address !== null && !asked.has(address)) asked.set(address, reference);
  }
  const targets = [...asked.keys()].slice(0, MAX_VISITED);
  const faults = await visitAll(ctx, projectId, targets, patience);
  const links = [
    ...distinct(wrong),
    ...[...faults].flatMap(([address, fault]) =>
      fault ? [{ ...named(asked.get(address)!), ...fault }] : [],
    ),
  ];
  return toCheck({ links, visited: faults.size, unvisited: asked.size - faults.size, skipped });
}

interface Found {
  links: FaultyLink[];
  visited: number;
  unvisited: number;
  skipped: string[];
}

function toCheck({ links, visited, unvisited, skipped }: Found): CampaignCheck {
  const errors = links.filter(({ level }) => level === "ERROR").length;
  const level = errors > 0 ? "ERROR" : links.length > 0 || unvisited > 0 ? "WARNING" : "OK";
  const said = [
    outcomeOf(links.length, visited),
    ...(skipped.length > 0 ? [`${count(skipped.length, "link")} with variables could not be tried.`] : []),
    ...(unvisited > 0
      ? [`${unvisited.toLocaleString("en")} more were not tried: they are too many, or took too long.`]
      : []),
  ];
  const details = {
    links: links.toSorted((a, b) => a.level.localeCompare(b.level)).slice(0, MAX_LISTED),
    visited,
    unvisited,
    skipped: skipped.slice(0, MAX_LISTED),
  };
  return { id: "LINKS", title: "Links and images", field: "body", level, message: said.join(" "), details };
}

function outcomeOf(faults: number, visited: number): string {
  if (faults === 1) return "One link or image may not work: open it yourself, and fix or remove it.";
  if (faults > 1) {
    return `${faults.toLocaleString("en")} links or images may not work: open them yourself, and fix or remove them.`;
  }
  if (visited === 0) return "There was nothing to try.";
  return visited === 1 ? "The one that was tried works." : `All ${visited} that were tried work.`;
}

function named({ written, kind }: MailReference) {
  return { url: written.slice(0, 2_000), kind };
}

function distinct(links: FaultyLink[]): FaultyLink[] {
  return [...new Map(links.map((link) => [`${link.kind} ${link.url}`, link])).values()];
}

/** What is wrong with an address that nobody has to ask for. */
function faultOf(reference: MailReference): FaultyLink | null {
  const { written, target, kind } = reference;
  const address = written.trim();
  if (target !== null || (address.startsWith("#") && address !== "#")) return null;
  if (address === "" || address === "#") {
    return {
      ...named(reference),
      level: "WARNING",
      reason: kind === "image" ? "it has no address" : "it leads nowhere",
    };
  }
  return {
    ...named(reference),
    level: "ERROR",
    reason: "it is not a complete address: write it with https://",
  };
}

/** What to ask for; null for what is our own, or none. */
function addressOf(ctx: Context, { target }: MailReference): string | null {
  const url = target === null ? null : URL.parse(target);
  if (!url || url.origin === new URL(ctx.config.BASE_URL).origin) return null;
  url.hash = "";
  return url.href;
}

/** What is wrong with each address, null if nothing is; those are missing that there was no time for. */
async function visitAll(
  ctx: Context,
  projectId: string,
  addresses: string[],
  { visitMs = VISIT_MS, visitsMs = VISITS_MS }: Patience,
): Promise<Map<string, Fault | null>> {
  const endsAt = performance.now() + visitsMs;
  const waiting = [...addresses];
  const busy = new Map<string, number>();
  const found = new Map<string, Fault | null>();
  // A worker that finds every host busy may stop: those that are running take the rest.
  const work = async () => {
    for (;;) {
      const next = waiting.findIndex((address) => (busy.get(hostOf(address)) ?? 0) < OF_ONE_HOST);
      const leftMs = endsAt - performance.now();
      if (next === -1 || leftMs <= 0) return;
      const [address] = waiting.splice(next, 1) as [string];
      const host = hostOf(address);
      busy.set(host, (busy.get(host) ?? 0) + 1);
      found.set(address, await visit(ctx, projectId, address, Math.min(visitMs, leftMs)));
      busy.set(host, busy.get(host)! - 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

function hostOf(address: string): string {
  return new URL(address).host;
}

/** Asks for the head; if that is refused, as some servers do, for the page, of which nothing but the head is read. */
async function visit(ctx: Context, projectId: string, url: string, visitMs: number): Promise<Fault | null> {
  const endsAt = performance.now() + visitMs;
  const ask = async (method: string): Promise<GuardedAnswer> =>
    await guardedRequest(
      {
        method,
        url,
        headers: { accept: "*/*", "user-agent": `Postrider/${VERSION} (check of links)` },
        body: null,
      },
      {
        ...guardOf(ctx),
        timeoutMs: Math.max(1, Math.round(endsAt - performance.now())),
        maxRedirects: MAX_REDIRECTS,
        headOnly: true,
      },
    );
  const first = await ask("HEAD");
  const isDone = first.state === "refused" || (first.state === "answered" && first.status < 400);
  const answer = isDone || performance.now() >= endsAt ? first : await ask("GET");
  if (answer.state === "refused" && answer.finding) {
    ctx.log.warn("a link must not be asked for", { projectId, ...answer.finding });
  }
  return judge(answer);
}

function judge(answer: GuardedAnswer): Fault | null {
  if (answer.state !== "answered") return { level: "ERROR", reason: answer.reason };
  const { status } = answer;
  if (status < 400) return null;
  if (status === 404 || status === 410) return { level: "ERROR", reason: `it is not there (${status})` };
  if (status >= 500) return { level: "WARNING", reason: `its server has a problem (${status})` };
  return { level: "WARNING", reason: `it is closed to us (${status}), and perhaps to recipients` };
}
