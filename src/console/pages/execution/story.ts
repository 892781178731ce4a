// An execution as a story: which way it took through its graph, and what happened to each step, in words.
import type { ExecutionWithHistory, WorkflowTrial } from "../../api.gen.ts";
import { branchName, type DrawnWay, type Marks, type StepMark, wayId } from "../../parts/canvas/graph.ts";
import { formatCount } from "../../parts/format.ts";
import type { Tone } from "../../parts/tone.ts";

/** A step that was come to. */
export type Entry = ExecutionWithHistory["stepExecutions"][number];
/** A step of a trial. */
export type TrialEntry = WorkflowTrial["path"][number];

/** A step of a way, whether it was taken or would be. */
export interface Visit {
  stepId: string;
  branch: string | null;
  tone: Tone;
}

/** What an entry has to say, as far as it is known. */
export interface Told {
  branch?: string;
  emailId?: string;
  until?: string | null;
  eventName?: string;
  event?: { name?: string };
  values?: Record<string, unknown>;
  set?: string[];
  removed?: string[];
  subscribed?: boolean;
  response?: { status?: number } | null;
  attempts?: { status?: number; error?: string }[];
  nextAttemptAt?: string;
  to?: string;
  method?: string;
  url?: string;
}

/** The output of a step, whatever its type. */
export const toldBy = ({ output }: { output?: unknown }): Told =>
  typeof output === "object" && output !== null ? (output as Told) : {};

const TONES: Record<Entry["status"], Tone> = {
  PENDING: "busy",
  RUNNING: "busy",
  WAITING: "busy",
  COMPLETED: "fine",
  FAILED: "bad",
};

/** The steps that an execution has come to. */
export const visitsOf = (entries: Entry[]): Visit[] =>
  entries.map((entry) => ({
    stepId: entry.stepId,
    branch: toldBy(entry).branch ?? null,
    tone: TONES[entry.status],
  }));

/** The steps that a contact would come to. */
export const visitsOfTrial = (path: TrialEntry[]): Visit[] =>
  path.map(({ stepId, branch, error }) => ({ stepId, branch, tone: error === null ? "fine" : "bad" }));

/** Visits as they are drawn: the steps and the ways between them stand out, and the last one says how it is. */
export function marksOf(visits: Visit[], ways: DrawnWay[]): Marks {
  const times = Map.groupBy(visits, ({ stepId }) => stepId);
  const steps = new Map<string, StepMark>();
  for (const [stepId, of] of times) {
    const { tone } = of.at(-1)!;
    const badges = of.length > 1 ? [{ label: `${of.length}×`, title: `Reached ${of.length} times` }] : [];
    if (tone === "busy") badges.push({ label: "Is here", title: "Is here now" });
    if (tone === "bad") badges.push({ label: "Failed", title: "Failed here" });
    steps.set(stepId, { tone, badges: badges.map((badge) => ({ ...badge, tone })) });
  }
  const taken = new Set(
    visits.slice(1).flatMap((visit, n) => {
      const way = wayBetween(visits[n]!, visit.stepId, ways);
      return way ? [wayId(way)] : [];
    }),
  );
  return { steps, path: { steps: new Set(times.keys()), ways: taken } };
}

/** By which way one step led to the next. */
function wayBetween({ stepId, branch }: Visit, to: string, ways: DrawnWay[]): DrawnWay | undefined {
  const between = ways.filter((way) => way.from === stepId && way.to === to);
  return between.find((way) => way.branch === branch) ?? between.find((way) => way.branch === null);
}

/** What came of a step, in words; the time that it waits until stands apart. */
export function outcomeWords(
  type: string | undefined,
  told: Told,
  isWaiting: boolean,
  branchNames?: Record<string, string>,
): string {
  switch (type) {
    case "TRIGGER":
      return "Started here";
    case "SEND_EMAIL":
      return told.to ? `Would send a mail to ${told.to}` : "The mail was queued";
    case "DELAY":
      return isWaiting ? "Waits" : "Waited";
    case "WAIT_FOR_EVENT":
      return waitWords(told, isWaiting);
    case "CONDITION":
      return told.branch === undefined ? "" : `Takes the branch “${branchName(told.branch, branchNames)}”`;
    case "WEBHOOK":
      return webhookWords(told, isWaiting);
    case "UPDATE_CONTACT":
      return updateWords(told);
    case "EXIT":
      return "Ended here";
    default:
      return "";
  }
}

function waitWords({ branch, event, eventName }: Told, isWaiting: boolean): string {
  if (isWaiting) return eventName ? `Waits for “${eventName}”` : "Waits for an event";
  if (branch === "timeout") return "Time was up";
  const name = event?.name ?? eventName;
  return name ? `“${name}” happened` : "It happened";
}

function webhookWords({ response, attempts = [], method, url }: Told, isWaiting: boolean): string {
  if (attempts.length === 0)
    return url && !isWaiting ? `Would call ${method ?? "POST"} ${url}` : "Is being called";
  const tries = attempts.length > 1 ? `, after ${formatCount(attempts.length, "attempt")}` : "";
  const status = response?.status ?? attempts.at(-1)?.status;
  if (isWaiting) return `${formatCount(attempts.length, "attempt")} so far`;
  return status === undefined ? `Was called${tries}` : `Answered with ${status}${tries}`;
}

function updateWords({ set = [], removed = [], subscribed }: Told): string {
  const parts = [
    set.length > 0 && `set ${set.join(", ")}`,
    removed.length > 0 && `removed ${removed.join(", ")}`,
    subscribed !== undefined && (subscribed ? "subscribed" : "unsubscribed"),
  ].filter((part) => part !== false);
  const text = parts.join("; ") || "changed nothing";
  return text.charAt(0).toUpperCase() + text.slice(1);
}
