// What is sent, enabled or deleted, in words and in people: what the person has to confirm.
import type { ToolEffect } from "./confirmations.ts";
import type { ApiAnswer, CallOperation, OperationInput } from "./operations.ts";

export type { ToolEffect } from "./confirmations.ts";

/** The refusal of a question that comes before the call itself. */
export class ToolRefusal extends Error {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer) {
    super("refused");
    this.answer = answer;
  }
}

type Ask = (operationId: string, input: OperationInput) => Promise<ApiAnswer["body"]>;
type Describe = (ask: Ask, input: OperationInput) => Promise<ToolEffect | null>;

const id = (input: OperationInput) => ({ id: input.id });
// oxlint-disable-next-line typescript/no-explicit-any
const bodyOf = (input: OperationInput) => (input.body ?? {}) as Record<string, any>;

const DESCRIBED: Record<string, Describe> = {
  sendEmail: async (_ask, input) => {
    const { to, cc = [], bcc = [] } = bodyOf(input);
    const people = [to, cc, bcc].flat().length;
    return {
      what: `Send this mail to ${people === 1 ? nameOf(Array.isArray(to) ? to[0] : to) : "these recipients"}`,
      people,
    };
  },
  trackEventAsMember: async (_ask, input) => {
    const { event, email } = bodyOf(input);
    return {
      what: `Track the event "${event}" of ${email}, which starts the workflows that wait for it`,
      people: 1,
    };
  },
  resendEmail: async (ask, input) => {
    const { to, subject } = await ask("getEmail", id(input));
    return { what: `Send the mail "${subject}" to ${to ?? "its contact"} again`, people: 1 };
  },
  testTemplate: async (_ask, input) => ({ what: `Send a test mail to ${bodyOf(input).email}`, people: 1 }),
  testCampaign: async (_ask, input) => ({ what: `Send a test mail to ${bodyOf(input).email}`, people: 1 }),

  sendCampaign: async (ask, input) => {
    const { scheduledFor } = bodyOf(input);
    const { name, ...audience } = await reachOf(ask, input);
    return {
      what: `Send the campaign "${name}" ${scheduledFor ? `at ${scheduledFor}` : "now"}`,
      ...audience,
    };
  },
  cancelCampaign: async (ask, input) => {
    const { name, totalRecipients, processedCount } = await ask("getCampaign", id(input));
    return {
      what: `Cancel the campaign "${name}" for good`,
      people: Math.max(0, totalRecipients - processedCount),
    };
  },
  updateCampaign: async (ask, input) => {
    if ((await ask("getCampaign", id(input))).status !== "SCHEDULED") return null;
    const { name, ...audience } = await reachOf(ask, input);
    return { what: `Change the campaign "${name}", which is scheduled`, ...audience };
  },
  deleteCampaign: async (ask, input) => {
    const { name } = await ask("getCampaign", id(input));
    return { what: `Delete the campaign "${name}"`, people: 0 };
  },

  updateWorkflow: async (ask, input) => {
    const workflow = await ask("getWorkflow", id(input));
    const isEnabling = bodyOf(input).enabled === true && !workflow.enabled;
    if (!isEnabling && !workflow.enabled) return null;
    const what = isEnabling ? "Enable" : "Change the settings of";
    const trigger = { ...workflow, ...bodyOf(input) };
    return {
      what: `${what} the workflow "${workflow.name}"${startOf(trigger)}`,
      people: await startedBy(ask, trigger),
    };
  },
  saveWorkflowGraph: async (ask, input) => {
    const { name, enabled } = await ask("getWorkflow", id(input));
    if (!enabled) return null;
    return {
      what: `Change the steps of the workflow "${name}", which is enabled`,
      people: await activeIn(ask, input),
    };
  },
  startExecution: async (ask, input) => {
    const { name } = await ask("getWorkflow", id(input));
    return { what: `Start the workflow "${name}" for a contact`, people: 1 };
  },
  cancelExecution: async (ask, input) => {
    const { name } = await ask("getWorkflow", id(input));
    return { what: `Cancel an execution of the workflow "${name}"`, people: 1 };
  },
  cancelExecutions: async (ask, input) => {
    const { name } = await ask("getWorkflow", id(input));
    return { what: `Cancel all executions of the workflow "${name}"`, people: await activeIn(ask, input) };
  },
  deleteWorkflow: async (ask, input) => {
    const { name } = await ask("getWorkflow", id(input));
    return { what: `Delete the workflow "${name}" with its history`, people: await activeIn(ask, input) };
  },

  deleteContact: async (ask, input) => {
    const { email } = await ask("getContact", id(input));
    return { what: `Delete the contact ${email} for good`, people: 1 };
  },
  deleteSegment: async (ask, input) => {
    const { name, memberCount } = await ask("getSegment", id(input));
    return { what: `Delete the segment "${name}"; its contacts stay`, people: memberCount };
  },
  removeSegmentMembers: async (ask, input) => {
    const { name } = await ask("getSegment", id(input));
    return { what: `Take contacts out of the segment "${name}"`, people: bodyOf(input).emails?.length ?? 0 };
  },
  deleteTemplate: async (ask, input) => {
    const { name } = await ask("getTemplate", id(input));
    return { what: `Delete the template "${name}"`, people: 0 };
  },
  deleteSuppression: async (_ask, input) => {
    const email = input.email ?? bodyOf(input).email;
    return { what: `Take ${email} off the suppression list, so that it gets mail again`, people: 1 };
  },
};

/** By `operationId`: what a call would do that has to be confirmed; null if this one need not be. Throws {@linkcode ToolRefusal}. */
export const effects: Record<
  string,
  (call: CallOperation, input: OperationInput) => Promise<ToolEffect | null>
> = Object.fromEntries(
  Object.entries(DESCRIBED).map(([operationId, describe]) => [
    operationId,
    async (call, input) => await describe(asking(call), input),
  ]),
);

function asking(call: CallOperation): Ask {
  return async (operationId, input) => {
    const answer = await call(operationId, input);
    if (answer.status >= 400) throw new ToolRefusal(answer);
    return answer.body;
  };
}

function nameOf(mailbox: unknown): string {
  return typeof mailbox === "string" ? mailbox : String((mailbox as { email?: unknown })?.email);
}

/** Whom a campaign goes to. */
async function reachOf(ask: Ask, input: OperationInput) {
  const { name, type, audienceType, segmentId, audienceCondition } = await ask("getCampaign", id(input));
  const body = {
    type,
    audienceType,
    ...(segmentId && { segmentId }),
    ...(audienceCondition && { audienceCondition }),
  };
  const { reachable, estimated } = await ask("countCampaignAudience", { body });
  return { name: name as string, people: reachable as number, isEstimate: estimated as boolean };
}

interface Trigger {
  triggerType: string;
  triggerConfig: { eventName?: string; schedule?: string; segmentId?: string } | null;
}

function startOf({ triggerType, triggerConfig }: Trigger): string {
  if (triggerType === "EVENT")
    return `: it starts with each event "${triggerConfig?.eventName}" from then on`;
  return triggerType === "SCHEDULE" ? `: it starts at ${triggerConfig?.schedule}` : "";
}

/** Who is taken through a workflow at once; nobody before an event happens. */
async function startedBy(ask: Ask, { triggerType, triggerConfig }: Trigger): Promise<number> {
  if (triggerType !== "SCHEDULE") return 0;
  if (triggerConfig?.segmentId) return (await ask("getSegment", { id: triggerConfig.segmentId })).memberCount;
  return (await ask("listContacts", { limit: 1 })).total;
}

async function activeIn(ask: Ask, input: OperationInput): Promise<number> {
  const [running, waiting] = await Promise.all(
    ["RUNNING", "WAITING"].map((status) => ask("listExecutions", { ...id(input), status, pageSize: 1 })),
  );
  return running.total + waiting.total;
}
