// The page of the link that a development installation prints: it logs in as the owner of the first project. Its button does
// it, so that a preview of the link does not use it up.
import { enterByStartToken, isStartToken, START_LINK_MINUTES } from "../../accounts/people/start_links.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { hidden } from "./_auth_fields.ts";
import { type FormPage, type FormVisit, type NoticePage, pathOf } from "./form_pages.ts";
import { letIn } from "./two_factor_page.ts";
import { visitorOf } from "../entry/session.ts";

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const OWN_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** For people at this machine only. */
export async function start(
  ctx: Context,
  given: URLSearchParams,
  visit: FormVisit,
): Promise<FormPage | NoticePage> {
  const token = given.get("token") ?? "";
  if (!isFromHere(visit)) throw problems.routeNotFound(visit.request.method, "/auth/start");
  if (!isStartToken(ctx, token)) {
    return {
      title: "This link no longer works",
      more: `<p>It works once, within ${START_LINK_MINUTES} minutes. Start the service again: it prints a new one.</p>`,
      status: 400,
    };
  }
  return {
    title: "Open the console",
    text: "You will be logged in as the owner of the project that was created for you.",
    fields: hidden("token", given),
    button: "Log in",
    async act(_, __, { request, server, set }) {
      const admission = await enterByStartToken(ctx, token, await visitorOf(ctx, request, server));
      set.status = 303;
      set.headers.location = await letIn(ctx, set, admission, pathOf(ctx, "/app"));
      return { title: "You are logged in" };
    },
  };
}

/** The request comes from this machine, names an address of this machine, and passed through no proxy. */
function isFromHere({ request, server }: FormVisit): boolean {
  const address = server?.requestIP?.(request)?.address ?? "";
  if (!LOOPBACK.test(address) || !OWN_HOST.test(request.headers.get("host") ?? "")) return false;
  return request.headers.get("x-forwarded-for") === null && request.headers.get("forwarded") === null;
}
