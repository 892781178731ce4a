// GitHub as far as signing in sees it: plain OAuth 2, refusals with status 200, and answers as a form for whoever does
// not ask for JSON (https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps).
import { afterAll, beforeAll } from "bun:test";
import { createHash } from "node:crypto";
import { CLIENT, PERSON_HEADER } from "./openid_provider.ts";

/** An address of an account. */
export interface GithubEmail {
  email: string;
  primary: boolean;
  verified: boolean;
}

/** A stand-in for GitHub, for one test file. */
export interface Github {
  origin: string;
  /** By their names, which a browser sends as {@linkcode PERSON_HEADER}. */
  people: Map<string, { id: number; emails: GithubEmail[] }>;
  /** Answers a path instead. */
  answers: Map<string, () => Response>;
}

interface Code {
  person: string;
  challenge: string | null;
  redirectUri: string;
}

/** Gives the test file a GitHub that knows the service by this callback. */
export function useGithub(callback: string): Github {
  const github = {} as Github;
  const codes = new Map<string, Code>();
  const tokens = new Map<string, string>();
  let server: Bun.Server<undefined>;

  const authorize = ({ searchParams }: URL, person: string): Response => {
    const back = new URL(callback);
    if (searchParams.get("client_id") !== CLIENT.id || searchParams.get("redirect_uri") !== callback) {
      return new Response("Not Found", { status: 404 });
    }
    back.searchParams.set("state", searchParams.get("state") ?? "");
    if (github.people.has(person)) {
      const code = crypto.randomUUID();
      codes.set(code, { person, challenge: searchParams.get("code_challenge"), redirectUri: callback });
      back.searchParams.set("code", code);
    } else {
      back.searchParams.set("error", "access_denied");
      back.searchParams.set("error_description", "The user has denied your application access.");
    }
    return Response.redirect(back.href, 302);
  };

  const exchange = async (request: Request): Promise<Response> => {
    const form = new URLSearchParams(await request.text());
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const token = crypto.randomUUID();
    let answer: Record<string, string>;
    if (form.get("client_id") !== CLIENT.id || form.get("client_secret") !== CLIENT.secret) {
      answer = refusal("incorrect_client_credentials");
    } else if (!code || (code.challenge !== null && code.challenge !== challenge)) {
      answer = refusal("bad_verification_code");
    } else if (form.get("redirect_uri") !== code.redirectUri) {
      answer = refusal("redirect_uri_mismatch");
    } else {
      tokens.set(token, code.person);
      answer = { access_token: token, scope: "user:email", token_type: "bearer" };
    }
    return request.headers.get("accept")?.includes("application/json")
      ? Response.json(answer)
      : new Response(new URLSearchParams(answer).toString(), {
          headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
        });
  };

  const read = (request: Request, path: string): Response => {
    const person = github.people.get(
      tokens.get(request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "") ?? "",
    );
    if (!request.headers.has("user-agent")) return new Response("Request forbidden", { status: 403 });
    if (!person) return Response.json({ message: "Bad credentials", status: "401" }, { status: 401 });
    return Response.json(
      path === "/user" ? { login: "somebody", id: person.id, email: null } : person.emails,
    );
  };

  beforeAll(() => {
    server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: async (request) => {
        const url = new URL(request.url);
        const own = github.answers.get(url.pathname);
        if (own) return own();
        switch (url.pathname) {
          case "/login/oauth/authorize":
            return authorize(url, request.headers.get(PERSON_HEADER) ?? "");
          case "/login/oauth/access_token":
            return await exchange(request);
          case "/user":
          case "/user/emails":
            return read(request, url.pathname);
          default:
            return new Response("Not Found", { status: 404 });
        }
      },
    });
    Object.assign(github, {
      origin: `http://127.0.0.1:${server.port}`,
      people: new Map(),
      answers: new Map(),
    } satisfies Github);
  });

  afterAll(async () => {
    await server.stop(true);
  });

  return github;
}

function refusal(error: string): Record<string, string> {
  return { error, error_description: "The request is not right.", error_uri: "/apps/troubleshooting" };
}
