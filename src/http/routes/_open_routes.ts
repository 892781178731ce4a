// What the endpoints have in common that let people in.
import { Elysia } from "elysia";
import type { LoggedIn } from "../../accounts/people/credentials.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { UNREAD } from "../entry/body.ts";
import { readBody } from "../entry/body_plans.ts";
import { takePublicRequest } from "../entry/public_limits.ts";
import { type Answering, assertNoOtherPage, setSessionCookie, visitorOf } from "../entry/session.ts";

/** For people without a session: from any network within its limit, but not from somebody else's page. */
export function openRoutes(ctx: Context) {
  return new Elysia()
    .onParse({ as: "scoped" }, () => UNREAD)
    .derive({ as: "scoped" }, async (visit) => {
      const { request, server, set, route } = visit;
      set.headers["cache-control"] = "no-store";
      const wait = takePublicRequest(ctx, request, server);
      if (wait !== null) throw problems.publicLimitExceeded(wait);
      assertNoOtherPage(ctx, request);
      if (visit.body === UNREAD) visit.body = await readBody(ctx, request, route);
      const visitor = await visitorOf(ctx, request, server);
      return { visitor, network: visitor.network, sessionId: visitor.replaces };
    });
}

/** Gives somebody who was let in the cookie of the session. */
export async function giveSession(ctx: Context, set: Answering, { user, session }: LoggedIn) {
  await setSessionCookie(ctx, set, session);
  return { success: true as const, data: user };
}
