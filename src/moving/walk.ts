// Everything of another service, step by step and page by page. Each chunk of a page is a commit with the place behind it, so
// that whoever goes on from that place brings nothing twice.
import { isConflict, isDatabaseAway, isTimeout } from "../database_errors.ts";
import type { Context } from "../context.ts";
import { Problem } from "../problem/mod.ts";
import { takeContacts, takeMembers, takeSuppressions } from "./_incoming_contacts.ts";
import { takeCampaign, takeSegment, takeTemplate, takeWorkflow } from "./_incoming_content.ts";
import {
  type Incoming,
  type IncomingCampaign,
  type IncomingSegment,
  type IncomingSource,
  type IncomingTemplate,
  type IncomingWorkflow,
  type Omission,
  type Page,
  SourceFault,
} from "./incoming_types.ts";

/**
 * What is read, in this order. Lists come first, so that contacts find them; suppressions before the contacts, so that none of
 * them gets a mail that goes out meanwhile; conditions are counted once the contacts are here.
 */
export const STEPS = [
  "lists",
  "suppressions",
  "contacts",
  "members",
  "segments",
  "templates",
  "campaigns",
  "workflows",
] as const;

export type IncomingStep = (typeof STEPS)[number];

/** How far an import has come: of this page, some items are in. */
export interface Place {
  step: IncomingStep | "end";
  page: string | null;
  done: number;
}

/** Where it begins. */
export const START: Place = { step: "lists", page: null, done: 0 };

/** Where an import is kept. */
export interface Journal {
  /** Ids there of the static segments that came so far, in an order that stays. */
  lists(): string[];
  /**
   * Does the work in a transaction, and notes in the same one what it came to and the place behind it. Throws
   * {@linkcode NotOurs} where the import is no longer at `from`.
   */
  commit(from: Place, to: Place, work: (tx: Context, incoming: Incoming) => Promise<void>): Promise<void>;
}

/** The import has been taken further by another process, or has ended. */
export class NotOurs extends Error {}

/** Contacts, members and addresses of a commit; of everything else it is one. */
const CHUNK = 500;
/** A hundred contacts each, that is 20 million. */
export const MAX_PAGES = 200_000;

/** Takes in everything from a place on, and pauses after each page. */
export async function* takeAll(
  ctx: Context,
  source: IncomingSource,
  journal: Journal,
  begin: Place,
): AsyncGenerator<void> {
  let place = begin;
  const go = async (to: Place, work: (tx: Context, incoming: Incoming) => Promise<void>) => {
    const from = place;
    const found = source.leftOut.length;
    await journal.commit(from, to, async (tx, incoming) => {
      if (from.step === START.step && from.page === null && from.done === 0)
        incoming.leftOut.push(...source.remarks);
      incoming.leftOut.push(...source.leftOut.slice(0, found));
      await work(tx, incoming);
    });
    source.leftOut.splice(0, found);
    place = to;
  };
  while (place.step !== "end") {
    const step: IncomingStep = place.step;
    const next: Place = { step: STEPS[STEPS.indexOf(step) + 1] ?? "end", page: null, done: 0 };
    for await (const page of pagesOf(source, journal, step, place.page)) {
      const isRepeated: boolean = page.next !== null && page.next === place.page;
      if (isRepeated)
        throw new SourceFault(`Cannot read ${source.name}: the same page of ${step} comes again and again`);
      const behind: Place = page.next === null ? next : { step, page: page.next, done: 0 };
      await takePage(ctx, step, page.items, () => place, behind, go);
      yield;
      if (place.step !== step) break;
    }
    if (place.step === step) await go(next, async () => {});
  }
}

type Go = (to: Place, work: (tx: Context, incoming: Incoming) => Promise<void>) => Promise<void>;

/** What is left of a page, chunk by chunk. */
async function takePage(
  ctx: Context,
  step: IncomingStep,
  items: unknown[],
  at: () => Place,
  behind: Place,
  go: Go,
): Promise<void> {
  const size = step === "contacts" || step === "suppressions" || step === "members" ? CHUNK : 1;
  do {
    const place = at();
    const chunk = items.slice(place.done, place.done + size);
    const done = place.done + chunk.length;
    await takeChunk(ctx, step, chunk, place, done >= items.length ? behind : { ...place, done }, go);
  } while (at().step === step && at() !== behind);
}

/** A chunk in a commit. Where something in it cannot be used, that is found by halves, and left out. */
async function takeChunk(
  ctx: Context,
  step: IncomingStep,
  items: unknown[],
  place: Place,
  to: Place,
  go: Go,
): Promise<void> {
  try {
    await go(to, async (tx, incoming) => {
      for (const part of groupsOf(step, items)) await TAKE[step](tx, incoming, part as never[]);
    });
  } catch (error) {
    if (error instanceof NotOurs || isDatabaseAway(error) || isConflict(error) || isTimeout(error))
      throw error;
    if (items.length === 0) throw error;
    if (items.length > 1) {
      const half = Math.ceil(items.length / 2);
      const middle = { ...place, done: place.done + half };
      await takeChunk(ctx, step, items.slice(0, half), place, middle, go);
      await takeChunk(ctx, step, items.slice(half), middle, to, go);
      return;
    }
    const left = { what: titleOf(step, items[0]), why: reasonOf(ctx, error) };
    await go(to, async (_tx, incoming) => {
      if (step === "contacts") {
        incoming.counts.contacts.read += 1;
        incoming.counts.contacts.refused += 1;
      }
      incoming.leftOut.push(left);
    });
  }
}

/** A member of a static segment, by the ids there. */
interface Member {
  list: string;
  email: string;
}

/** What is taken in together: of members, those of one segment. */
function groupsOf(step: IncomingStep, items: unknown[]): unknown[][] {
  if (step !== "members") return items.length === 0 ? [] : [items];
  return [...Map.groupBy(items as Member[], ({ list }) => list).values()];
}

const TAKE: Record<IncomingStep, (tx: Context, incoming: Incoming, items: never[]) => Promise<void>> = {
  lists: (tx, incoming, [segment]: IncomingSegment[]) => takeSegment(tx, incoming, segment!),
  suppressions: takeSuppressions,
  contacts: takeContacts,
  members: (tx, incoming, members: Member[]) =>
    takeMembers(
      tx,
      incoming,
      members[0]!.list,
      members.map(({ email }) => email),
    ),
  segments: (tx, incoming, [segment]: IncomingSegment[]) => takeSegment(tx, incoming, segment!),
  templates: (tx, incoming, [template]: IncomingTemplate[]) => takeTemplate(tx, incoming, template!),
  campaigns: (tx, incoming, [campaign]: IncomingCampaign[]) => takeCampaign(tx, incoming, campaign!),
  workflows: (tx, incoming, [workflow]: IncomingWorkflow[]) => takeWorkflow(tx, incoming, workflow!),
};

/** The pages of a step from a place on. */
function pagesOf(
  source: IncomingSource,
  journal: Journal,
  step: IncomingStep,
  from: string | null,
): AsyncIterable<Page<unknown>> {
  if (step === "members") return membersOf(source, journal.lists(), from);
  return source[step]?.(from) ?? nothing();
}

async function* nothing(): AsyncGenerator<Page<never>> {}

/** One list after the other. The place is the list and its page. */
async function* membersOf(
  source: IncomingSource,
  lists: string[],
  from: string | null,
): AsyncGenerator<Page<Member>> {
  if (!source.members) return;
  const [begun, page] = from === null ? [null, null] : (JSON.parse(from) as [string, string | null]);
  const place = (list: string | undefined, at: string | null) =>
    list === undefined ? null : JSON.stringify([list, at]);
  const first = begun === null ? 0 : lists.indexOf(begun);
  for (const [n, list] of lists.entries()) {
    if (n < first) continue;
    for await (const { items, next } of source.members(list, list === begun ? page : null)) {
      const members = items.map((email) => ({ list, email }));
      yield { items: members, next: next === null ? place(lists[n + 1], null) : place(list, next) };
      if (next === null) break;
    }
  }
}

function titleOf(step: IncomingStep, item: unknown): string {
  const { name, email } = item as { name?: string; email?: string };
  const nouns: Record<IncomingStep, string> = {
    lists: "segment",
    suppressions: "suppression of",
    contacts: "contact",
    members: "member",
    segments: "segment",
    templates: "template",
    campaigns: "campaign",
    workflows: "workflow",
  };
  return `${nouns[step]} ${(name ?? email ?? "").slice(0, 200)}`;
}

/** Why something was refused, in words for whoever brings it. */
function reasonOf(ctx: Context, error: unknown): string {
  if (error instanceof SourceFault) return error.message;
  if (error instanceof Problem) {
    const fields = (error.extras.errors ?? [])
      .slice(0, 3)
      .map(({ field, message }) => `${field}: ${message}`);
    return [error.message, ...fields].join("; ");
  }
  ctx.log.warn("something of another service was left out", { reason: String(error).slice(0, 500) });
  return "its values cannot be stored";
}

/** What is told of something that is left out. */
export function toLine({ what, why }: Omission): Omission {
  const plain = (text: string, length: number) => text.replaceAll("\0", "").slice(0, length).toWellFormed();
  return { what: plain(what, 300), why: plain(why, 1_000) };
}
