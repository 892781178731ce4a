import ipaddr from "ipaddr.js";
import { fault, notOneOf } from "../../audience/faults.ts";
import { reasonAgainstAddress } from "../../net/public_address.ts";
import { enqueue } from "../runs/jobs.ts";
import { enqueueWebhook, callKey } from "../webhooks/mod.ts";
import { METHODS, type WebhookConfig } from "../webhooks/config.ts";
import { all, defineStep } from "./step_type.ts";
import { headerFaults, urlFaults } from "./_webhook_faults.ts";
import { textsFaults } from "./_texts.ts";

/** One that should have been called so long ago has lost its job. */
const LOST_MS = 5 * 60_000;

/** WEBHOOK: has an address called by a job of its own; `finishStep` lets the execution continue. */
export const webhookStep = defineStep<WebhookConfig>({
  schema: {
    type: "object",
    properties: {
      url: {
        type: "string",
        pattern: "^\\s*[hH][tT][tT][pP][sS]?://[^/?#{}\\\\@\\s]+([/?#]|\\s*$)",
        examples: ["https://example.com/hook"],
        description: "http or https. Its path and query may be templates.",
      },
      method: { type: "string", enum: [...METHODS], description: "Default: POST." },
      headers: { type: "object", additionalProperties: { type: "string" } },
      body: {
        description: "Any JSON, whose texts are templates. Left out: contact, workflow, execution and event.",
      },
    },
    required: ["url"],
  },
  hasTexts: true,
  faults({ url, method, headers, body }) {
    const isMethod = method === undefined || (METHODS as readonly unknown[]).includes(method);
    return [
      ...urlFaults("config.url", url),
      ...(isMethod ? [] : [notOneOf("config.method", method, METHODS)]),
      ...headerFaults("config.headers", headers),
      ...textsFaults("config.body", body),
    ];
  },
  unfit({ url }, { ALLOW_PRIVATE_WEBHOOKS }) {
    const { hostname } = new URL(url.replace(/\{\{.*?\}\}/gs, "x"));
    const host = hostname.replace(/^\[|\]$/g, "");
    const isName = !ipaddr.isValid(host);
    if (isName && !/(^|\.)localhost$/i.test(host)) return [];
    const reason = isName ? "this very machine" : reasonAgainstAddress(host, ALLOW_PRIVATE_WEBHOOKS);
    if (reason === null || (isName && ALLOW_PRIVATE_WEBHOOKS)) return [];
    return [fault("config.url", "custom", `This leads to ${reason}, which is not called`)];
  },
  complete(stored) {
    const { url, method, headers, body } = stored as Partial<WebhookConfig>;
    return {
      url: url!.trim(),
      method: method ?? "POST",
      headers: headers ?? {},
      ...(body !== undefined && { body }),
    };
  },
  async perform(tx, _step, visits) {
    const calls = visits.map(({ run, entryId }) => ({
      projectId: run.projectId,
      executionId: run.id,
      stepExecutionId: entryId,
    }));
    await enqueue(
      tx,
      calls.map((payload) => ({ task: "call_webhook", payload, key: callKey(payload) })),
    );
    return all(visits, { kind: "ask" });
  },
  async whenDue(tx, { projectId, id: executionId, openEntryId, wakeAt }) {
    const isLost = wakeAt!.getTime() < tx.now().getTime() - LOST_MS;
    if (isLost) await enqueueWebhook(tx, { projectId, executionId, stepExecutionId: openEntryId! });
    return null;
  },
  rehearse: async (_ctx, { config: { method, url } }) => ({ kind: "on", output: { method, url } }),
});
