// The service for agents, asked by the client of the protocol's own SDK.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { SERVICE } from "../../src/accounts/audit.ts";
import { createKey } from "../../src/accounts/projects/named_keys.ts";
import { createSandbox } from "../../src/accounts/projects/sandbox.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import type { KeyScope } from "../../src/accounts/projects/scopes.ts";
import { createApp } from "../../src/http/mod.ts";
import { codesIn, GUIDE_NAMES, readGuide } from "../support/guides.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService();
let server: Bun.Server<undefined>;
let project: NewProject;
const clients: Client[] = [];

beforeAll(() => {
  server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => service.app.handle(request) });
});

beforeEach(async () => {
  service.setNow(new Date());
  project = await service.createProject();
});

afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await server.stop(true);
});

/** An agent with a key; with scopes, a named one. */
async function agent(scopes?: KeyScope[]): Promise<Client> {
  return await agentWith(
    scopes ? (await createKey(service, project.id, { name: "Agent", scopes }, SERVICE)).key : project.secret,
  );
}

async function agentWith(key: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${key}` };
  // What the SDK declares is narrower than its own class.
  const transport = new StreamableHTTPClientTransport(new URL("/mcp", server.url), {
    requestInit: { headers },
  });
  await client.connect(transport as never);
  clients.push(client);
  return client;
}

/** The answer of a tool, as text and parsed where it is JSON. */
async function use(client: Client, name: string, input: object = {}) {
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> });
  const [{ text }] = result.content as [{ text: string }];
  const isJson = /^[[{]/.test(text) && !text.includes("… cut off");
  // oxlint-disable-next-line typescript/no-explicit-any
  return { text, isError: result.isError === true, body: isJson ? (JSON.parse(text) as any) : null };
}

/** Calls a tool twice, as somebody who agrees. Returns what was asked and what was done. */
async function agree(client: Client, name: string, input: object) {
  const { body: asked } = await use(client, name, input);
  expect([name, asked.done]).toEqual([name, false]);
  return { asked, done: await use(client, name, { ...input, confirmation: asked.confirmation }) };
}

const TEMPLATE = { name: "Hello", subject: "Hello", body: "<p>Hello</p>", from: `news@${DOMAIN}` };
const CAMPAIGN = { ...TEMPLATE, name: "News", audienceType: "ALL" };
const mailsTo = async (email: string) =>
  (await service.pool`select id from emails where address = ${email} and project_id = ${project.id}`).length;

describe("what an agent is offered", () => {
  test("tools that say what they take, by the scopes of the key", async () => {
    const names = async (scopes?: KeyScope[]) =>
      (await (await agent(scopes)).listTools()).tools.map(({ name }) => name);
    const [all, reading, drafts] = [await names(), await names(["read"]), await names(["read", "write"])];

    expect(all).toContain("send_campaign");
    expect(reading).toContain("list_contacts");
    expect(reading).not.toContain("create_contact");
    expect(drafts).toContain("create_campaign");
    expect(drafts.filter((name) => /^(send|delete|cancel|start|resend|test)_/.test(name))).toEqual([]);
    expect([...reading, ...drafts].filter((name) => !all.includes(name))).toEqual([]);
  });

  test("tools whose schemas are whole: an object, without references, and not too long to read", async () => {
    const { tools } = await (await agent()).listTools();

    expect(tools.length).toBeGreaterThan(60);
    for (const { name, inputSchema, description, annotations } of tools) {
      const schema = JSON.stringify(inputSchema);
      expect([name, inputSchema.type, schema.includes("$ref"), schema.length < 8_000]).toEqual([
        name,
        "object",
        false,
        true,
      ]);
      expect([name, description!.length > 20]).toEqual([name, true]);
      expect([name, annotations!.readOnlyHint === true && annotations!.destructiveHint === true]).toEqual([
        name,
        false,
      ]);
    }
    const reading = tools.filter(({ annotations }) => annotations!.readOnlyHint).map(({ name }) => name);
    expect(reading.filter((name) => /^(create|update|save|delete|send|add|remove)_/.test(name))).toEqual([]);
  });

  test("the tools that the guide names, each where it belongs", async () => {
    const { tools } = await (await agent()).listTools();
    const [, looking, writing, confirmed] = readGuide("agents")
      .split("## Tools")[1]!
      .split("## ")[0]!
      .split(/\*\*They .*\*\*/)
      .map(codesIn);
    const names = (is: (hints: ToolAnnotations) => boolean) =>
      tools.filter(({ annotations }) => is(annotations!)).map(({ name }) => name);

    expect(looking).toEqual(names(({ readOnlyHint }) => readOnlyHint === true));
    expect(writing).toEqual(names(({ readOnlyHint, destructiveHint }) => !readOnlyHint && !destructiveHint));
    expect(confirmed).toEqual(names(({ destructiveHint }) => destructiveHint === true));
  });

  test("every guide as a resource", async () => {
    const client = await agent(["read"]);
    const { resources } = await client.listResources();
    const [guide] = (await client.readResource({ uri: "postrider://guides/segments" })).contents;

    expect(resources.map(({ name }) => name).toSorted()).toEqual(GUIDE_NAMES.toSorted());
    expect((guide as { text: string }).text).toStartWith("# Segments");
    expect((guide as { text: string }).text).not.toContain("<!--");
    expect(client.readResource({ uri: "postrider://guides/../secrets" })).rejects.toThrow("Unknown resource");
  });

  test("prompts whose tools and guides exist", async () => {
    const client = await agent();
    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();
    for (const { name } of prompts) {
      const given = { topic: "Spring", recipient: "ada@example.com" };
      const { messages } = await client.getPrompt({ name, arguments: given });
      const { text } = messages[0]!.content as { text: string };
      const named = [...text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)].map(([word]) => word);
      const guides = [...text.matchAll(/postrider:\/\/guides\/([a-z-]+)/g)].map((match) => match[1]!);

      expect(text).toMatch(/Spring|ada@example\.com/);
      expect(named.filter((word) => !tools.some((tool) => tool.name === word))).toEqual([]);
      expect(guides.filter((guide) => !GUIDE_NAMES.includes(guide))).toEqual([]);
    }
    expect(prompts.map(({ name }) => name)).toEqual(["write_campaign", "explain_delivery"]);
  });

  test("nothing without a key, with a public one, or with one that may not read", async () => {
    const ask = async (key?: string) =>
      (
        await service.request("POST", "/mcp", {
          ...(key && { key }),
          body: { jsonrpc: "2.0", id: 1, method: "ping" },
        })
      ).status;
    const sender = await createKey(service, project.id, { name: "Shop", scopes: ["send"] }, SERVICE);

    expect([await ask(), await ask(project.public), await ask(sender.key)]).toEqual([401, 401, 403]);
    expect((await service.request("GET", "/mcp", { key: project.secret })).status).toBe(405);
  });
});

describe("a tool", () => {
  test("answers what the API answers, about the project of the key", async () => {
    const client = await agent(["read", "write"]);
    const { body: contact } = await use(client, "create_contact", {
      body: { email: "ada@example.com", data: { plan: "pro" } },
    });
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    };
    const { body: preview } = await use(client, "preview_segment", { body: { condition } });
    const { body: found } = await use(client, "list_contacts", { search: "ada", limit: 5 });
    const { body: own } = await use(client, "get_project");
    const { body: domains } = await use(client, "list_domains");

    expect([preview.count, found.data[0].id, own.id]).toEqual([1, contact.id, project.id]);
    expect(domains[0].domain).toBe(DOMAIN);
  });

  test("works in the sandbox with a test key, and knows nothing of the project", async () => {
    await service.request("POST", "/contacts", { key: project.secret, body: { email: "live@example.com" } });
    const { secret } = await createSandbox(service, project.id, SERVICE);
    const client = await agentWith(secret);
    await use(client, "create_contact", { body: { email: "test@example.com" } });
    const { body } = await use(client, "list_contacts", {});

    expect(body.data.map(({ email }: { email: string }) => email)).toEqual(["test@example.com"]);
  });

  test("is refused as the API refuses, and the model is told what to do", async () => {
    const client = await agent(["read", "write"]);
    const incomplete = await use(client, "create_template", { body: { name: "No subject" } });
    const invalid = await use(client, "preview_segment", {
      body: { condition: { logic: "XOR", groups: [] } },
    });
    const unknown = await use(client, "get_contact", { id: crypto.randomUUID() });
    const forbidden = await use(client, "delete_contact", { id: crypto.randomUUID() });

    expect([invalid.isError, invalid.body.code, invalid.body.errors.length > 0]).toEqual([
      true,
      "VALIDATION_ERROR",
      true,
    ]);
    expect([incomplete.isError, incomplete.text]).toEqual([true, expect.stringContaining("are required")]);
    expect([unknown.isError, unknown.body.code]).toEqual([true, "CONTACT_NOT_FOUND"]);
    expect([forbidden.isError, forbidden.body.code]).toEqual([true, "CONTACT_NOT_FOUND"]);
  });

  test("does nothing that the scopes of the key do not allow", async () => {
    const reader = await agent(["read"]);
    const { isError, body } = await use(reader, "create_contact", { body: { email: "x@example.com" } });
    const drafts = await agent(["read", "write"]);
    const mail = { to: "x@example.com", from: `a@${DOMAIN}`, subject: "S", body: "B" };
    const sent = await agree(drafts, "send_email", { body: mail });

    expect([isError, body.code, body.details.needed]).toEqual([true, "FORBIDDEN", "write"]);
    expect([sent.done.isError, sent.done.body.code, await mailsTo("x@example.com")]).toEqual([
      true,
      "FORBIDDEN",
      0,
    ]);
  });

  test("whose answer is long is cut off, and says so", async () => {
    const client = await agent();
    const { body } = await use(client, "create_template", {
      body: { ...TEMPLATE, body: `<p>${"long ".repeat(20_000)}</p>` },
    });
    expect(body).toBeNull();
    const { text } = await use(client, "list_templates", { fields: "id,body" });

    expect(text.length).toBeLessThan(30_200);
    expect(text).toContain("… cut off after 30000 of ");
  });

  test("takes from the limit of the project, and hears when it is exceeded", async () => {
    const limited = createApp({ ...service, config: { ...service.config, RATE_LIMIT_PER_MINUTE: 20 } });
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_segments" } };
    const headers = {
      authorization: `Bearer ${project.secret}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    };
    const statuses: number[] = [];
    // All in one minute, whatever time it is.
    service.setNow(new Date(Math.ceil(Date.now() / 60_000) * 60_000));
    for (let i = 0; i < 15; i++) {
      const asked = new Request("http://localhost/mcp", {
        method: "POST",
        headers,
        body: JSON.stringify(message),
      });
      statuses.push((await limited.handle(asked)).status);
    }

    // Each takes one for itself, and one for what it calls.
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(10);
    expect(statuses.at(-1)).toBe(429);
  });

  test("that does not exist is an error, and so is a batch", async () => {
    const client = await agent();
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const batch = await service.request("POST", "/mcp", { key: project.secret, body: [ping, ping] });

    expect(client.callTool({ name: "drop_tables", arguments: {} })).rejects.toThrow("Unknown tool");
    expect(batch.status).toBe(422);
  });
});

describe("what sends, enables or deletes", () => {
  test("happens at the second call, which names the people, and not at the first", async () => {
    const client = await agent();
    for (const email of ["a@example.com", "b@example.com"])
      await use(client, "create_contact", { body: { email } });
    const { body: made } = await use(client, "create_campaign", { body: CAMPAIGN });
    const { id } = made.data;
    const { body: asked } = await use(client, "send_campaign", { id });
    const { body: still } = await use(client, "get_campaign", { id });
    const { body: sent } = await use(client, "send_campaign", { id, confirmation: asked.confirmation });

    expect(asked).toMatchObject({ done: false, wouldDo: 'Send the campaign "News" now', people: 2 });
    expect([still.status, sent.data.status]).toEqual(["DRAFT", "SENDING"]);
  });

  test("is asked again for more people than were confirmed", async () => {
    const client = await agent();
    await use(client, "create_contact", { body: { email: "a@example.com" } });
    const { id } = (await use(client, "create_campaign", { body: CAMPAIGN })).body.data;
    const { body: asked } = await use(client, "send_campaign", { id });
    await use(client, "create_contact", { body: { email: "b@example.com" } });
    const { body: again } = await use(client, "send_campaign", { id, confirmation: asked.confirmation });

    expect([asked.people, again.people, again.done]).toEqual([1, 2, false]);
    expect(again.note).toContain("fewer people");
  });

  test.each([
    ["of another call", (token: string) => token, { id: "other" }],
    ["that was changed", (token: string) => `${token.slice(0, -4)}AAAA`, {}],
    ["that is made up", () => "yes", {}],
    ["that is empty", () => "", {}],
  ])("is not done with a confirmation %s", async (_, change, other: { id?: string }) => {
    const client = await agent();
    const make = async (email: string) =>
      (await use(client, "create_contact", { body: { email } })).body.id as string;
    const [mine, theirs] = [await make("a@example.com"), await make("b@example.com")];
    const { body: asked } = await use(client, "delete_contact", { id: mine });
    const id = other.id ? theirs : mine;
    const { body } = await use(client, "delete_contact", { id, confirmation: change(asked.confirmation) });

    expect(body.done).toBe(false);
    expect((await use(client, "get_contact", { id })).isError).toBe(false);
  });

  test("is not done with a confirmation that is ten minutes old, or of another project", async () => {
    const client = await agent();
    const { id } = (await use(client, "create_contact", { body: { email: "a@example.com" } })).body;
    const { body: asked } = await use(client, "delete_contact", { id });
    service.setNow(new Date(Date.now() + 601_000));
    const { body: late } = await use(client, "delete_contact", { id, confirmation: asked.confirmation });
    service.setNow(new Date());
    const first = project;
    project = await service.createProject();
    const stranger = await agent();
    const { isError } = await use(stranger, "delete_contact", { id, confirmation: asked.confirmation });

    expect([late.done, isError]).toEqual([false, true]);
    project = first;
    expect((await use(client, "delete_contact", { id, confirmation: asked.confirmation })).body).toEqual({
      done: true,
    });
  });

  test("sends one mail, however often it is confirmed, and in whatever order the arguments come", async () => {
    const client = await agent();
    const mail = { to: "a@example.com", from: `a@${DOMAIN}`, subject: "S", body: "B" };
    const { asked, done } = await agree(client, "send_email", { body: mail });
    const turned = Object.fromEntries(Object.entries(mail).toReversed());
    const again = await use(client, "send_email", { confirmation: asked.confirmation, body: turned });

    expect([asked.wouldDo, asked.people]).toEqual(["Send this mail to a@example.com", 1]);
    expect([done.isError, again.isError, again.body.code]).toEqual([false, true, "IDEMPOTENCY_KEY_REUSED"]);
    expect(await mailsTo("a@example.com")).toBe(1);
  });

  test("a workflow is written freely, and asked about when it is enabled and from then on", async () => {
    const client = await agent();
    const { body: workflow } = await use(client, "create_workflow", {
      body: { name: "Welcome", eventName: "signed up" },
    });
    const { id } = workflow;
    const { body: graph } = await use(client, "get_workflow_graph", { id });
    const step = {
      id: crypto.randomUUID(),
      type: "DELAY",
      name: "Later",
      config: { amount: 1, unit: "days" },
    };
    const { steps, version } = graph;
    const transitions = [{ from: steps[0].id, to: step.id }];
    const saved = await use(client, "save_workflow_graph", {
      id,
      body: { version, steps: [...steps, step], transitions },
    });
    expect([saved.text, saved.isError]).toEqual([expect.any(String), false]);
    const { asked, done } = await agree(client, "update_workflow", { id, body: { enabled: true } });

    expect(asked.wouldDo).toBe(
      'Enable the workflow "Welcome": it starts with each event "signed up" from then on',
    );
    expect(done.body.enabled).toBe(true);
    expect((await use(client, "update_workflow", { id, body: { name: "Mine" } })).body.done).toBe(false);
    const again = { id, body: { version: saved.body.version, steps, transitions: [] } };
    expect((await use(client, "save_workflow_graph", again)).body.done).toBe(false);
    expect((await agree(client, "update_workflow", { id, body: { enabled: false } })).done.body.enabled).toBe(
      false,
    );
  });

  test("every tool that deletes, sends or cancels asks before it does", async () => {
    const client = await agent();
    const { id } = (await use(client, "create_contact", { body: { email: "a@example.com" } })).body;
    const segment = (await use(client, "create_segment", { body: { name: "VIPs", type: "STATIC" } })).body.id;
    await use(client, "add_segment_members", { id: segment, body: { emails: ["a@example.com"] } });
    const template = (await use(client, "create_template", { body: TEMPLATE })).body.id;
    const campaign = (await use(client, "create_campaign", { body: CAMPAIGN })).body.data.id;
    const workflow = (await use(client, "create_workflow", { body: { name: "W", eventName: "e" } })).body.id;
    await use(client, "create_suppressions", { body: { emails: ["gone@example.com"] } });
    const member = { emails: ["a@example.com"] };
    const asked = [
      await agree(client, "test_template", { id: template, body: { email: "me@example.com" } }),
      await agree(client, "test_campaign", { id: campaign, body: { email: "me@example.com" } }),
      await agree(client, "track_event_as_member", { body: { event: "e", email: "a@example.com" } }),
      await agree(client, "remove_segment_members", { id: segment, body: member }),
      await agree(client, "delete_suppression", { email: "gone@example.com" }),
      await agree(client, "delete_segment", { id: segment }),
      await agree(client, "delete_campaign", { id: campaign }),
      await agree(client, "cancel_executions", { id: workflow }),
      await agree(client, "delete_workflow", { id: workflow }),
      await agree(client, "delete_template", { id: template }),
      await agree(client, "delete_contact", { id }),
    ];

    expect(
      asked.map(({ done }) => [done.text.slice(0, 100), done.isError]).filter(([, isError]) => isError),
    ).toEqual([]);
    expect(asked.map(({ asked: { people } }) => people)).toEqual([1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1]);
  });
});
