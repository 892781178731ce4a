// /contacts: the audience. Bare resources; a few refusals are bare too, as the specification has them.
import { Elysia, t } from "elysia";
import { documented, requiredFields } from "../entry/document.ts";
import { type ContactOrder, countContacts, listContacts } from "../../audience/contacts/list.ts";
import { deleteContact } from "../../audience/contacts/deletion.ts";
import { getContact, lookUpContacts, patchContact, saveContact } from "../../audience/contacts/mod.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { bounded } from "../entry/body_bounds.ts";
import { clampLimit, CursorList, CursorQuery, orderQuery, readCursor, toCursor } from "./_lists.ts";
import {
  answers,
  BareError,
  Contact,
  Data,
  EmailAddress,
  GivenProperties,
  isUuid,
  Nullable,
  PathId,
  Text,
} from "../entry/schemas.ts";

const SavedContact = t.Object(
  {
    ...Contact.properties,
    _meta: t.Object({ isNew: t.Boolean(), isUpdate: t.Boolean() }),
  },
  { title: "SavedContact" },
);

/** Without an address it is refused in a way of its own. */
const ContactBody = requiredFields(
  t.Object(
    {
      email: t.Optional(documented(Nullable(t.String({ format: "email-or-empty" })), EmailAddress)),
      ...GivenProperties,
      data: t.Optional(Data),
    },
    { title: "ContactBody" },
  ),
  ["email"],
);

const MAX_LOOKUP = 500;

const Addresses = documented(
  bounded(t.Unknown(), { bytes: MAX_LOOKUP * 320, values: MAX_LOOKUP + 1 }),
  t.Array(t.String(), { minItems: 1, maxItems: MAX_LOOKUP }),
);

/** The contact endpoints, in the order of the specification's table. */
export function contactsRoutes(ctx: Context) {
  return new Elysia({ prefix: "/contacts", detail: { tags: ["Contacts"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/",
      async ({ project, query }) => {
        const filter = { search: query.search, subscribed: asBoolean(query.subscribed) };
        const order = orderOf(query.sort, query.dir);
        const page = { order, limit: clampLimit(query.limit), after: readPlace(query.cursor, order) };
        const [rows, total] = await Promise.all([
          listContacts(ctx, project.id, filter, page),
          page.after === null ? countContacts(ctx, project.id, filter) : 0,
        ]);
        const data = rows.slice(0, page.limit);
        const hasMore = rows.length > page.limit;
        const last = data.at(-1);
        return {
          data,
          cursor: hasMore ? toCursor([order.sort, last!.sortKey, last!.id]) : null,
          hasMore,
          total,
        };
      },
      {
        query: t.Object({
          ...CursorQuery,
          search: t.Optional(Text({ description: "A part of the address, in any case.", maxLength: 254 })),
          subscribed: t.Optional(
            documented(t.String({ description: "Left out: both." }), {
              type: "string",
              enum: ["true", "false"],
            }),
          ),
          ...orderQuery(["createdAt", "email"]),
        }),
        response: answers(CursorList(Contact), { refusals: [400] }),
        detail: {
          operationId: "listContacts",
          summary: "List contacts",
          description:
            "A cursor list of contacts. `total` counts all that match, on the first page only. Unknown words for `sort` and `dir` count as the default.",
        },
      },
    )
    .post(
      "/",
      async ({ project, body, status, set }) => {
        if (body.email === undefined || body.email === null || body.email === "") {
          return status(400, { error: "An email is required" });
        }
        const { email } = parseAddress(body.email)!;
        const { contact, isNew } = await saveContact(ctx, project.id, { ...body, email });
        if (isNew) set.status = 201;
        return { ...contact, _meta: { isNew, isUpdate: !isNew } };
      },
      {
        body: ContactBody,
        response: {
          ...answers(SavedContact, { refusals: [413, 415, 422] }),
          201: SavedContact,
          400: BareError,
        },
        detail: {
          operationId: "createContact",
          summary: "Create a contact, or merge into the one with this address",
          description:
            "Answers 201 for a new contact, and 200 where the address existed: then `data` is merged into what is there, and `subscribed` stays as it is unless it is given. New contacts are subscribed.",
        },
      },
    )
    .post(
      "/lookup",
      async ({ project, body: { emails }, status }) => {
        const valid = Array.isArray(emails) && emails.length > 0 && emails.length <= MAX_LOOKUP;
        if (!valid || emails.some((email) => typeof email !== "string")) {
          return status(400, { error: `emails must be an array of 1 to ${MAX_LOOKUP} strings` });
        }
        return await lookUpContacts(ctx, project.id, emails as string[]);
      },
      {
        body: requiredFields(t.Object({ emails: t.Optional(Addresses) }), ["emails"]),
        response: {
          ...answers(t.Object({ found: t.Array(t.String()), notFound: t.Array(t.String()) }), {
            refusals: [413, 415],
          }),
          400: BareError,
        },
        detail: {
          operationId: "lookUpContacts",
          summary: "Tell which of up to 500 addresses are contacts",
          description: "Answers with the addresses as they were given, in their order.",
        },
      },
    )
    .get("/:id", async ({ project, params: { id } }) => await getContact(ctx, project.id, contactId(id)), {
      params: t.Object({ id: PathId }),
      response: answers(Contact, { refusals: [404] }),
      detail: {
        operationId: "getContact",
        summary: "Get a contact",
        description: "One contact, with all of its data.",
      },
    })
    .patch(
      "/:id",
      async ({ project, params: { id }, body }) => {
        const email = body.email === undefined ? undefined : parseAddress(body.email)!.email;
        return await patchContact(ctx, project.id, contactId(id), { ...body, email });
      },
      {
        params: t.Object({ id: PathId }),
        body: t.Object({
          email: t.Optional(EmailAddress),
          ...GivenProperties,
          data: t.Optional(Nullable(Data)),
        }),
        response: answers(Contact, { refusals: [400, 404, 409, 413, 415, 422] }),
        detail: {
          operationId: "updateContact",
          summary: "Change a contact; `data: null` clears its data",
          description:
            "Changes what is given: `data` is merged key by key, and `null` removes a key. A change of `subscribed` records `contact.subscribed` or `contact.unsubscribed`. Refused with 409 where another contact of the project has the address.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, params: { id }, set }) => {
        await deleteContact(ctx, project.id, contactId(id));
        set.status = 204;
      },
      {
        params: t.Object({ id: PathId }),
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "deleteContact",
          summary: "Delete a contact for good",
          description:
            "Deletes the contact with its events and memberships. Its mails stay in the ledger without the address, so that counters stay right. It cannot be undone.",
        },
      },
    );
}

function contactId(id: string): string {
  if (!isUuid(id)) throw problems.contactNotFound(id);
  return id;
}

/** Unknown words fall back to the default, as the specification says. */
function orderOf(sort: string | undefined, dir: string | undefined): ContactOrder {
  return { sort: sort === "email" ? "email" : "createdAt", dir: dir === "asc" ? "asc" : "desc" };
}

function asBoolean(text: string | undefined): boolean | undefined {
  if (text === undefined || text === "") return undefined;
  if (text !== "true" && text !== "false")
    throw problems.badRequest("Cannot filter by subscribed: expected true or false");
  return text === "true";
}

/** A cursor belongs to the sort column it was made for. */
function readPlace(cursor: string | undefined, { sort }: ContactOrder) {
  if (cursor === undefined) return null;
  const [madeFor, sortKey, id] = readCursor(cursor, 3);
  const wrong = madeFor !== sort || !isUuid(id!) || (sort === "createdAt" && !isPostgresTime(sortKey!));
  if (wrong) throw problems.badCursor();
  return { sortKey: sortKey!, id: id! };
}

/** A time as Postgres writes it in UTC, on a day that exists. */
function isPostgresTime(text: string): boolean {
  const parts = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(\.\d{1,6})?\+00$/.exec(text);
  const time = new Date(`${parts?.[1]}T${parts?.[2]}Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(parts![1]!);
}
