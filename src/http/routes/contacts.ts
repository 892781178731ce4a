// /contacts: the audience. Bare resources; a few refusals are bare too, as the specification has them.
import { Elysia, t } from "elysia";
import { documented, requiredFields } from "../entry/document.ts";
import { requiredError, withRules } from "../entry/field_errors.ts";
import { deleteContact } from "../../audience/contacts/deletion.ts";
import { getContact, lookUpContacts, patchContact, saveContact } from "../../audience/contacts/mod.ts";
import { segmentsOf } from "../../audience/segments/explain.ts";
import { executionsOfContact } from "../../automation/engine/executions.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import type { FieldError } from "../../problem/mod.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { bounded } from "../entry/body_bounds.ts";
import { bareRefusal } from "../entry/problems.ts";
import { contactIdOf } from "./_contact_id.ts";
import { ExecutionStatus } from "./_workflow_schemas.ts";
import {
  answers,
  BareError,
  Contact,
  Data,
  EmailAddress,
  GivenProperties,
  Nullable,
  PathId,
  Timestamp,
  Uuid,
  Words,
} from "../entry/schemas.ts";

const SavedContact = t.Object(
  {
    ...Contact.properties,
    _meta: t.Object({ isNew: t.Boolean(), isUpdate: t.Boolean() }),
  },
  { title: "SavedContact" },
);

const WholeContact = t.Object(
  {
    ...Contact.properties,
    segments: t.Optional(
      t.Array(t.Object({ id: Uuid, name: t.String(), slug: t.String(), type: Words(["DYNAMIC", "STATIC"]) })),
    ),
    executions: t.Optional(
      t.Array(
        t.Object({
          id: Uuid,
          workflowId: Uuid,
          workflowName: t.String(),
          status: ExecutionStatus,
          startedAt: Timestamp,
          completedAt: Nullable(Timestamp),
        }),
      ),
    ),
  },
  { title: "WholeContact" },
);

/** Without an address it is refused in a way of its own. */
const ContactBody = requiredFields(
  withRules(
    t.Object(
      {
        email: t.Optional(documented(Nullable(t.String({ format: "email-or-empty" })), EmailAddress)),
        ...GivenProperties,
        data: t.Optional(Data),
      },
      { title: "ContactBody" },
    ),
    ({ email }: { email?: string | null }) => (email ? [] : [requiredError("email")]),
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
  return new Elysia().use(collectionRoutes(ctx)).use(itemRoutes(ctx));
}

/** `/contacts`, and what needs none of them. */
function collectionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/contacts", detail: { tags: ["Contacts"] } })
    .use(authenticateKey(ctx, "secret"))
    .post(
      "/",
      async ({ project, request, body, status, set }) => {
        if (body.email === undefined || body.email === null || body.email === "") {
          return status(400, bareRefusal(request, "An email is required"));
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
            "Returns 201 for a new contact. If the address existed, it returns 200, `data` is merged into the existing data, and `subscribed` stays as it is unless it is given. New contacts are subscribed.",
        },
      },
    )
    .post(
      "/lookup",
      async ({ project, request, body: { emails }, status }) => {
        const valid = Array.isArray(emails) && emails.length > 0 && emails.length <= MAX_LOOKUP;
        if (!valid || emails.some((email) => typeof email !== "string")) {
          return status(400, bareRefusal(request, `emails must be an array of 1 to ${MAX_LOOKUP} strings`));
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
          summary: "Find out which of up to 500 addresses are contacts",
          description: "Returns the addresses as they were given, in the same order.",
        },
      },
    );
}

/** `/contacts/:id`. */
function itemRoutes(ctx: Context) {
  return new Elysia({ prefix: "/contacts", detail: { tags: ["Contacts"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id",
      async ({ project, params: { id }, query: { include } }) => {
        const contact = await getContact(ctx, project.id, contactIdOf(id));
        const wanted = partsOf(include);
        return {
          ...contact,
          ...(wanted.includes("segments") && { segments: await segmentsOf(ctx, project.id, contact.id) }),
          ...(wanted.includes("executions") && {
            executions: await executionsOfContact(ctx, project.id, contact.id),
          }),
        };
      },
      {
        params: t.Object({ id: PathId }),
        query: withRules(
          t.Object({
            include: t.Optional(
              t.String({
                description: "`segments`, `executions` or both, separated by a comma.",
                examples: ["segments,executions"],
              }),
            ),
          }),
          includeErrors,
        ),
        response: answers(WholeContact, { refusals: [400, 404] }),
        detail: {
          operationId: "getContact",
          summary: "Get a contact",
          description:
            "One contact, with all of its data; with `include` also its current segments, and its newest 20 executions.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ project, params: { id }, body }) => {
        const email = body.email === undefined ? undefined : parseAddress(body.email)!.email;
        return await patchContact(ctx, project.id, contactIdOf(id), { ...body, email });
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
            "Changes only the given fields: `data` is merged key by key, and `null` removes a key. A change of `subscribed` records `contact.subscribed` or `contact.unsubscribed`. Refused with 409 if another contact of the project has the address.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, params: { id }, set }) => {
        await deleteContact(ctx, project.id, contactIdOf(id), actor);
        set.status = 204;
      },
      {
        params: t.Object({ id: PathId }),
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "deleteContact",
          summary: "Delete a contact permanently",
          description:
            "Deletes the contact with its events and memberships. Its mails stay in the ledger without the address, so that counters stay correct. The audit log gets a receipt: who deleted it and when, how many events and mails it had, and the hash that stands for its address from now on. This cannot be undone.",
        },
      },
    );
}

function partsOf(include: string | undefined): string[] {
  return include?.split(",").map((part) => part.trim()) ?? [];
}

function includeErrors({ include }: { include?: string }): FieldError[] {
  if (partsOf(include).every((part) => part === "segments" || part === "executions")) return [];
  const message = "Expected segments, executions or both";
  return [{ field: "include", code: "invalid_enum_value", message, received: include }];
}
