// `bun run admin transport`, `warmup-plan` and `routes`, against a database of its own.
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runAdmin, settingsOf, useAdmin } from "./support/admin.ts";
import { useService } from "./support/service.ts";

const service = useService();
const { admin } = useAdmin(service);
const folder = mkdtempSync(join(tmpdir(), "postrider-routes-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a command answers, or what it says where it fails. */
async function ask(...words: string[]) {
  const { out, err, exitCode } = await admin(...words);
  return exitCode === 0 ? JSON.parse(out) : err;
}

describe("bun run admin", () => {
  test("transport adds one without its password on the command line, changes, tests, pauses and removes it", async () => {
    const url = service.smtp.url.replace("smtp://", "smtp://ada:secret@");
    const words = ["transport", "add", "--name", "Reserve", "--url-from-stdin", "--per-day", "50"];
    const made = JSON.parse(runAdmin(settingsOf(service), words, `${url}\n`).out);
    const limited = await ask("transport", "set", made.id, "--rate", "2.5", "--per-day", "none");
    const sent = await ask(
      "transport",
      "test",
      made.id,
      "--to",
      "op@example.com",
      "--from",
      "a@shop.example",
    );
    const paused = await ask("transport", "pause", made.id, "--reason", "It moves");
    const resumed = await ask("transport", "resume", made.id);

    const hooked = runAdmin(
      settingsOf(service),
      ["transport", "set", made.id, "--url-from-stdin", "--feedback-secret-from-stdin"],
      `${url}?provider=mailgun\nthe-signing-key\n`,
    );
    expect(JSON.parse(hooked.out).feedback).toEqual({
      provider: "mailgun",
      url: expect.stringContaining(`/webhooks/incoming/mailgun/${made.id}`),
      hasSecret: true,
    });
    expect((await ask("transport", "set", made.id, "--no-feedback-secret")).feedback.hasSecret).toBe(false);
    expect(made).toMatchObject({
      name: "Reserve",
      kind: "SMTP",
      url: url.replace(":secret", ""),
      perDay: 50,
    });
    expect(limited).toMatchObject({ ratePerSecond: 2.5, perDay: null });
    expect(sent).toMatchObject({ success: true, to: "op@example.com" });
    expect(service.smtp.received.at(-1)!.to).toEqual(["op@example.com"]);
    expect([paused.state, paused.stateReason, resumed.state]).toEqual(["PAUSED", "It moves", "HEALTHY"]);
    expect(await ask("transport", "list")).toMatchObject([{ id: made.id }]);
    expect(await ask("transport", "remove", made.id)).toEqual({ id: made.id, removed: true });
    expect(await ask("transport", "list")).toEqual([]);
  });

  test("transport adds one that delivers directly, from addresses of its own", async () => {
    const words = [
      "--kind",
      "direct",
      "--helo-name",
      "mail.sender.example",
      "--bind-addresses",
      "203.0.113.7,203.0.113.8",
    ];
    const made = await ask("transport", "add", "--name", "Direct", ...words);
    const set = await ask("transport", "set", made.id, "--bind-addresses", "none");

    expect(made).toMatchObject({ kind: "DIRECT", bindAddresses: ["203.0.113.7", "203.0.113.8"] });
    expect(set).toMatchObject({ heloName: "mail.sender.example", bindAddresses: null });
    await ask("transport", "remove", made.id);
  });

  test("routes are printed, and replaced by a file; what is wrong in it is named, and changes nothing", async () => {
    const { id } = await ask("transport", "add", "--name", "Inbox", "--kind", "capture");
    const { id: projectId } = await service.createProject();
    const rules = [{ projectIds: [projectId], transports: [{ id }] }];
    const set = async (document: object) => {
      const file = join(folder, "routes.json");
      await Bun.write(file, JSON.stringify(document));
      return await ask("routes", "set", file);
    };
    const whole = { rules: [{ ...rules[0], whenFull: "NEXT" }] };

    expect(await ask("routes", "get")).toEqual({ rules: [] });
    expect(await set({ rules })).toEqual(whole);
    expect(await set({ rules: [{ transports: [] }, { transports: [{ id: "other" }] }] })).toContain(
      "rules.0.transports",
    );
    expect(await set({ rules: [{ transports: [{ id: "other" }] }] })).toContain("rules.0.transports.0.id");
    expect(await ask("routes", "get")).toEqual(whole);
    expect(await ask("transport", "remove", id)).toContain("rules of routes name it");
    await set({ rules: [] });
    expect(await ask("transport", "remove", id)).toEqual({ id, removed: true });
  });

  test("warmup-plan makes plans for transports, whose kind stays", async () => {
    const plan = await ask("warmup-plan", "add", "--name", "Slow", "--limits", "10,20");
    const made = await ask("transport", "add", "--name", "New", "--kind", "capture", "--warmup", plan.id);

    expect(made.warmup).toMatchObject({ planId: plan.id, day: 1, limitToday: 10 });
    expect(await ask("warmup-plan", "remove", plan.id)).toContain("transports are warmed up by it");
    expect(await ask("transport", "set", made.id, "--kind", "smtp")).toContain(
      "kind: The kind of a transport stays",
    );
    await ask("transport", "set", made.id, "--warmup", "none");
    expect(await ask("warmup-plan", "remove", plan.id)).toEqual({ id: plan.id, removed: true });
    await ask("transport", "remove", made.id);
  });

  test.each([
    [["transport", "add"], "without --name"],
    [["transport", "add", "--name", "A"], "url: This field is required"],
    [["transport", "add", "--name", "A", "--kind", "pigeon"], "--kind is SMTP, DIRECT or CAPTURE"],
    [["transport", "add", "--name", "A", "--kind", "direct"], "heloName: This field is required"],
    [["transport", "set", crypto.randomUUID()], "Cannot change anything"],
    [["transport", "set", crypto.randomUUID(), "--weight", "0"], "Cannot read --weight"],
    [["transport", "pause", crypto.randomUUID()], "Cannot find this transport"],
    [["transport", "test", crypto.randomUUID()], "without --to"],
    [["warmup-plan", "add", "--name", "A", "--limits", "10,x"], "--limits"],
    [["routes", "set", "/nowhere.json"], "Cannot read /nowhere.json"],
  ])("%j says what is wrong", async (words, said) => {
    expect(await ask(...words)).toContain(said);
  });
});
