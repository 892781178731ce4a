// Named keys of a project, as tests make and try them.
import { beforeEach, expect } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { join, type Person, signUp } from "./accounts.ts";
import { DOMAIN, type TestService } from "./service.ts";

/** A key as it was made. */
export interface MadeKey extends ListedKey {
  key: string;
}

/** A key as it is listed. */
export interface ListedKey {
  id: string;
  name: string;
  kind: string;
  hint: string;
  scopes: string[];
  createdBy: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

/** A request that a key is tried with. */
export type Trial = readonly [method: string, path: string, body?: object];

const EVENT = { event: "signed up", email: "ada@example.com" };
const MAIL = { to: "ada@example.com", from: `shop@${DOMAIN}`, subject: "Hello", body: "<p>Hello</p>" };

export const READS: Trial = ["GET", "/contacts"];
export const WRITES: Trial = ["POST", "/contacts", { email: "bob@example.com" }];
export const TRACKS: Trial = ["POST", "/v1/track", EVENT];
export const SENDS: Trial = ["POST", "/v1/send", MAIL];

/** What {@linkcode keysOf} answers: the status, and the code of a refusal. */
export const IN = [200, null];
export const MADE = [201, null];
export const FORBIDDEN = [403, "FORBIDDEN"];
export const REFUSED = [401, "INVALID_API_KEY"];

/** Gives each test a project with an admin. */
export function useKeys(service: TestService) {
  const stage = {} as { project: NewProject; admin: Person };

  beforeEach(async () => {
    service.setNow(new Date());
    stage.project = await service.createProject();
    stage.admin = await signUp(service);
    await join(service, stage.admin, stage.project.id, "ADMIN");
  });

  const keysPath = (id = "", projectId = stage.project.id) => `/projects/${projectId}/keys${id && `/${id}`}`;

  return {
    stage,
    keysPath,
    async make(scopes: string[], more: object = {}): Promise<MadeKey> {
      const answer = await stage.admin.request("POST", keysPath(), { name: "Shop", scopes, ...more });
      expect([answer.status, answer.body.error]).toEqual([201, undefined]);
      return answer.body as MadeKey;
    },
    async listed(): Promise<ListedKey[]> {
      return (await stage.admin.request("GET", keysPath())).body.keys;
    },
    /** What becomes of a request with a key. */
    async outcome(key: string, method: string, path: string, body?: object) {
      const answer = await service.request(method, path, { key, ...(body && { body }) });
      return [answer.status, answer.body?.error?.code ?? null];
    },
  };
}
