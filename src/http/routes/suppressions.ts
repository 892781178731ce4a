// /suppressions: the addresses that a project sends nothing to.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import {
  countSuppressions,
  listSuppressions,
  removeSuppression,
  suppressAddress,
  suppressErrors,
  suppressList,
} from "../../sending/suppressions.ts";
import { COUNT_UP_TO } from "../../totals.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { clampLimit, CursorList, CursorQuery, strictOrderQuery, readIdCursor, toIdPage } from "./_lists.ts";
import { answers, EmailAddress, Int, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

const Reason = Words(["BOUNCE", "COMPLAINT", "MANUAL"]);

const Suppression = t.Object(
  {
    id: Uuid,
    email: t.String(),
    reason: Reason,
    projectId: Uuid,
    createdAt: Timestamp,
  },
  { title: "Suppression" },
);

const Addresses = t.Array(EmailAddress, {
  minItems: 1,
  maxItems: 1000,
  description: "A list of addresses, instead of `email`.",
});

const SuppressBody = documented(
  withRules(
    t.Object({
      email: t.Optional(EmailAddress),
      emails: t.Optional(Addresses),
      reason: t.Optional(Reason),
    }),
    suppressErrors,
  ),
  {
    title: "SuppressBody",
    oneOf: [
      t.Object({ email: EmailAddress, reason: t.Optional(Reason) }, { title: "SuppressOneBody" }),
      t.Object({ emails: Addresses, reason: t.Optional(Reason) }, { title: "SuppressListBody" }),
    ],
  },
);

/** `GET`, `POST` and `DELETE /suppressions`. */
export function suppressionsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/suppressions", detail: { tags: ["Suppressions"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query: { search, reason, limit, cursor, dir } }) => {
        const filter = { search, reason };
        const order = dir === "asc" ? ("asc" as const) : ("desc" as const);
        const page = { limit: clampLimit(limit), afterId: readIdCursor(cursor), dir: order };
        const [rows, total] = await Promise.all([
          listSuppressions(ctx, project.id, filter, page),
          page.afterId === null ? countSuppressions(ctx, project.id, filter) : 0,
        ]);
        return toIdPage(rows, page.limit, total, total >= COUNT_UP_TO);
      },
      {
        query: t.Object({
          ...CursorQuery,
          search: t.Optional(Text({ description: "Part of the address, ignoring case.", maxLength: 254 })),
          reason: t.Optional(Reason),
          ...strictOrderQuery(["createdAt"]),
        }),
        response: answers(CursorList(Suppression), { refusals: [400] }),
        detail: {
          operationId: "listSuppressions",
          summary: "List suppressed addresses, newest first",
          description: "A cursor list of the addresses that get no mail, with the reason of each.",
        },
      },
    )
    .post(
      "/",
      async ({ project, body, set }) => {
        const errors = suppressErrors(body);
        if (errors.length > 0) throw problems.invalid(errors);
        const { email, emails = [], reason = "MANUAL" } = body;
        if (email === undefined) return await suppressList(ctx, project.id, emails.map(toAddress), reason);
        const { suppression, isNew } = await suppressAddress(ctx, project.id, toAddress(email), reason);
        if (isNew) set.status = 201;
        return suppression;
      },
      {
        body: SuppressBody,
        response: {
          ...answers(t.Union([Suppression, t.Object({ added: Int, existing: Int })]), {
            refusals: [413, 415, 422],
          }),
          201: Suppression,
        },
        detail: {
          operationId: "createSuppressions",
          summary: "Suppress an address, or a list of them",
          description:
            "One address: 201 with its record if it is new, otherwise 200. A list: 200 with how many were added and how many were already there. The reason of an existing entry can become stronger (COMPLAINT over BOUNCE over MANUAL), never weaker.",
        },
      },
    )
    .delete(
      "/",
      async ({ project, body, query, set }) => {
        const email = body?.email ?? query.email;
        if (email === undefined) {
          throw problems.invalid([{ field: "email", code: "required", message: "This field is required" }]);
        }
        await removeSuppression(ctx, project.id, toAddress(email));
        set.status = 204;
      },
      {
        query: t.Object({ email: t.Optional(EmailAddress) }),
        body: documented(
          t.Optional(Nullable(t.Object({ email: t.Optional(EmailAddress) }))),
          t.Object({ email: EmailAddress }, { title: "UnsuppressBody" }),
        ),
        response: answers(t.Void(), { status: 204, refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "deleteSuppression",
          summary: "Remove an address from the list, given in the body or in the query",
          description:
            "Mail can be sent to it again. A contact with that address stays unsubscribed. 404 if the address is not on the list.",
        },
      },
    );
}

/** The one spelling of a valid address. */
function toAddress(email: string): string {
  return parseAddress(email)!.email;
}
