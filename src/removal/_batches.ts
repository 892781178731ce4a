// How each table of a project is emptied, batch by batch.
import { endBilling } from "../accounts/billing/mod.ts";
import { deleteContacts } from "../audience/contacts/deletion.ts";
import { removeUploads } from "../content/images/mod.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";
import type { Queries } from "../db/queries.gen.ts";

type Reset = NonNullable<Awaited<ReturnType<Queries["removals"]["reset"]>>>;

/** Tables whose rows are removed in the order of their ids, up to one of them. */
type Ordered = Exclude<keyof Reset, "askedAt" | "version">;

/** What is removed of a project: of these tables the rows up to an id, or none. */
export interface Extent extends Record<Ordered, string | null> {
  projectId: string;
  /** When the reset was asked for; null for a deletion. */
  askedAt: Date | null;
}

/** Some rows: after a place, up to a number. */
export interface Batch {
  extent: Extent;
  after: string;
  limit: number;
}

/** What happened to a batch. `lastId` is where the next one begins; null when there is none. */
export interface Removed {
  removed: number;
  lastId: string | null;
}

/** How a table is emptied. */
export interface RemovalStep {
  /** The table, or its substitute. */
  name: string;
  /** Where the first batch begins. */
  first: string;
  /** Not in a transaction, and so not in the last one either. */
  isApart?: boolean;
  remove(tx: Context, batch: Batch): Promise<Removed>;
}

const LEAST = "00000000-0000-0000-0000-000000000000";
const GREATEST = "ffffffff-ffff-ffff-ffff-ffffffffffff";
const NOTHING: Removed = { removed: 0, lastId: null };

type ById = (
  tx: Context,
  args: { projectId: string; after: string; upTo: string; limit: number },
) => Promise<{ id: string }[]>;

function byId(name: string, table: Ordered, remove: ById): RemovalStep {
  return {
    name,
    first: LEAST,
    async remove(tx, { extent, after, limit }) {
      const upTo = extent[table];
      if (upTo === null) return NOTHING;
      return removedOf(
        (await remove(tx, { projectId: extent.projectId, after, upTo, limit })).map((row) => row.id),
      );
    },
  };
}

/** The keys in no order. */
function removedOf(keys: string[]): Removed {
  return {
    removed: keys.length,
    lastId: keys.reduce((last: string | null, key) => (last !== null && last > key ? last : key), null),
  };
}

/** Their history and waits go with them, by the trigger `executions_removed`. */
export const executions = byId("executions", "executions", q.projectRows.executions);
export const workflows = byId("workflows", "workflows", q.projectRows.workflows);
export const templates = byId("templates", "templates", q.projectRows.templates);
export const emails = byId("emails", "emails", q.projectRows.emails);
export const contents = byId("contents", "contents", q.projectRows.contents);
export const campaigns = byId("campaigns", "campaigns", q.projectRows.campaigns);
export const imports = byId("contact_imports", "contactImports", q.projectRows.contactImports);
export const bulkJobs = byId("bulk_jobs", "bulkJobs", q.projectRows.bulkJobs);
/** The trigger `events_count_removed` takes them out of the counters. */
export const events = byId("events", "events", q.projectRows.events);
export const segments = byId("segments", "segments", q.projectRows.segments);
export const suppressions = byId("suppressions", "suppressions", q.projectRows.suppressions);

export const contacts: RemovalStep = {
  name: "contacts",
  first: LEAST,
  async remove(tx, { extent, after, limit }) {
    const { projectId, contacts: upTo, segments: upToSegment } = extent;
    if (upTo === null) return NOTHING;
    const rows = await q.projectRows.contacts(tx, { projectId, after, upTo, limit });
    const contactIds = rows.map((row) => row.id);
    if (upToSegment !== null)
      await q.projectRows.segmentMembers(tx, { projectId, contactIds, segments: upToSegment });
    await deleteContacts(tx, projectId, contactIds);
    return removedOf(contactIds);
  },
};

export const candidates: RemovalStep = {
  name: "segment_candidates",
  first: LEAST,
  async remove(tx, { extent, limit }) {
    const { projectId, contacts: upTo } = extent;
    if (upTo === null) return NOTHING;
    const rows = await q.projectRows.segmentCandidates(tx, { projectId, upTo, limit });
    return removedOf(rows.map((row) => row.contactId));
  },
};

export const campaignDeltas = ofCampaigns("campaign_count_deltas", q.projectRows.campaignCountDeltas);
export const campaignLinkDeltas = ofCampaigns("campaign_link_deltas", q.projectRows.campaignLinkDeltas);

type OfCampaigns = (
  tx: Context,
  args: { projectId: string; upTo: string; limit: number },
) => Promise<{ campaignId: string }[]>;

function ofCampaigns(name: string, remove: OfCampaigns): RemovalStep {
  return {
    name,
    first: LEAST,
    async remove(tx, { extent, limit }) {
      const { projectId, campaigns: upTo } = extent;
      if (upTo === null) return NOTHING;
      return removedOf((await remove(tx, { projectId, upTo, limit })).map((row) => row.campaignId));
    },
  };
}

/** Mails that an execution or a campaign has made since the reset was asked for. */
export const lateEmails: RemovalStep = {
  name: "late emails",
  first: LEAST,
  async remove(tx, { extent, after, limit }) {
    const { projectId } = extent;
    const from = later(after, extent.emails);
    return await q.projectRows.lateEmails(tx, {
      projectId,
      after: from,
      limit,
      campaigns: extent.campaigns,
      executions: extent.executions,
    });
  },
};

/** Events of mails that were being handed over when it was asked for. */
export const lateEvents: RemovalStep = {
  name: "late events",
  first: LEAST,
  async remove(tx, { extent, after, limit }) {
    if (extent.emails === null) return NOTHING;
    const from = later(after, extent.events);
    return await q.projectRows.lateEvents(tx, {
      projectId: extent.projectId,
      after: from,
      limit,
      emails: extent.emails,
    });
  },
};

export const idempotencyKeys: RemovalStep = {
  name: "idempotency_keys",
  first: "",
  async remove(tx, { extent, after, limit }) {
    const { projectId, askedAt } = extent;
    const rows = await q.projectRows.idempotencyKeys(tx, { projectId, after, askedAt: askedAt!, limit });
    return removedOf(rows.map((row) => row.key));
  },
};

/** One that is under way ends with its row. */
export const moves: RemovalStep = {
  name: "moves",
  first: LEAST,
  async remove(tx, { extent: { projectId, askedAt }, after, limit }) {
    // There are few: each batch begins at the first one that is left.
    const rows = await q.moves.dropBefore(tx, { projectId, before: askedAt, limit });
    return { removed: rows.length, lastId: rows.length > 0 ? after : null };
  },
};

/** What the inbox keeps of the mails. */
export const capturedMails: RemovalStep = {
  name: "captured_mails",
  first: LEAST,
  async remove(tx, { extent: { projectId, askedAt }, after, limit }) {
    const rows = await q.projectRows.capturedMails(tx, { projectId, after, before: askedAt, limit });
    return removedOf(rows.map((row) => row.id));
  },
};

/** What was sent to endpoints, or waits for them: the endpoints themselves stay. */
export const webhookMessages: RemovalStep = {
  name: "webhook_messages",
  first: LEAST,
  async remove(tx, { extent: { projectId, askedAt }, after, limit }) {
    const rows = await q.projectRows.webhookMessages(tx, { projectId, after, before: askedAt, limit });
    return removedOf(rows.map((row) => row.id));
  },
};

export const webhookDeliveries: RemovalStep = {
  name: "webhook_deliveries",
  first: `${LEAST} ${LEAST}`,
  async remove(tx, { extent: { projectId, askedAt }, after: place, limit }) {
    const [afterWebhook, after] = place.split(" ") as [string, string];
    const batch = { projectId, afterWebhook, after, before: askedAt, limit };
    const rows = await q.projectRows.webhookDeliveries(tx, batch);
    return removedOf(rows.map(({ webhookId, messageId }) => `${webhookId} ${messageId}`));
  },
};

export const webhookNotes: RemovalStep = {
  name: "webhook_notes",
  first: "0",
  async remove(tx, { extent: { projectId, askedAt }, limit }) {
    // There are few: each batch begins at the first one that is left.
    const rows = await q.projectRows.webhookNotes(tx, { projectId, before: askedAt, limit });
    return { removed: rows.length, lastId: rows.at(-1)?.id ?? null };
  },
};

export const requests: RemovalStep = {
  name: "requests",
  first: LEAST,
  async remove(tx, { extent: { projectId, askedAt }, after, limit }) {
    const rows = await q.projectRows.requests(tx, { projectId, after, askedAt, limit });
    return removedOf(rows.map((row) => row.id));
  },
};

export const uploads: RemovalStep = {
  name: "uploads",
  first: LEAST,
  isApart: true,
  async remove(ctx, { extent: { projectId, askedAt }, after, limit }) {
    // What came in the same millisecond was there.
    const before = askedAt && new Date(askedAt.getTime() + 1);
    const removed = await removeUploads(ctx, projectId, { before, limit });
    return { removed, lastId: removed > 0 ? after : null };
  },
};

/** Whether a project has images. */
export async function hasUploads(tx: Context, projectId: string): Promise<boolean> {
  return (await q.uploads.ofProject(tx, { projectId, before: null, limit: 1 })).length > 0;
}

export const jobs: RemovalStep = {
  name: "jobs",
  first: "0",
  isApart: true,
  remove: async (tx, { extent: { projectId }, after, limit }) =>
    await q.projectRows.jobs(tx, { projectId, after, limit }),
};

/** As long as the project is there, it may be charged. Where Stripe is away, the job fails and comes back. */
export const billing: RemovalStep = {
  name: "billing",
  first: LEAST,
  isApart: true,
  async remove(ctx, { extent: { projectId } }) {
    await endBilling(ctx, projectId);
    return NOTHING;
  },
};

/** A table of few rows, or one that has only rows left that were added in between. */
export function rest(table: string): RemovalStep {
  return {
    name: table,
    first: LEAST,
    async remove(tx, { extent: { projectId }, after, limit }) {
      const { removed } = await q.projectRows.rest(tx, { projectId, table, limit });
      return { removed, lastId: removed > 0 ? after : null };
    },
  };
}

function later(one: string, other: string | null): string {
  return other !== null && other > one ? other : one;
}

/** All of a project. */
export function everythingOf(projectId: string): Extent {
  return {
    projectId,
    askedAt: null,
    contacts: GREATEST,
    events: GREATEST,
    templates: GREATEST,
    contents: GREATEST,
    emails: GREATEST,
    segments: GREATEST,
    contactImports: GREATEST,
    bulkJobs: GREATEST,
    campaigns: GREATEST,
    suppressions: GREATEST,
    workflows: GREATEST,
    executions: GREATEST,
  };
}
