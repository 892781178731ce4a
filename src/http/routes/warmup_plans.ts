// /warmup-plans: how much a new transport may send on each day. Bare resources.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import {
  addWarmupPlan,
  changeWarmupPlan,
  listWarmupPlans,
  MAX_WARMUP_PLANS,
  removeWarmupPlan,
  warmupPlanErrors,
  type WarmupPlanInput,
} from "../../sending/transports/warmup_plans.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, isUuid, PathId } from "../entry/schemas.ts";
import { WarmupPlan, warmupPlanBody, warmupPlanChange, WarmupPlanList } from "./_route_schemas.ts";

const one = { params: t.Object({ id: PathId }) };

/** The warm-up plans of a project. */
export function warmupPlansRoutes(ctx: Context) {
  return new Elysia({ prefix: "/warmup-plans", detail: { tags: ["Transports"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/", async ({ project }) => ({ plans: await listWarmupPlans(ctx, project.id) }), {
      response: answers(WarmupPlanList),
      detail: {
        operationId: "listWarmupPlans",
        summary: "List the warm-up plans, oldest first",
        description: "How many mails a new transport may send on its first day, its second and so on.",
      },
    })
    .post(
      "/",
      async ({ project, actor, body, set }) => {
        assertSound(body);
        set.status = 201;
        return await addWarmupPlan(ctx, project.id, body, actor);
      },
      {
        body: withRules(t.Object(warmupPlanBody, { title: "WarmupPlanBody" }), warmupPlanErrors),
        response: answers(WarmupPlan, { status: 201, refusals: [400, 409, 413, 415, 422] }),
        detail: {
          operationId: "createWarmupPlan",
          summary: "Create a warm-up plan",
          description: `For OWNER. Transports use it by their \`warmup\`. A project has at most ${MAX_WARMUP_PLANS} (409).`,
        },
      },
    )
    .patch(
      "/:id",
      async ({ project, actor, params: { id }, body }) => {
        assertSound(body);
        return await changeWarmupPlan(ctx, project.id, idOf(id), body, actor);
      },
      {
        ...one,
        body: withRules(t.Object(warmupPlanChange, { title: "PatchWarmupPlanBody" }), warmupPlanErrors),
        response: answers(WarmupPlan, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "updateWarmupPlan",
          summary: "Change a warm-up plan",
          description: "For OWNER. It counts for all transports that use it, from this day on.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ project, actor, params: { id }, set }) => {
        await removeWarmupPlan(ctx, project.id, idOf(id), actor);
        set.status = 204;
      },
      {
        ...one,
        response: answers(t.Void(), { status: 204, refusals: [404, 409] }),
        detail: {
          operationId: "deleteWarmupPlan",
          summary: "Remove a warm-up plan",
          description: "For OWNER. Refused while transports use it: `details` names them.",
        },
      },
    );
}

function assertSound(given: Partial<WarmupPlanInput>): void {
  const errors = warmupPlanErrors(given);
  if (errors.length > 0) throw problems.invalid(errors);
}

function idOf(id: string): string {
  if (!isUuid(id)) throw problems.notFound("warm-up plan", id);
  return id.toLowerCase();
}
