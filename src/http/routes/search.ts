// GET /search: one box for all of a project.
import { Elysia, t } from "elysia";
import type { Context } from "../../context.ts";
import { MAX_FOUND, PARTS, search } from "../../insight/search.ts";
import { authenticateKey } from "../entry/authenticate.ts";
import { answers, Int, Text, Uuid, Words } from "../entry/schemas.ts";

const Named = { id: Uuid, name: t.String() };

const Found = t.Object(
  {
    contacts: t.Array(t.Object({ id: Uuid, email: t.String(), subscribed: t.Boolean() })),
    templates: t.Array(t.Object({ ...Named, type: t.String() })),
    campaigns: t.Array(t.Object({ ...Named, status: t.String() })),
    segments: t.Array(t.Object({ ...Named, type: t.String() })),
    workflows: t.Array(t.Object({ ...Named, enabled: t.Boolean() })),
    events: t.Array(t.Object({ name: t.String(), count: Int })),
    incomplete: t.Array(Words(PARTS), {
      description: "What took too long to search; `names` are those of templates to workflows.",
    }),
  },
  { title: "SearchResult" },
);

/** `GET /search`. */
export function searchRoutes(ctx: Context) {
  return new Elysia({ detail: { tags: ["Search"] } })
    .use(authenticateKey(ctx, "secret"))
    .get("/search", async ({ project, query }) => await search(ctx, project.id, query.q), {
      query: t.Object({
        q: Text({ maxLength: 255, description: "Part of a name or an address.", examples: ["ada"] }),
      }),
      response: answers(Found, { refusals: [400] }),
      detail: {
        operationId: "search",
        summary: "Search contacts, templates, campaigns, segments, workflows and events",
        description: `Up to ${MAX_FOUND} of each whose name (for contacts the address, for campaigns also the subject) contains the text, ignoring case; those that begin with it come first. One or two letters find contacts whose address begins with them, and so does a text with an @.`,
      },
    });
}
