// People with an account, as tests need them.
import { expect } from "bun:test";
import { hashPassword } from "../../src/accounts/people/passwords.ts";
import { startSession } from "../../src/accounts/people/sessions.ts";
import { createUser } from "../../src/accounts/people/mod.ts";
import { inTransaction } from "../../src/context.ts";
// As the service does: Elysia comes first, whose idea of an address is not ours.
import "../../src/http/mod.ts";
import { type Answering, setSessionCookie } from "../../src/http/entry/session.ts";
import { addJob } from "../../src/jobs.ts";
import type { Answer, TestService } from "./service.ts";

/** The password of everybody in tests. */
export const PASSWORD = "correct horse battery";

/** What is sent beside the cookie. */
export interface PersonOptions {
  projectId?: string;
  headers?: Record<string, string>;
}

/** A person with a session. */
export interface Person {
  /** As the header `Cookie` has it. */
  cookie: string;
  userId: string;
  email: string;
  /** Sends a request as a page of our own does. */
  request(method: string, path: string, body?: unknown, options?: PersonOptions): Promise<Answer>;
}

let signedUp = 0;

/** Of {@linkcode PASSWORD}; it is checked in no time. */
const CHEAP_HASH = await Bun.password.hash(PASSWORD, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 });

/**
 * Signs somebody up, as `POST /auth/signup` does; without an address, with one that nobody has. {@linkcode PASSWORD} has a
 * hash that costs next to nothing, any other password one as the service makes it.
 */
export async function signUp(
  service: TestService,
  email = `person${++signedUp}@people.example`,
  password = PASSWORD,
): Promise<Person> {
  const passwordHash = password === PASSWORD ? CHEAP_HASH : await hashPassword(service, password, null);
  const { user, session } = await inTransaction(service, async (tx) => {
    const made = await createUser(tx, { email, passwordHash, emailVerified: false });
    if (!made.emailVerified) {
      await addJob(tx, "send_verification_mail", { email }, { key: `verification:${email}` });
    }
    return { user: made, session: await startSession(tx, made.id) };
  });
  const set: Answering = { headers: {} };
  await setSessionCookie(service, set, session);
  const headers = new Headers([["set-cookie", [set.headers["set-cookie"]!].flat()[0]!]]);
  return personOf(service, { status: 200, headers, body: { data: user } });
}

/** Logs somebody in who has an account: a second session. */
export async function logIn(service: TestService, email: string, password = PASSWORD): Promise<Person> {
  const answer = await service.request("POST", "/auth/login", { body: { email, password } });
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  return personOf(service, answer);
}

/** Whom an answer of sign-up or log-in has given a session. */
export function personOf(service: TestService, { headers, body }: Answer): Person {
  const cookie = cookieOf(headers)!;
  return {
    cookie,
    userId: body.data.id,
    email: body.data.email,
    request: (method, path, payload, { projectId, headers: more } = {}) =>
      service.request(method, path, {
        body: payload,
        headers: {
          cookie,
          "sec-fetch-site": "same-origin",
          ...(projectId && { "x-project-id": projectId }),
          ...more,
        },
      }),
  };
}

/** The session cookie that an answer sets, as a browser sends it back; null when it sets none. */
export function cookieOf(headers: Headers): string | null {
  const set = headers.getSetCookie().find((cookie) => /^(__Host-)?postrider_session=/.test(cookie));
  return set?.split(";")[0] ?? null;
}

/** Makes somebody a member of a project, without an invitation. */
export async function join(
  service: TestService,
  { userId }: { userId: string },
  projectId: string,
  role: "OWNER" | "ADMIN" | "MEMBER" = "MEMBER",
): Promise<void> {
  await service.pool`
    insert into memberships (project_id, user_id, role) values (${projectId}, ${userId}, ${role})
    on conflict (project_id, user_id) do update set role = excluded.role`;
}
