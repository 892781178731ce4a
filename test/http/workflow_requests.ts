// Workflows as clients of the API make them, request by request.
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { TestService } from "../support/service.ts";

/** A step, as answers have it. */
export interface Step {
  id: string;
  name: string;
  outgoingTransitions: { id: string; toStepId: string; condition: { branch: string } | null }[];
}

/** A config of each type that has one. */
export const CONFIGS = {
  DELAY: { amount: 1, unit: "days" },
  WAIT_FOR_EVENT: { eventName: "paid", timeout: 60 },
  CONDITION: { field: "data.plan", operator: "equals", value: "pro" },
  WEBHOOK: { url: "https://example.com/" },
  UPDATE_CONTACT: { updates: { plan: "pro" } },
  EXIT: {},
};
type Kind = keyof typeof CONFIGS;

/** Requests about the workflows of a project that the test has made. */
export function workflowRequests(service: TestService, project: () => NewProject) {
  const call = (method: string, path: string, body?: unknown, key = project().secret) =>
    service.request(method, path, { key, body });
  const create = async (input: object = {}) =>
    (await call("POST", "/workflows", { name: "Welcome", eventName: "signup", ...input })).body;
  const get = async (id: string) => (await call("GET", `/workflows/${id}`)).body;
  const patch = (id: string, body: object) => call("PATCH", `/workflows/${id}`, body);
  /** With a step behind the trigger, so that it can be enabled. */
  const createWhole = async (input: object = {}) => {
    const workflow = await create(input);
    await call("POST", `/workflows/${workflow.id}/steps`, { type: "EXIT", name: "End" });
    return workflow;
  };
  /** Adds a step that is not connected, named after its type or as it is said. */
  const add = async (workflowId: string, type: Kind, name: string = type, more: object = {}) => {
    const body = { type, name, config: CONFIGS[type], autoConnect: false, ...more };
    return (await call("POST", `/workflows/${workflowId}/steps`, body)).body.id as string;
  };
  const connect = (workflowId: string, fromStepId: string, toStepId: string, branch?: string) =>
    call("POST", `/workflows/${workflowId}/transitions`, {
      fromStepId,
      toStepId,
      ...(branch && { condition: { branch } }),
    });
  /** The transitions by the names of their ends, such as `Trigger > DELAY` or `CONDITION yes> EXIT`. */
  const ways = async (workflowId: string) => {
    const { steps } = (await get(workflowId)) as { steps: Step[] };
    const nameOf = (id: string) => steps.find((step) => step.id === id)!.name;
    return steps
      .flatMap((step) =>
        step.outgoingTransitions.map(
          ({ toStepId, condition }) => `${step.name} ${condition?.branch ?? ""}> ${nameOf(toStepId)}`,
        ),
      )
      .sort();
  };
  const triggerOf = async (workflowId: string) => (await get(workflowId)).steps[0].id as string;
  const makeTemplate = async (name = "Hello") => {
    const body = { name, subject: "Hi", body: "<p>Hi {{data.nick}}</p>", from: "a@shop.example" };
    return (await call("POST", "/templates", body)).body.id as string;
  };
  const segment = async (name = "Pro") => {
    const filter = { field: "data.plan", operator: "equals", value: "pro" };
    const condition = { logic: "AND", groups: [{ filters: [filter] }] };
    return (await call("POST", "/segments", { name, condition })).body as { id: string; slug: string };
  };
  const memberOf = (id: string) => ({ field: `segment.${id}`, operator: "memberOfSegment" });
  const fields = (body: { error: { errors?: { field: string }[] } }) =>
    (body.error.errors ?? []).map(({ field }) => field);
  return {
    call,
    create,
    get,
    patch,
    createWhole,
    add,
    connect,
    ways,
    triggerOf,
    makeTemplate,
    segment,
    memberOf,
    fields,
  };
}
