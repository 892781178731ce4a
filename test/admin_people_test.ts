// `bun run admin user` and `member`, against a database of its own.
import { describe, expect, test } from "bun:test";
import { Secret, TOTP } from "otpauth";
import { PASSWORD, signUp } from "./support/accounts.ts";
import { runAdmin, settingsOf, useAdmin } from "./support/admin.ts";
import { useService } from "./support/service.ts";

const service = useService();
const { admin } = useAdmin(service);

/** With this on its standard input. */
const adminReading = (input: string, ...words: string[]) => runAdmin(settingsOf(service), words, input);

describe("bun run admin", () => {
  test("user create makes an account that can log in, without the password on the command line", async () => {
    const words = ["user", "create", "--email", " Grace@People.Example", "--password-from-stdin"];
    const { out, exitCode } = adminReading("a password of grace\n", ...words);
    const logIn = (password: string) =>
      service.request("POST", "/auth/login", { body: { email: "grace@people.example", password } });
    const listed = JSON.parse((await admin("user", "list")).out) as Record<string, unknown>[];

    expect([exitCode, JSON.parse(out)]).toEqual([
      0,
      { id: expect.any(String), email: "grace@people.example", emailVerified: true },
    ]);
    expect([(await logIn("a password of grace")).status, (await logIn("another password")).status]).toEqual([
      200, 401,
    ]);
    expect(listed.find(({ email }) => email === "grace@people.example")).toEqual({
      id: JSON.parse(out).id,
      email: "grace@people.example",
      emailVerified: true,
      createdAt: expect.any(String),
      projects: 0,
    });
    expect(out).not.toContain("argon2");
  });

  test("member add, set-role and remove say who looks after a project, down to the last owner", async () => {
    const { id } = await service.createProject();
    for (const name of ["alan", "barbara"])
      await admin("user", "create", "--email", `${name}@people.example`);
    const member = (word: string, name: string, ...more: string[]) =>
      admin("member", word, id, "--email", `${name}@people.example`, ...more);
    const added = await member("add", "alan", "--role", "owner");
    const unknown = await member("add", "nobody");
    const twice = await member("add", "alan");
    await member("add", "barbara");
    const last = [await member("set-role", "alan", "--role", "MEMBER"), await member("remove", "alan")];
    const raised = await member("set-role", "barbara", "--role", "OWNER");
    const removed = await member("remove", "alan");
    const left = JSON.parse((await admin("member", "list", id)).out);
    const audited = await service.pool`
      select action, actor_kind, subject from audit where project_id = ${id} and action ^@ 'members.' order by id`;

    expect(JSON.parse(added.out)).toMatchObject({
      email: "alan@people.example",
      role: "OWNER",
      status: "ACTIVE",
    });
    expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining("user create")]);
    expect([twice.exitCode, twice.err]).toEqual([1, expect.stringContaining("already a member")]);
    expect(last.map(({ exitCode, err }) => [exitCode, err.trim()])).toEqual(
      Array(2).fill([1, "Cannot leave the project without an owner"]),
    );
    expect([raised.exitCode, JSON.parse(removed.out).removed]).toEqual([0, true]);
    expect(left).toMatchObject([{ email: "barbara@people.example", role: "OWNER", status: "ACTIVE" }]);
    expect(audited.map(({ action, actorKind, subject }) => [action, actorKind, subject])).toEqual([
      ["members.added", "OPERATOR", "alan@people.example"],
      ["members.added", "OPERATOR", "barbara@people.example"],
      ["members.role_changed", "OPERATOR", "barbara@people.example"],
      ["members.removed", "OPERATOR", "alan@people.example"],
    ]);
    expect((await service.pool`select from invitations where project_id = ${id}`).length).toBe(0);
  });

  test.each(["", "short", "two\nlines of it", `${"x".repeat(129)}`])(
    "%j is no password",
    async (password) => {
      const { err, exitCode } = adminReading(
        password,
        "user",
        "create",
        "--email",
        "no@people.example",
        "--password-from-stdin",
      );

      expect([exitCode, err]).toEqual([1, expect.stringContaining("8 to 128 characters")]);
      expect((await service.pool`select from users where email = 'no@people.example'`).length).toBe(0);
    },
  );
});

describe("bun run admin user two-factor-off", () => {
  test("lets somebody in again who has lost every factor, and says so when there was nothing to do", async () => {
    const person = await signUp(service);
    await service.pool`update users set email_verified_at = now() where id = ${person.userId}`;
    const { body } = await person.request("POST", "/users/@me/two-factor/totp");
    const code = new TOTP({ secret: Secret.fromBase32(body.secret) }).generate();
    await person.request("POST", "/users/@me/two-factor/totp/confirm", { code });
    const logIn = async () => {
      const credentials = { email: person.email, password: PASSWORD };
      const { status, body: answer } = await service.request("POST", "/auth/login", { body: credentials });
      return [status, answer.error?.code];
    };
    const before = await logIn();
    const { out, exitCode } = await admin("user", "two-factor-off", "--email", person.email);
    const again = await admin("user", "two-factor-off", "--email", person.email);
    const unknown = await admin("user", "two-factor-off", "--email", "nobody@example.com");

    expect(before).toEqual([401, "TWO_FACTOR_REQUIRED"]);
    expect([exitCode, JSON.parse(out)]).toMatchObject([0, { changed: true, twoFactor: false }]);
    expect(JSON.parse(again.out)).toMatchObject({ changed: false });
    expect([unknown.exitCode, unknown.err]).toEqual([1, expect.stringContaining("nobody@example.com")]);
    expect((await person.request("GET", "/users/@me")).status).toBe(401);
    expect(await logIn()).toEqual([200, undefined]);
  }, 60_000);
});
