// What comes from another service, and what is said of it.
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
  /** Its entry events would start workflows here. */
  isTracked?: boolean;
}

/** A template there. */
export interface IncomingTemplate {
  id: string;
  /** What applications call it there: kept where nothing here is called so. */
  alias?: string | null;
  name: string;
  subject: string;
  body: string;
  from: string;
  fromName?: string | null;
  replyTo?: string | null;
  type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
}

/** A campaign there: a draft here. */
export interface IncomingCampaign extends Omit<IncomingTemplate, "alias"> {
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

/** Something that does not come, and why. */
export interface Omission {
  what: string;
  why: string;
}

/** Some of what there is. */
export interface Page<T> {
  items: T[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
}

/** The pages of one kind from a place on; null: from the beginning. */
export type Pages<T> = (from: string | null) => AsyncIterable<Page<T>>;

/** Another service, as it is read: page by page, so that it can be read on later from where it was left. */
export interface IncomingSource {
  name: string;
  /** Static segments. */
  lists?: Pages<IncomingSegment>;
  /** Segments by conditions. */
  segments?: Pages<IncomingSegment>;
  contacts: Pages<IncomingContact>;
  /** Addresses in a static segment; left out where contacts name their lists. */
  members?: (segmentId: string, from: string | null) => AsyncIterable<Page<string>>;
  suppressions?: Pages<{ email: string; reason: SuppressionReason }>;
  templates?: Pages<IncomingTemplate>;
  campaigns?: Pages<IncomingCampaign>;
  workflows?: Pages<IncomingWorkflow>;
  /** What is known to have no place here before anything is read. */
  remarks: Omission[];
  /** What was found to have none since somebody has emptied this. */
  leftOut: Omission[];
}

/** Why another service, or a file of it, cannot be read: words for whoever wants it. */
export class SourceFault extends Error {}

/** The same where it may go better later. */
export class TryLater extends SourceFault {
  /** After how many seconds, where it has said so. */
  readonly waitS: number | null;

  constructor(message: string, waitS: number | null) {
    super(message);
    this.waitS = waitS;
  }
}

/** How many of each came in, or would. */
export interface IncomingCounts {
  contacts: { read: number; created: number; changed: number; unsubscribed: number; refused: number };
  suppressions: number;
  /** Of each how many were created, and how many are here already. */
  segments: Tally;
  templates: Tally;
  campaigns: Tally;
  workflows: Tally;
}

interface Tally {
  created: number;
  existing: number;
}

/** What came of an import by command, or of its dry run. */
export interface IncomingReport extends IncomingCounts {
  from: string;
  /** Nothing was changed: this is what would happen. */
  dryRun: boolean;
  /** The first 200. */
  leftOut: Omission[];
  leftOutTotal: number;
}

/** An import while one chunk of it is taken in: what that came to counts once its transaction has committed. */
export interface Incoming {
  projectId: string;
  dryRun: boolean;
  /** Ids there and here, from chunks before. */
  ids: ReadonlyMap<string, string>;
  counts: IncomingCounts;
  leftOut: Omission[];
  newIds: { theirs: string; ours: string; isList: boolean }[];
}

/** Nothing yet. */
export function noCounts(): IncomingCounts {
  const none = () => ({ created: 0, existing: 0 });
  return {
    contacts: { read: 0, created: 0, changed: 0, unsubscribed: 0, refused: 0 },
    suppressions: 0,
    segments: none(),
    templates: none(),
    campaigns: none(),
    workflows: none(),
  };
}

/** Both together. `one` may lack what has not been counted yet. */
export function sumOf(one: Partial<IncomingCounts>, other: IncomingCounts): IncomingCounts {
  const sum = noCounts();
  for (const counts of [one, other]) {
    sum.suppressions += counts.suppressions ?? 0;
    for (const kind of ["contacts", "segments", "templates", "campaigns", "workflows"] as const) {
      const into = sum[kind] as unknown as Record<string, number>;
      for (const [name, count] of Object.entries(counts[kind] ?? {})) into[name]! += count as number;
    }
  }
  return sum;
}

/** `value` with the ids of there replaced by those of here. */
export function translated<T>({ ids }: Incoming, value: T): T {
  if (value === null || value === undefined) return value;
  const text = JSON.stringify(value).replace(UUID, (id) => ids.get(id) ?? id);
  return JSON.parse(text) as T;
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
