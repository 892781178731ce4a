import { beforeAll, describe, expect, test } from "bun:test";
import { MAX_MADE_A_DAY, MAX_PROJECTS } from "../../src/accounts/projects/own.ts";
import { disableProject, LANGUAGES } from "../../src/accounts/projects/mod.ts";
import { createApp } from "../../src/http/mod.ts";
import { openPool } from "../../src/db/pool.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { useService } from "../support/service.ts";

const service = useService();

let ada: Person;

beforeAll(async () => {
  ada = await signUp(service);
});

const create = async (person = ada, name = "Shop") =>
  (await person.request("POST", "/users/@me/projects", { name })).body as Record<string, string>;

const listOf = async (person: Person) =>
  (await person.request("GET", "/users/@me/projects")).body as Record<string, unknown>[];

describe("GET /users/@me", () => {
  test("says who is logged in, and nothing of the password", async () => {
    const { status, body } = await ada.request("GET", "/users/@me");

    expect(status).toBe(200);
    expect(body).toEqual({
      id: ada.userId,
      email: ada.email,
      emailVerified: false,
      emailProven: false,
      createdAt: expect.any(String),
      hasPassword: true,
      name: null,
      pendingEmail: null,
    });
  });

  test("is closed to keys, and to nobody's cookie", async () => {
    const { secret } = await service.createProject();
    const codeOf = async (options: object) => {
      const { status, body } = await service.request("GET", "/users/@me", options);
      return [status, body.error.code];
    };

    expect(await codeOf({})).toEqual([401, "MISSING_AUTH"]);
    expect(await codeOf({ key: secret })).toEqual([401, "INVALID_API_KEY"]);
    expect(await codeOf({ headers: { cookie: "postrider_session=x.y.z" } })).toEqual([401, "UNAUTHORIZED"]);
  });
});

describe("GET and POST /users/@me/projects", () => {
  test("a new project is owned by the person who made it, and both of its keys work at once", async () => {
    const person = await signUp(service);
    const { status, body } = await person.request("POST", "/users/@me/projects", { name: "Käse & Wein" });
    const listed = await listOf(person);
    const { secret, ...shown } = body;

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Käse & Wein",
      public: expect.stringMatching(/^pk_[0-9a-f]{48}$/),
      secret: expect.stringMatching(/^sk_[0-9a-f]{48}$/),
      secretHint: secret.slice(-4),
      tracking: "ENABLED",
      language: "en",
      timezone: "UTC",
      resendInDoubt: ["TRANSACTIONAL"],
      sendRate: null,
      postalAddress: null,
      requiresTwoFactor: false,
      disabled: false,
      disabledReason: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      role: "OWNER",
      sandboxOf: null,
      sandbox: null,
    });
    expect(listed).toEqual([shown]);
    expect((await service.request("GET", "/contacts", { key: secret })).status).toBe(200);
    const event = { email: "a@b.io", event: "e" };
    expect((await service.request("POST", "/v1/track", { key: body.public, body: event })).status).toBe(200);
  });

  test("lists the projects that one looks after with the role there, the oldest first, and no others", async () => {
    const person = await signUp(service);
    const [first, second] = [await create(ada, "First"), await create(person, "Second")];
    await create(ada, "Somebody else's");
    await join(service, person, first.id!, "ADMIN");
    await disableProject(service, first.id!, "unpaid");

    expect(
      (await listOf(person)).map(({ id, role, disabled, disabledReason }) => [
        id,
        role,
        disabled,
        disabledReason,
      ]),
    ).toEqual([
      [first.id, "ADMIN", true, "unpaid"],
      [second.id, "OWNER", false, null],
    ]);
  });

  test.each([
    [{}, "required"],
    [{ name: "" }, "too_small"],
    [{ name: "  \n" }, "too_small"],
    [{ name: "x".repeat(101) }, "too_big"],
    [{ name: 5 }, "invalid_type"],
    [{ name: null }, "invalid_type"],
    [{ name: "Shop\n\nYour account is blocked" }, "invalid_string"],
    [{ name: "Shop\u2028Next line" }, "invalid_string"],
    [{ name: "Shop \u202Egpj.exe" }, "invalid_string"],
    [{ name: "Sh\u200Bop" }, "invalid_string"],
    [{ name: "Log in at https://evil.example" }, "invalid_string"],
    [{ name: "WWW.evil.example" }, "invalid_string"],
  ])("%j is refused", async (body, code) => {
    const { status, body: answer } = await ada.request("POST", "/users/@me/projects", body);

    expect([status, answer.error.code]).toEqual([422, "VALIDATION_ERROR"]);
    expect(answer.error.errors).toEqual([expect.objectContaining({ field: "name", code })]);
  });

  test.each(["Käse & Wein: 24/7", "नमस्ते", "می‌خواهم", "Familie 👩‍👩‍👧", "shop.example", "awww. cute"])(
    "%p is a good name",
    async (name) => {
      expect((await create(ada, name)).name).toBe(name);
    },
  );

  test("a name that was taken before there were rules stays, and is changed for a good one only", async () => {
    const { id } = await create();
    const name = "Old\nname";
    await service.pool`update projects set name = ${name} where id = ${id!}`;
    const patch = (body: object) => ada.request("PATCH", `/users/@me/projects/${id}`, body);
    const other = await patch({ language: "de" });
    const bad = await patch({ name: "Still\nbad" });

    expect([other.status, other.body.name, bad.status]).toEqual([200, name, 422]);
  });

  test("nobody makes more than 100 on a day, whatever becomes of them", async () => {
    const person = await signUp(service);
    const day = service.now().toISOString().slice(0, 10);
    await service.pool`insert into daily_counts values (${`projects by ${person.userId}`}, ${day}, ${MAX_MADE_A_DAY - 2})`;
    const answers = [];
    for (let i = 0; i < 3; i++) {
      const answer = await person.request("POST", "/users/@me/projects", { name: "Again" });
      await person.request("DELETE", `/users/@me/projects/${answer.body.id}`);
      answers.push(answer);
    }
    const refused = answers[2]!;
    const left = await listOf(person);
    service.setNow(new Date(Date.now() + 86_400_000));
    const tomorrow = await person.request("POST", "/users/@me/projects", { name: "Again" });
    service.setNow(new Date());

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 429]);
    expect([refused.body.error.code, left]).toEqual(["RATE_LIMIT_EXCEEDED", []]);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 86_401);
    expect(tomorrow.status).toBe(201);
  });

  test("nobody owns more than the limit, also of those made at once; what is only looked after does not count", async () => {
    const person = await signUp(service);
    const room = 3;
    await service.pool`
      with made as (
        insert into projects (name, public_key, secret_hash, secret_hint)
        select 'p', 'pk_' || substr(md5(n::text) || md5(n::text), 1, 48), sha256(n::text::bytea), 'abcd'
        from generate_series(1, ${MAX_PROJECTS - room}::int) as n
        returning id
      )
      insert into memberships (project_id, user_id, role)
      select id, ${person.userId}, 'OWNER' from made`;
    await join(service, person, (await create()).id!, "ADMIN");
    const answers = await Promise.all(
      Array.from({ length: room + 5 }, () => person.request("POST", "/users/@me/projects", { name: "More" })),
    );
    const statuses = answers.map(({ status }) => status).sort();

    expect(statuses).toEqual([...Array(room).fill(201), ...Array(5).fill(409)]);
    expect(answers.find(({ status }) => status === 409)!.body.error.code).toBe("CONFLICT");
  });
});

describe("PATCH /users/@me/projects/:id", () => {
  test("changes what it names, and nothing else", async () => {
    const { secret: _, ...project } = await create();
    const patch = (body: object) => ada.request("PATCH", `/users/@me/projects/${project.id}`, body);
    const changed = await patch({ name: "New", timezone: "America/Argentina/Buenos_Aires" });
    const further = await patch({
      tracking: "MARKETING_ONLY",
      language: "pt",
      resendInDoubt: ["CAMPAIGN", "TRANSACTIONAL", "CAMPAIGN"],
      secretHint: "0000",
      disabled: true,
    });
    const empty = await patch({});

    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({
      ...project,
      name: "New",
      timezone: "America/Argentina/Buenos_Aires",
      updatedAt: expect.any(String),
    });
    expect(further.body).toEqual({
      ...changed.body,
      tracking: "MARKETING_ONLY",
      language: "pt",
      resendInDoubt: ["TRANSACTIONAL", "CAMPAIGN"],
      updatedAt: expect.any(String),
    });
    expect(empty.body).toMatchObject({ ...further.body, updatedAt: expect.any(String) });
  });

  test("every bad field is named at once, and nothing is changed then", async () => {
    const { id } = await create();
    const body = {
      name: "",
      tracking: "SOMETIMES",
      language: "xx",
      timezone: "Mars/Olympus",
      resendInDoubt: ["CAMPAIGN", "ALL"],
    };
    const refused = await ada.request("PATCH", `/users/@me/projects/${id}`, { ...body, name: 5 });
    const also = await ada.request("PATCH", `/users/@me/projects/${id}`, { ...body, name: "Good" });
    const fieldsOf = (answer: { body: { error: { errors: { field: string; code: string }[] } } }) =>
      answer.body.error.errors.map(({ field, code }) => `${field} ${code}`).sort();
    const others = [
      "language invalid_enum_value",
      "resendInDoubt.1 invalid_enum_value",
      "timezone invalid_string",
      "tracking invalid_enum_value",
    ];

    expect([refused.status, fieldsOf(refused)]).toEqual([
      422,
      [others[0]!, "name invalid_type", ...others.slice(1)],
    ]);
    expect([also.status, fieldsOf(also)]).toEqual([422, others]);
    expect((await listOf(ada)).find((project) => project.id === id)).toMatchObject({
      name: "Shop",
      language: "en",
    });
  });

  test.each(["+02:00", "europe/berlin", "Europe/Berlin ", "GMT+2x", "", "../etc/passwd", "UTC\n"])(
    "%j is no time zone",
    async (timezone) => {
      const { id } = await create();
      const { status, body } = await ada.request("PATCH", `/users/@me/projects/${id}`, { timezone });

      expect([status, body.error.errors[0].field]).toEqual([422, "timezone"]);
    },
  );

  test("takes every language that we speak, and every time zone that the database knows, too", async () => {
    const { id } = await create();
    const zones = await service.pool<{ name: string }[]>`select name from pg_timezone_names`;
    const known = new Set(zones.map(({ name }) => name));
    const unknown = Intl.supportedValuesOf("timeZone").filter((zone) => !known.has(zone));
    for (const language of LANGUAGES) {
      expect((await ada.request("PATCH", `/users/@me/projects/${id}`, { language })).body.language).toBe(
        language,
      );
    }
    for (const timezone of ["UTC", "Europe/Kyiv", "Asia/Kolkata", "US/Eastern"]) {
      expect((await ada.request("PATCH", `/users/@me/projects/${id}`, { timezone })).body.timezone).toBe(
        timezone,
      );
    }

    expect(unknown).toEqual([]);
  });

  test("a change that meets another one is not lost", async () => {
    const { id } = await create();
    const patch = (body: object) => ada.request("PATCH", `/users/@me/projects/${id}`, body);
    await Promise.all([patch({ name: "Both" }), patch({ language: "nl" }), patch({ tracking: "DISABLED" })]);

    expect((await listOf(ada)).find((project) => project.id === id)).toMatchObject({
      name: "Both",
      language: "nl",
      tracking: "DISABLED",
    });
  });

  test("is refused while the project is disabled, which can still be looked at", async () => {
    const { id } = await create();
    await disableProject(service, id!, "unpaid");
    const patched = await ada.request("PATCH", `/users/@me/projects/${id}`, { name: "New" });
    const rotated = await ada.request("POST", `/users/@me/projects/${id}/regenerate-keys`);
    const seen = await ada.request("GET", `/users/@me/projects/${id}/security`);

    expect([patched.status, patched.body.error.code]).toEqual([403, "PROJECT_DISABLED"]);
    expect([rotated.status, rotated.body.error.code]).toEqual([403, "PROJECT_DISABLED"]);
    expect([seen.status, seen.body.isDisabled]).toEqual([200, true]);
  });

  test("a project that is not there is refused as somebody else's is; what is no id is not found", async () => {
    const theirs = (await service.createProject()).id;
    const codeOf = async (id: string) => {
      const { status, body } = await ada.request("PATCH", `/users/@me/projects/${id}`, { name: "New" });
      return [status, body.error.code];
    };

    expect(await codeOf(crypto.randomUUID())).toEqual([403, "PROJECT_ACCESS_DENIED"]);
    expect(await codeOf(theirs)).toEqual([403, "PROJECT_ACCESS_DENIED"]);
    expect(await codeOf("5")).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });
});

describe("POST /users/@me/projects/:id/regenerate-keys", () => {
  test("answers with both new keys, and the old ones fail on the very next request of every process", async () => {
    const pool = openPool(service.databaseUrl, { max: 3 });
    const other = createApp({ ...service, pool, sql: pool });
    const elsewhere = async (key: string, path: string, body?: object) => {
      const request = new Request(`http://localhost${path}`, {
        method: body ? "POST" : "GET",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      const answer = await other.handle(request);
      return [answer.status, ((await answer.json()) as { error?: { code: string } }).error?.code];
    };
    const here = async (key: string, path: string, body?: object) => {
      const answer = await service.request(body ? "POST" : "GET", path, { key, body });
      return [answer.status, answer.body.error?.code];
    };
    const event = { email: "a@b.io", event: "e" };
    const old = await create();
    const before = [await here(old.secret!, "/emails"), await elsewhere(old.secret!, "/emails")];
    for (let round = 0; round < 5; round++) {
      const { id, secret, public: publicKey } = round === 0 ? old : (await rotate(old.id!)).body;
      const { status, body: fresh } = await rotate(id);

      expect([status, fresh.secretHint]).toEqual([200, fresh.secret.slice(-4)]);
      expect(await elsewhere(secret, "/emails")).toEqual([401, "INVALID_API_KEY"]);
      expect(await here(secret, "/emails")).toEqual([401, "INVALID_API_KEY"]);
      expect(await elsewhere(publicKey, "/v1/track", event)).toEqual([401, "INVALID_API_KEY"]);
      expect(await here(publicKey, "/v1/track", event)).toEqual([401, "INVALID_API_KEY"]);
      expect(await elsewhere(fresh.secret, "/emails")).toEqual([200, undefined]);
      expect(await here(fresh.public, "/v1/track", event)).toEqual([200, undefined]);
    }
    await pool.end();

    expect(before).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
  });

  test("a session goes on after a rotation: it needs no key", async () => {
    const project = await create();
    await rotate(project.id!);

    expect((await ada.request("GET", "/contacts", undefined, { projectId: project.id! })).status).toBe(200);
  });

  test("the secret key is shown this once, and stands nowhere in the database", async () => {
    const { id } = await create();
    const { secret } = (await rotate(id!)).body;
    const shown = JSON.stringify([
      await listOf(ada),
      (await ada.request("GET", `/projects/${id}/audit`)).body,
    ]);
    const [row] = await service.pool`select to_json(p)::text as text from projects p where id = ${id!}`;

    expect(shown).not.toContain(secret);
    expect(row!.text).not.toContain(secret);
  });
});

const rotate = (id: string) => ada.request("POST", `/users/@me/projects/${id}/regenerate-keys`);

describe("the rate limit of /users/@me", () => {
  const limited = useService({ RATE_LIMIT_PER_MINUTE: "20" });

  test("is as many requests a minute as a project has, for each user, and touches neither others nor projects", async () => {
    const [person, other] = [await signUp(limited), await signUp(limited)];
    // In the middle of a minute, so that all of it happens within one.
    limited.setNow(new Date(Math.ceil(Date.now() / 60_000) * 60_000 + 10_000));
    const project = (await person.request("POST", "/users/@me/projects", { name: "Shop" })).body;
    const first = await person.request("GET", "/users/@me");
    const rest = await Promise.all(
      Array.from({ length: 25 }, (_, i) =>
        person.request("GET", i % 2 ? "/users/@me" : "/users/@me/projects"),
      ),
    );
    const refused = await person.request("POST", "/users/@me/projects", { name: "Shop" });
    const page = await person.request("GET", "/contacts", undefined, { projectId: project.id });
    const theirs = await other.request("GET", "/users/@me");
    limited.setNow(new Date(limited.now().getTime() + 60_000));
    const later = await person.request("GET", "/users/@me");

    expect([first.headers.get("ratelimit-limit"), first.headers.get("ratelimit-remaining")]).toEqual([
      "20",
      "18",
    ]);
    expect(rest.filter(({ status }) => status === 200)).toHaveLength(18);
    expect([refused.status, refused.body.error.code]).toEqual([429, "RATE_LIMIT_EXCEEDED"]);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 61);
    expect([page.status, theirs.status, later.status]).toEqual([200, 200, 200]);
  });
});
