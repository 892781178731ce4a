// The tools: one for each operation that an agent may use, in the order in which they are listed.
import { type ToolEffect, effects } from "./effects.ts";
import {
  type ApiDescription,
  type CallOperation,
  type KnownOperation,
  type OperationInput,
  operationsOf,
} from "./operations.ts";
import { toolSchema, type ToolSchema } from "./tool_schemas.ts";

/** A tool, and the operation that it calls. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  inputSchema: ToolSchema;
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; openWorldHint: boolean };
  operation: KnownOperation;
  /** What a call would do that has to be confirmed; null if this one need not be. Left out: none has to be. */
  effect?: (call: CallOperation, input: OperationInput) => Promise<ToolEffect | null>;
}

const MAX_DESCRIPTION = 400;

/** What only looks, also where the operation is a POST. */
const READING = [
  "search",
  "getProject",
  "getSetupState",
  "getProjectSecurity",
  "listContacts",
  "getContact",
  "lookUpContacts",
  "listContactFields",
  "listContactFieldValues",
  "listContactEvents",
  "listSegments",
  "getSegment",
  "listSegmentMembers",
  "explainSegment",
  "previewSegment",
  "listOperators",
  "listTemplates",
  "getTemplate",
  "previewTemplate",
  "previewUnsavedTemplate",
  "getTemplateUsage",
  "listCampaigns",
  "getCampaign",
  "getCampaignStats",
  "listCampaignRecipients",
  "listCampaignLinks",
  "listCampaignReasons",
  "countCampaignAudience",
  "previewCampaign",
  "checkCampaign",
  "listWorkflows",
  "getWorkflow",
  "getWorkflowGraph",
  "checkWorkflowGraph",
  "getWorkflowStatistics",
  "listWorkflowFields",
  "listExecutions",
  "getExecution",
  "listEmails",
  "getEmail",
  "getEmailContent",
  "listEmailEvents",
  "verifyEmail",
  "listSuppressions",
  "listEvents",
  "listEventNames",
  "countEvents",
  "countEventsByDay",
  "getTimeseries",
  "listTopTags",
  "getContactSeries",
  "getCampaignsOverview",
  "listTopCampaigns",
  "listTopEvents",
  "getDeliverability",
  "listDeliverabilityAlerts",
  "getSenderRules",
  "listActivity",
  "listUpcomingActivity",
  "listDomains",
  "getDomain",
  "listRequests",
  "getRequest",
];

/** What changes content and settings, and can be changed back. */
const WRITING = [
  "createContact",
  "updateContact",
  "createSegment",
  "updateSegment",
  "addSegmentMembers",
  "createTemplate",
  "updateTemplate",
  "duplicateTemplate",
  "createCampaign",
  "updateCampaign",
  "duplicateCampaign",
  "unscheduleCampaign",
  "createWorkflow",
  "updateWorkflow",
  "saveWorkflowGraph",
  "duplicateWorkflow",
  "createSuppressions",
  "createDomain",
  "verifyDomain",
];

/** All tools of a document. */
export function toolsOf(document: ApiDescription): Map<string, Tool> {
  const operations = operationsOf(document);
  const names = [...new Set([...READING, ...WRITING, ...Object.keys(effects)])];
  const tools = names.map((operationId) => toolOf(operations.get(operationId)!, document));
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function toolOf(operation: KnownOperation, document: ApiDescription): Tool {
  const { operationId, summary, description = "" } = operation;
  const effect = effects[operationId];
  const inputSchema = toolSchema(operation, document);
  if (effect) inputSchema.properties.confirmation = CONFIRMATION;
  const isAlways = effect && !WRITING.includes(operationId);
  const hint = isAlways
    ? `\n\n${ASKED_TWICE}`
    : effect
      ? `\n\nIf it concerns something that is live: ${ASKED_TWICE}`
      : "";
  return {
    name: operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    title: summary,
    description: `${summary}. ${description.slice(0, MAX_DESCRIPTION)}${hint}`,
    inputSchema,
    annotations: {
      readOnlyHint: READING.includes(operationId),
      destructiveHint: isAlways === true,
      openWorldHint: false,
    },
    operation,
    ...(effect && { effect }),
  };
}

const CONFIRMATION = { type: "string", description: "From the first call, once the person has agreed." };
const ASKED_TWICE =
  "The first call does nothing: it returns what would happen, to how many people, and a `confirmation`. Show this to the person, and call again with the same arguments and the confirmation only after they have agreed.";
