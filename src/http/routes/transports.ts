// /transports: the ways out for the mails of a project. Bare resources.
import { Elysia, t } from "elysia";
import type { Actor } from "../../accounts/audit.ts";
import { directAddresses } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { readTime } from "../../insight/date_range.ts";
import { parseAddress } from "../../mail/address.ts";
import { type FieldError, problems } from "../../problem/mod.ts";
import { transportErrors } from "../../sending/transports/input.ts";
import {
  addTransport,
  changeTransport,
  MAX_TRANSPORTS,
  removeTransport,
} from "../../sending/transports/mod.ts";
import { getTransport, listTransports } from "../../sending/transports/records.ts";
import { listSharedTransports } from "../../sending/transports/shared.ts";
import { testTransport } from "../../sending/transports/trial.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, isUuid, PathId } from "../entry/schemas.ts";
import {
  TestBody,
  Transport,
  transportBody,
  transportChange,
  TransportList,
  TransportTest,
} from "./_transport_schemas.ts";

const one = { params: t.Object({ id: PathId }) };

/** The transports of a project. */
export function transportsRoutes(ctx: Context) {
  const rules = async (given: Given) => [
    ...(given.kind === undefined ? [] : await transportErrors(ctx, given, true)),
    ...timeErrors(given),
  ];
  return new Elysia({ prefix: "/transports", detail: { tags: ["Transports"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project }) => ({
        transports: await listTransports(ctx, project.id),
        installation: await listSharedTransports(ctx, project.id),
        directAddresses: directAddresses(ctx.config)?.slice() ?? null,
      }),
      {
        response: answers(TransportList),
        detail: {
          operationId: "listTransports",
          summary: "List the transports of the project, and those of the installation",
          description:
            "In the order in which they are used. Those of the installation have no address here: its operator looks after them.",
        },
      },
    )
    .post(
      "/",
      async ({ project, actor, body, set }) => {
        const errors = timeErrors(body);
        if (errors.length > 0) throw problems.invalid(errors);
        set.status = 201;
        return await addTransport(ctx, project.id, { ...body, warmup: warmupOf(body) }, actor);
      },
      {
        body: withRules(t.Object(transportBody, { title: "TransportBody" }), rules),
        response: answers(Transport, { status: 201, refusals: [400, 409, 413, 415, 422] }),
        detail: {
          operationId: "createTransport",
          summary: "Add a transport",
          description: `For OWNER. Mails of the project take it within seconds, and those of the installation no longer, unless routes say otherwise. Try it with \`POST /transports/{id}/test\`. Its server has to be at a public address (setting \`ALLOW_PRIVATE_TRANSPORTS\`). A project has at most ${MAX_TRANSPORTS} (409).`,
        },
      },
    )
    .get("/:id", async ({ project, params: { id } }) => await getTransport(ctx, project.id, idOf(id)), {
      ...one,
      response: answers(Transport, { refusals: [404] }),
      detail: {
        operationId: "getTransport",
        summary: "Get a transport",
        description:
          "With its state, and how much of its day is used. Those of the installation are only in the list.",
      },
    })
    .patch(
      "/:id",
      async ({ project, actor, params: { id }, body }) => {
        const errors = timeErrors(body);
        if (errors.length > 0) throw problems.invalid(errors);
        const change = { ...body, warmup: warmupOf(body) };
        return await changeTransport(ctx, project.id, idOf(id), change, actor);
      },
      {
        ...one,
        body: withRules(t.Object(transportChange, { title: "PatchTransportBody" }), (given: Given) =>
          timeErrors(given),
        ),
        response: answers(Transport, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateTransport",
          summary: "Change, pause or resume a transport",
          description:
            "For OWNER. Changes only the given fields; null removes a limit. Processes notice it within seconds: mails that are on their way by then are sent.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, params: { id }, set }) => {
        await removeTransport(ctx, project.id, idOf(id), actor);
        set.status = 204;
      },
      {
        ...one,
        response: answers(t.Void(), { status: 204, refusals: [404, 409] }),
        detail: {
          operationId: "deleteTransport",
          summary: "Remove a transport",
          description:
            "For OWNER. Refused while rules of the routes name it: `details.rules` counts them from 1. Mails that waited for it take another.",
        },
      },
    )
    .post(
      "/:id/test",
      async ({ project, actor, params: { id }, body }) => {
        const to = addressOf(body.to) ?? addressOfActor(actor);
        if (to === null) throw problems.invalid([TO_NEEDED]);
        return await testTransport(ctx, project.id, idOf(id), {
          to,
          from: addressOf(body.from) ?? undefined,
        });
      },
      {
        ...one,
        body: TestBody,
        response: answers(TransportTest, { refusals: [400, 404, 409, 413, 415, 422] }),
        detail: {
          operationId: "testTransport",
          summary: "Send a test mail by this transport alone",
          description:
            "For OWNER. Answers within 30 s what the server said, also when it refused: that is a 200 with `success: false`. It works for a paused transport, too, and appears in no list of mails. At most 200 a day for a project (429).",
        },
      },
    );
}

interface Given {
  name?: string | undefined;
  kind?: "SMTP" | "DIRECT" | "CAPTURE" | undefined;
  url?: string | undefined;
  heloName?: string | undefined;
  bindAddresses?: string[] | null | undefined;
  feedbackSecret?: string | null | undefined;
  warmup?: { planId: string; since?: string | undefined } | null | undefined;
}

const TO_NEEDED: FieldError = {
  field: "to",
  code: "required",
  message: "This field is required with an API key: the address of a member",
};

/** What the schema cannot say of the first day of a warm-up. */
function timeErrors({ warmup }: Given): FieldError[] {
  if (warmup?.since === undefined || dateOf(warmup.since)) return [];
  const message = "Expected a time, such as 2026-01-31T00:00:00Z";
  return [{ field: "warmup.since", code: "invalid_string", message, received: warmup.since }];
}

function warmupOf({ warmup }: Given) {
  if (!warmup) return warmup;
  const since = warmup.since === undefined ? undefined : dateOf(warmup.since)!;
  return { planId: warmup.planId, since };
}

/** In UTC, where no zone is said; null for what cannot be read. */
function dateOf(text: string): Date | null {
  const time = readTime(text);
  if (!time) return null;
  const instant = time instanceof Temporal.Instant ? time : time.toZonedDateTime("UTC").toInstant();
  return new Date(instant.epochMilliseconds);
}

function addressOf(text: string | undefined): string | null {
  return text === undefined ? null : parseAddress(text)!.email;
}

function addressOfActor(actor: Actor): string | null {
  return actor.kind === "user" ? actor.email : null;
}

function idOf(id: string): string {
  if (!isUuid(id)) throw problems.notFound("transport", id);
  return id.toLowerCase();
}
