// Who may call what: every endpoint of the service, by everybody who could come along. A new endpoint is asked about too.
import { beforeAll, describe, expect, test } from "bun:test";
import { requestDeletion } from "../../src/accounts/projects/removal.ts";
import { createProject, disableProject, type NewProject } from "../../src/accounts/projects/mod.ts";
import { OPERATOR } from "../../src/accounts/audit.ts";
import { join, type Person, signUp } from "../support/accounts.ts";
import { FOR_ADMINS, FOR_MEMBERS, FOR_OWNERS, FOR_USERS, OPEN } from "../support/endpoints.ts";
import { type Answer, type RequestOptions, useService } from "../support/service.ts";

const service = useService();

const ROLES = ["MEMBER", "ADMIN", "OWNER"] as const;
type Role = (typeof ROLES)[number];

/** Who may call an endpoint. */
type Access =
  | "open"
  | "public key"
  | "secret key or session"
  | "session, or to read the secret key"
  | "session"
  | "own project"
  | "view of a project";

interface Endpoint {
  name: string;
  method: string;
  path: string;
  access: Access;
  needed: Role;
}

function endpoints(): Endpoint[] {
  return service.app.routes.map(({ method, path: pattern }) => {
    const path = pattern.replace(/(.)\/$/, "$1");
    const name = `${method} ${path}`;
    const role = FOR_MEMBERS.includes(name) ? "MEMBER" : FOR_ADMINS.includes(name) ? "ADMIN" : "OWNER";
    return { name, method, path, access: accessOf(name, path), needed: role };
  });
}

function accessOf(name: string, path: string): Access {
  if (OPEN.includes(name)) return "open";
  if (name === "POST /v1/track") return "public key";
  if (path.startsWith("/users/@me/projects/:id")) return "own project";
  // No key opens what makes keys.
  if (/^\/projects\/:id\/(keys|webhook-secret)/.test(path)) return "own project";
  if (FOR_USERS.includes(name)) return "session";
  if (path.startsWith("/inbox/")) return "session, or to read the secret key";
  return path.startsWith("/projects/:id") ? "view of a project" : "secret key or session";
}

const CALLERS = [
  "nobody",
  "outsider",
  "key of another project",
  "public key",
  "secret key",
  "session without a project",
  "another site's page",
  "MEMBER",
  "ADMIN",
  "OWNER",
] as const;
type Caller = (typeof CALLERS)[number];

/** Only where the project is named by a header can it be left out. */
function callersAt({ access }: Endpoint): Caller[] {
  const isNamed = access === "secret key or session" || access === "session, or to read the secret key";
  return CALLERS.filter((caller) => isNamed || caller !== "session without a project");
}

/** What becomes of a caller: the code of the refusal, or "in". */
function expected({ access, method, needed }: Endpoint, caller: Caller): string {
  const isReading = method === "GET";
  const byRole = (role: Role) => (ROLES.indexOf(role) < ROLES.indexOf(needed) ? "FORBIDDEN" : "in");
  if (access === "open") return "in";
  if (caller === "nobody") return "MISSING_AUTH";
  const isKey = caller.includes("key");
  if (access === "public key")
    return isKey ? (caller === "public key" ? "in" : "INVALID_API_KEY") : "MISSING_AUTH";
  if (isKey) {
    if (access === "session" || access === "own project") return "INVALID_API_KEY";
    if (access !== "secret key or session" && !isReading) return "INVALID_API_KEY";
    if (caller === "public key") return "INVALID_API_KEY";
    if (caller === "secret key" || access !== "view of a project") return "in";
    return "PROJECT_ACCESS_DENIED";
  }
  if (caller === "another site's page" && !isReading) return "FORBIDDEN";
  if (access === "session") return "in";
  if (caller === "outsider") return "PROJECT_ACCESS_DENIED";
  if (caller === "session without a project") return "BAD_REQUEST";
  return byRole(ROLES.find((role) => role === caller) ?? "OWNER");
}

interface Stage {
  project: NewProject;
  other: NewProject;
  outsider: Person;
  victim: Person;
  people: Record<Role, Person>;
}

let cast: Omit<Stage, "project">;

beforeAll(async () => {
  const [outsider, victim, member, admin, owner] = await Promise.all(
    Array.from({ length: 5 }, () => signUp(service)),
  );
  // Factors are for those who have proven their address.
  await service.pool`update users set email_verified_at = now()`;
  const other = await service.createProject();
  await join(service, outsider!, other.id, "OWNER");
  cast = {
    other,
    outsider: outsider!,
    victim: victim!,
    people: { MEMBER: member!, ADMIN: admin!, OWNER: owner! },
  };
});

/** A project of its own for each endpoint: some of them leave nothing. */
async function stage(): Promise<Stage> {
  const project = await createProject(service, "Stage");
  for (const role of ROLES) await join(service, cast.people[role], project.id, role);
  await join(service, cast.victim, project.id, "MEMBER");
  return { ...cast, project };
}

async function call({ method, path }: Endpoint, caller: Caller, on: Stage): Promise<Answer> {
  const { project, other, outsider, victim, people } = on;
  const target = pathFor(path, project.id, victim.userId);
  const options: RequestOptions = method === "GET" ? {} : { body: {} };
  const as = (person: Person, headers: Record<string, string> = {}) =>
    person.request(method, target, options.body, { projectId: project.id, headers });
  switch (caller) {
    case "nobody":
      return await service.request(method, target, options);
    case "key of another project":
      return await service.request(method, target, { ...options, key: other.secret });
    case "public key":
      return await service.request(method, target, { ...options, key: project.public });
    case "secret key":
      return await service.request(method, target, { ...options, key: project.secret });
    case "session without a project":
      return await people.OWNER.request(method, target, options.body);
    case "another site's page":
      return await as(people.OWNER, { "sec-fetch-site": "cross-site", origin: "https://evil.example" });
    case "outsider":
      return await as(outsider);
    default:
      return await as(people[caller]);
  }
}

function pathFor(path: string, projectId: string, userId: string): string {
  const isOfProject = /^\/(users\/@me\/)?projects\/:id/.test(path);
  return path
    .replace(":userId", userId)
    .replace(":projectId", projectId)
    .replace(":id", isOfProject ? projectId : crypto.randomUUID())
    .replace(/:\w+/g, () => crypto.randomUUID());
}

const BY_AUTHENTICATION = [
  "FORBIDDEN",
  "PROJECT_ACCESS_DENIED",
  "PROJECT_DISABLED",
  "EMAIL_VERIFICATION_REQUIRED",
];

/** The refusal of the authentication; "in" for any other answer. */
function outcomeOf({ status, body, headers }: Answer): string {
  // The APIs of other providers have errors of other shapes, with our code in a header.
  const code: string = body?.error?.code ?? headers.get("x-error-code") ?? "";
  if (status >= 500 && status !== 501) return `${status} ${code}`;
  if (status === 401 || (status === 403 && BY_AUTHENTICATION.includes(code))) return code;
  return status === 400 &&
    code === "BAD_REQUEST" &&
    /which project this request is for/.test(JSON.stringify(body))
    ? code
    : "in";
}

const guarded = () => endpoints().filter(({ access }) => access !== "open");

describe("the lists of endpoints", () => {
  test("name every endpoint of the service once, and none that is not there", () => {
    const listed = [OPEN, FOR_USERS, FOR_MEMBERS, FOR_ADMINS, FOR_OWNERS].flat();

    expect(listed.toSorted()).toEqual(
      endpoints()
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});

describe("every endpoint, by everybody", () => {
  test("lets in who may call it, and nobody else", async () => {
    const wrong: string[] = [];
    for (const endpoint of guarded()) {
      const on = await stage();
      // From the least to the most: whoever comes last may leave nothing behind.
      for (const caller of callersAt(endpoint)) {
        const outcome = outcomeOf(await call(endpoint, caller, on));
        const right = expected(endpoint, caller);
        if (outcome !== right) wrong.push(`${endpoint.name}, ${caller}: ${outcome}, not ${right}`);
      }
    }

    expect(wrong).toEqual([]);
    expect(guarded().length).toBeGreaterThan(80);
  }, 240_000);

  test("HEAD is refused where GET is", async () => {
    const wrong: string[] = [];
    const on = await stage();
    for (const endpoint of guarded().filter(({ method }) => method === "GET")) {
      for (const caller of ["nobody", "outsider", "MEMBER"] as const) {
        const { status } = await call({ ...endpoint, method: "HEAD" }, caller, on);
        const right = expected(endpoint, caller);
        const isRefused = status === 401 || status === 403;
        if (isRefused !== (right !== "in")) wrong.push(`${endpoint.name}, ${caller}: ${status}, ${right}`);
      }
    }

    expect(wrong).toEqual([]);
  }, 240_000);

  test("what is open asks nobody for anything", async () => {
    const wrong: string[] = [];
    const on = await stage();
    for (const endpoint of endpoints().filter(({ access }) => access === "open")) {
      const { status, body } = await call(endpoint, "nobody", on);
      // It mails the address of the session, unless another one is named.
      const isAsked = status === 401 && endpoint.path !== "/auth/request-verification";
      if (isAsked) wrong.push(`${endpoint.name}: ${body?.error?.code}`);
    }

    expect(wrong).toEqual([]);
  }, 240_000);

  test("a disabled project is closed, but for looking at it, leaving it and deleting it", async () => {
    const wrong: string[] = [];
    for (const endpoint of guarded()) {
      const on = await stage();
      await disableProject(service, on.project.id, "unpaid");
      for (const caller of callersAt(endpoint)) {
        const outcome = outcomeOf(await call(endpoint, caller, on));
        const right = expectedOfDisabled(endpoint, caller);
        if (outcome !== right) wrong.push(`${endpoint.name}, ${caller}: ${outcome}, not ${right}`);
      }
    }

    expect(wrong).toEqual([]);
  }, 240_000);

  test("a deleted project is gone for everybody at once", async () => {
    const wrong: string[] = [];
    const on = await stage();
    await requestDeletion(service, on.project.id, OPERATOR);
    for (const endpoint of guarded()) {
      for (const caller of callersAt(endpoint)) {
        const outcome = outcomeOf(await call(endpoint, caller, on));
        const right = expectedOfDeleted(endpoint, caller);
        if (outcome !== right) wrong.push(`${endpoint.name}, ${caller}: ${outcome}, not ${right}`);
      }
    }

    expect(wrong).toEqual([]);
  }, 240_000);
});

function expectedOfDisabled(endpoint: Endpoint, caller: Caller): string {
  const usual = expected(endpoint, caller);
  const { access, method } = endpoint;
  if (usual !== "in" || access === "session" || caller === "key of another project") return usual;
  const isOfProject = access === "own project" || access === "view of a project";
  return isOfProject && (method === "GET" || method === "DELETE") ? "in" : "PROJECT_DISABLED";
}

function expectedOfDeleted(endpoint: Endpoint, caller: Caller): string {
  const usual = expected(endpoint, caller);
  if (endpoint.access === "session" || caller === "key of another project" || caller === "nobody")
    return usual;
  if (caller.includes("key")) return "INVALID_API_KEY";
  if (caller === "another site's page" && usual === "FORBIDDEN" && endpoint.method !== "GET") return usual;
  return usual === "BAD_REQUEST" || usual === "MISSING_AUTH" ? usual : "PROJECT_ACCESS_DENIED";
}
