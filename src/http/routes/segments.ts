// /segments: named parts of the audience. Bare resources; a few refusals are bare too, as the specification has them.
import { Elysia, t } from "elysia";
import { conditionCatalogue } from "../../audience/conditions/catalogue.ts";
import { previewSegment } from "../../audience/segment_preview.ts";
import { type Condition } from "../../audience/conditions/tree.ts";
import { addMembers, computeMembership, removeMembers } from "../../audience/segments/members.ts";
import {
  createSegment,
  deleteSegment,
  getSegment,
  listSegments,
  patchSegment,
  refreshSegment,
  segmentTag,
} from "../../audience/segments/mod.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { EditHeaders, editOf } from "../entry/edits.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import {
  Segment,
  SegmentBody,
  SegmentPatch,
  SegmentPreview,
  segmentRules,
  Catalogue,
  ConditionTree,
  Emails,
} from "./_segment_schemas.ts";
import { segmentId } from "./_segment_ids.ts";
import { bareRefusal } from "../entry/problems.ts";
import { answers, BareError, Int, PathId } from "../entry/schemas.ts";

const one = { params: t.Object({ id: PathId }) };

/** The segment endpoints, in the order of the specification's table. */
export function segmentsRoutes(ctx: Context) {
  return new Elysia().use(collectionRoutes(ctx)).use(itemRoutes(ctx));
}

/** `/segments`, and what needs none of them. */
function collectionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/segments", detail: { tags: ["Segments"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/", async ({ project }) => await listSegments(ctx, project.id), {
      response: answers(t.Array(Segment)),
      detail: {
        operationId: "listSegments",
        summary: "List all segments, newest first",
        description: "A plain array, without pages. `memberCount` is the count of the last evaluation.",
      },
    })
    .post(
      "/",
      async ({ project, actor, headers, request, body, status, set }) => {
        const { name, description, type = "DYNAMIC", condition, trackMembership = false } = body;
        const isTree = typeof condition === "object" && condition !== null && !Array.isArray(condition);
        const needsTree = type === "DYNAMIC" && !isTree;
        if (!name?.trim()) {
          const errors = segmentRules({ ...body, condition: isTree ? condition : undefined });
          if (errors.length > 1) throw problems.invalid(errors);
          return status(
            400,
            bareRefusal(request, needsTree ? "A name and a condition are required" : "A name is required"),
          );
        }
        if (needsTree) return status(400, bareRefusal(request, "A dynamic segment needs a condition"));
        const input = { name, description, type, condition: condition as Condition, trackMembership };
        const segment = await createSegment(ctx, project.id, input, editOf(actor, headers));
        set.status = 201;
        set.headers.etag = segmentTag(segment);
        return segment;
      },
      {
        body: SegmentBody,
        response: { ...answers(Segment, { status: 201, refusals: [413, 415, 422] }), 400: BareError },
        detail: {
          operationId: "createSegment",
          summary: "Create a segment",
          description:
            "A `DYNAMIC` segment has a condition, and its members are the contacts who currently match it. A `STATIC` one has a list of members that you manage. The slug is derived from the name and never changes. An error in the condition is refused with 422 and names its place, such as `condition.groups.0.filters.1.value`.",
        },
      },
    )
    .get("/operators", () => conditionCatalogue(), {
      response: answers(Catalogue),
      detail: {
        operationId: "listOperators",
        summary: "List the fields of conditions with their operators",
        description:
          "What a filter of a condition may contain, from the table that the service itself uses. `<…>` in the name of a field stands for a name in the project. `operand` says what the operator takes: nothing, a value of the field's kind, any JSON, a value to compare with, or an amount of time with its unit.",
      },
    })
    .post("/preview", async ({ project, body }) => await previewSegment(ctx, project.id, body.condition), {
      body: t.Object({ condition: ConditionTree }, { title: "SegmentPreviewBody" }),
      response: answers(SegmentPreview, { refusals: [413, 415, 422] }),
      detail: {
        operationId: "previewSegment",
        summary: "Count the contacts who match a condition, without saving it",
        description:
          "With five of the contacts. If counting takes longer than a quarter of a second, only one contact in 64 is checked, and `estimated` is true.",
      },
    });
}

/** `/segments/:id`. */
function itemRoutes(ctx: Context) {
  return new Elysia({ prefix: "/segments", detail: { tags: ["Segments"] } })
    .use(authenticateKey(ctx, "secret"))
    .get(
      "/:id",
      async ({ project, params: { id }, set }) => {
        const segment = await getSegment(ctx, project.id, segmentId(id));
        set.headers.etag = segmentTag(segment);
        return segment;
      },
      {
        ...one,
        response: answers(Segment, { refusals: [404] }),
        detail: {
          operationId: "getSegment",
          summary: "Get a segment",
          description: "One segment, with its number of members.",
        },
      },
    )
    .patch(
      "/:id",
      async ({ project, actor, headers, params: { id }, body, set }) => {
        const segment = await patchSegment(ctx, project.id, segmentId(id), body, editOf(actor, headers));
        set.headers.etag = segmentTag(segment);
        return segment;
      },
      {
        ...one,
        headers: EditHeaders,
        body: SegmentPatch,
        response: answers(Segment, { refusals: [400, 404, 412, 413, 415, 422] }),
        detail: {
          operationId: "updateSegment",
          summary: "Change a segment; its slug stays",
          description:
            "Changes only the given fields. A new condition is counted immediately. With `trackMembership` an event is recorded whenever a contact enters or leaves. A static segment takes no condition (400).",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, headers, params: { id }, set }) => {
        await deleteSegment(ctx, project.id, segmentId(id), editOf(actor, headers));
        set.status = 204;
      },
      {
        ...one,
        headers: EditHeaders,
        response: answers(t.Void(), { status: 204, refusals: [404, 409, 412] }),
        detail: {
          operationId: "deleteSegment",
          summary: "Delete a segment",
          description:
            "Refused with 409 while an unsent campaign, another segment or an enabled workflow refers to it: `details` names them. Its members stay contacts.",
        },
      },
    )
    .post(
      "/:id/members",
      async ({ project, params: { id }, body }) => {
        const { emails, createMissing = false, subscribed = true } = body;
        return await addMembers(ctx, project.id, segmentId(id), { emails, createMissing, subscribed });
      },
      {
        ...one,
        body: t.Object({
          emails: Emails,
          createMissing: t.Optional(t.Boolean()),
          subscribed: t.Optional(t.Boolean()),
        }),
        response: answers(t.Object({ added: Int, created: Int, notFound: t.Array(t.String()) }), {
          refusals: [400, 404, 413, 415, 422],
        }),
        detail: {
          operationId: "addSegmentMembers",
          summary: "Add contacts to a static segment",
          description:
            "Adds up to 500 addresses. `notFound` lists those that are not contacts, unless `createMissing` creates them. A dynamic segment is refused with 400.",
        },
      },
    )
    .delete(
      "/:id/members",
      async ({ project, params: { id }, body }) => ({
        removed: await removeMembers(ctx, project.id, segmentId(id), body.emails),
      }),
      {
        ...one,
        body: t.Object({ emails: Emails }),
        response: answers(t.Object({ removed: Int }), { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "removeSegmentMembers",
          summary: "Remove contacts from a static segment",
          description:
            "Removes up to 500 addresses from the list. The contacts stay. A dynamic segment is refused with 400.",
        },
      },
    )
    .post(
      "/:id/compute",
      async ({ project, params: { id } }) => await computeMembership(ctx, project.id, segmentId(id)),
      {
        ...one,
        response: answers(t.Object({ added: Int, removed: Int, total: Int }), {
          refusals: [400, 404],
        }),
        detail: {
          operationId: "computeSegment",
          summary: "Compute the membership of a tracked segment and record its events",
          description:
            "Compares the stored members with the condition, and records `segment.<slug>.entry` and `segment.<slug>.exit` for each actual change. This happens automatically within seconds after a contact changes, and every five minutes for conditions that depend on the time. Refused with 400 if membership is not tracked.",
        },
      },
    )
    .post(
      "/:id/refresh",
      async ({ project, params: { id } }) => ({
        memberCount: await refreshSegment(ctx, project.id, segmentId(id)),
      }),
      {
        ...one,
        response: answers(t.Object({ memberCount: Int }), { refusals: [404] }),
        detail: {
          operationId: "refreshSegment",
          summary: "Count the members again, without events",
          description:
            "Evaluates the condition and stores the count. Records no events, and does not change the stored membership.",
        },
      },
    );
}
