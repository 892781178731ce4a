// What a parameter means where its route does not say it: the same name means the same everywhere.

const BY_NAME: Record<string, string> = {
  campaignId: "The id of a campaign: only what belongs to it",
  contactId: "The id of a contact: only what belongs to it",
  deliveryId: "The id of the delivery",
  deleteProjects: "Deletes the projects, too, that nobody else is a member of",
  email: "The address",
  executionId: "The id of the execution",
  fileId: "The id of the file",
  field: "The name of the field, such as `email` or `data.plan`",
  format: "The format of the file",
  index: "Which attachment: the first one is 0",
  jobId: "The id of the job, as the answer has it that began it",
  key: "The key of the image: the last part of its address",
  keyId: "The id of the key",
  metric: "What they are compared by",
  reason: "Only those with this reason",
  search: "Only what contains this text",
  sourceType: "Only mails that a campaign, a workflow or a request has sent",
  splice: "Connects what led to the step with what followed it",
  status: "Only those in this state",
  stepId: "The id of the step",
  templateId: "The id of a template: only what belongs to it",
  transitionId: "The id of the transition",
  type: "Only those of this type",
  userId: "The id of the member",
  version: "The number of the version",
  workflowId: "The id of a workflow: only what belongs to it",
};

/** What a parameter of a path means, in a sentence without a full stop. Undefined where nobody has said it. */
export function meaningOf(name: string, path: string): string | undefined {
  const [, collection] = /\/([\w-]+?)s\/(?:export\/)?[:{]id\b/.exec(path) ?? [];
  if (name === "id" && collection) return `The id of the ${collection}`;
  return BY_NAME[name];
}
