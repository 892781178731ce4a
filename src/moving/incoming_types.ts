// What comes from another service, and what is said of it.
import { Problem } from "../problem/mod.ts";
import type { SuppressionReason } from "../sending/suppressions.ts";

/** A contact of another service. */
export interface IncomingContact {
  email: string;
  subscribed: boolean;
  data: Record<string, unknown>;
  createdAt?: string | null;
  /** Ids of the static segments that it is in. */
  lists?: string[];
  /** Why it must never get mail. */
  suppressed?: SuppressionReason | null;
}

/** A segment there: by a list, or by a condition of ours. */
export interface IncomingSegment {
  id: string;
  name: string;
  description?: string | null;
  condition: unknown;
  isStatic: boolean;
}

/** A template there. */
export interface IncomingTemplate {
  id: string;
  name: string;
  subject: string;
  body: string;
  from: string;
  fromName?: string | null;
  replyTo?: string | null;
  type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
}

/** A campaign there: a draft here. */
export interface IncomingCampaign extends IncomingTemplate {
  audienceType: "ALL" | "SEGMENT" | "FILTERED";
  segmentId?: string | null;
  audienceCondition?: unknown;
}

/** A workflow there: disabled here. */
export interface IncomingWorkflow {
  name: string;
  description?: string | null;
  eventName: string;
  allowReentry: boolean;
  steps: {
    id: string;
    type: string;
    name: string;
    position?: unknown;
    config: unknown;
    templateId: string | null;
  }[];
  transitions: { from: string; to: string; branch: string | null; priority: number }[];
}

/** Another service, as it is read. */
export interface IncomingSource {
  name: string;
  segments(): Promise<IncomingSegment[]>;
  contacts(): AsyncIterable<IncomingContact[]>;
  /** Addresses in a static segment, where contacts do not name their lists. */
  members(segmentId: string): AsyncIterable<string[]>;
  suppressions(): AsyncIterable<{ email: string; reason: SuppressionReason }[]>;
  templates(): Promise<IncomingTemplate[]>;
  campaigns(): Promise<IncomingCampaign[]>;
  workflows(): Promise<IncomingWorkflow[]>;
  /** What it has that has no place here. */
  leftOut: { what: string; why: string }[];
}

/** What came of an import, or of its dry run. */
export interface IncomingReport {
  from: string;
  /** Nothing was changed: this is what would happen. */
  dryRun: boolean;
  contacts: { read: number; created: number; changed: number; unsubscribed: number; refused: number };
  suppressions: number;
  /** Of each how many were created, and how many are here already. */
  segments: Tally;
  templates: Tally;
  campaigns: Tally;
  workflows: Tally;
  /** The first 200. */
  leftOut: { what: string; why: string }[];
  leftOutTotal: number;
}

interface Tally {
  created: number;
  existing: number;
}

/** An import in progress. */
export interface Incoming {
  projectId: string;
  dryRun: boolean;
  report: IncomingReport;
  /** Ids there and here. */
  ids: Map<string, string>;
}

const MAX_LEFT_OUT = 200;

/** Notes what is left out. */
export function leaveOut({ report }: Incoming, what: string, why: string): void {
  report.leftOutTotal += 1;
  if (report.leftOut.length < MAX_LEFT_OUT) report.leftOut.push({ what, why });
}

/** Creates something, or leaves it out with the reason that it was refused for. */
export async function attempt<T>(
  incoming: Incoming,
  what: string,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const fields = (error.extras.errors ?? [])
      .slice(0, 3)
      .map(({ field, message }) => `${field}: ${message}`);
    leaveOut(incoming, what, [error.message, ...fields].join("; "));
    return null;
  }
}

/** `value` with the ids of there replaced by those of here. */
export function translated<T>({ ids }: Incoming, value: T): T {
  if (value === null || value === undefined) return value;
  const text = JSON.stringify(value).replace(UUID, (id) => ids.get(id) ?? id);
  return JSON.parse(text) as T;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
