// What tests of workflows do all the time: build a graph, let things happen, and read the histories.
import { expect } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { DOMAIN, type TestService } from "./service.ts";

/** A step: its type and config, and the name of its template. */
export type StepPlan = { type: string; template?: string } & Record<string, unknown>;

/** A workflow: its steps by name, and the ways between them such as `Trigger > Hello` or `Is pro? yes> Hello`. */
export interface Plan {
  event?: string;
  allowReentry?: boolean;
  steps: Record<string, StepPlan>;
  ways: string[];
}

/** An entry of a history, by the name of its step. */
export interface ToldStep {
  step: string;
  status: string;
  output: Record<string, unknown> | null;
  error: string | null;
}

/** An execution with its history. */
export interface History {
  status: string;
  exitReason: string | null;
  currentStepId: string | null;
  completedAt: string | null;
  context: Record<string, unknown>;
  steps: ToldStep[];
}

/** Workflows of a project that the test has made. */
export function workflowsOf(service: TestService, project: () => NewProject) {
  const call = (method: string, path: string, body?: unknown) =>
    service.request(method, path, { key: project().secret, ...(body !== undefined && { body }) });
  const made = async (path: string, body: unknown) => {
    const { status, body: answer } = await call("POST", path, body);
    expect([path, status, answer.error]).toEqual([path, 201, undefined]);
    return answer;
  };

  /** A template, by its id. */
  const template = async (more: object = {}): Promise<string> =>
    (
      await made("/templates", {
        name: "Hello",
        subject: "Hello {{firstName ?? there}}",
        body: "<p>Hello {{firstName}}</p>",
        from: `news@${DOMAIN}`,
        type: "TRANSACTIONAL",
        ...more,
      })
    ).id;

  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  const executions = async (workflowId: string): Promise<any[]> =>
    (await call("GET", `/workflows/${workflowId}/executions?pageSize=100`)).body.executions.toReversed();

  const history = async (workflowId: string, executionId?: string): Promise<History> => {
    const id = executionId ?? (await executions(workflowId)).at(-1)!.id;
    const { body } = await call("GET", `/workflows/${workflowId}/executions/${id}`);
    // oxlint-disable-next-line typescript/no-explicit-any
    const steps = body.stepExecutions.map((page: any): ToldStep => {
      const { step, status, output, error } = page;
      return { step: step.name, status, output, error };
    });
    return { ...body, steps };
  };

  return {
    call,
    template,
    /** Builds a workflow and enables it; answers its id and those of its steps by name. */
    async build({ event = "signup", allowReentry = false, steps, ways }: Plan) {
      const workflow = await made("/workflows", { name: "Welcome", eventName: event, allowReentry });
      const { version, steps: begun } = (await call("GET", `/workflows/${workflow.id}/graph`)).body;
      const ids: Record<string, string> = { Trigger: begun[0].id };
      const drawn = Object.entries(steps).map(([name, { type, template: templateId, ...config }]) => {
        const id = (ids[name] = crypto.randomUUID());
        return { id, type, name, config, templateId };
      });
      const transitions = ways.map((way) => {
        const [, from, branch, to] = /^(.+?) (\S*)> (.+)$/.exec(way)!;
        return { from: ids[from!], to: ids[to!], ...(branch && { branch }) };
      });
      const graph = { version, steps: [...begun, ...drawn], transitions };
      const saved = await call("PUT", `/workflows/${workflow.id}/graph`, graph);
      expect([saved.status, saved.body.error]).toEqual([200, undefined]);
      const enabled = await call("PATCH", `/workflows/${workflow.id}`, { enabled: true });
      expect([enabled.status, enabled.body.error]).toEqual([200, undefined]);
      return { id: workflow.id as string, ids };
    },
    /** Tracks an event, as a client does. */
    async track(email: string, event = "signup", data: object = {}): Promise<string> {
      const { status, body } = await service.request("POST", "/v1/track", {
        key: project().public,
        body: { email, event, data },
      });
      expect([status, body.error]).toEqual([200, undefined]);
      return body.data.contact;
    },
    /** The executions of a workflow, the oldest first. */
    executions,
    /** The states of the executions of a workflow, the oldest first. */
    states: async (workflowId: string): Promise<string[]> =>
      (await executions(workflowId)).map(({ status }) => status),
    /** The states of the executions of a workflow, by the first part of the address. */
    outcomes: async (workflowId: string): Promise<Record<string, string>> =>
      Object.fromEntries(
        (await executions(workflowId)).map(({ contact, status }) => [contact.email.split("@")[0], status]),
      ),
    /** The execution of a contact, by the first part of its address. */
    of: async (workflowId: string, name: string): Promise<string> =>
      (await executions(workflowId)).find(({ contact }) => contact.email.startsWith(`${name}@`)).id,
    /** The history of an execution, or of the newest one. */
    history,
    /** The names of the steps of an execution, or of the newest one, with the branches by which it left them. */
    path: async (workflowId: string, executionId?: string): Promise<string[]> =>
      (await history(workflowId, executionId)).steps.map(({ step, output }) =>
        output?.branch === undefined ? step : `${step}: ${String(output.branch)}`,
      ),
    /** Moves the clock on, and runs what is due then. */
    async later(amount: number, unit: "ms" | "minutes" | "hours" | "days" = "ms"): Promise<void> {
      const ms = { ms: 1, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }[unit];
      service.setNow(new Date(service.now().getTime() + amount * ms));
      await service.runJobs();
    },
    /** Whom the server has got mail for, in order. */
    recipients: () => service.smtp.received.flatMap((mail) => mail.to),
    /** The subjects of the mails that have come. */
    subjects: () =>
      service.smtp.received.map(({ source }) => /^Subject: (.*)$/m.exec(source)![1]!.replace(/\r$/, "")),
  };
}
