// Who can send: addresses of verified domains, and those that templates have already.
import { useQuery } from "@tanstack/react-query";
import type { Template } from "../api.gen.ts";
import { call } from "../api.ts";
import { useProject } from "../place.ts";
import { keyOf } from "../queries.ts";

/** What is offered as a sender. */
export interface Senders {
  /** Of the template that was changed last: most projects have one sender. */
  last: { from: string; fromName?: string | null; replyTo?: string | null };
  choices: string[];
  /** Whether any domain is verified. */
  hasDomain: boolean;
}

/** The usual first halves of addresses that send. */
const NAMES = ["hello", "news", "support"];
const RECENT = 20;

/** The senders of the project in the address. */
export function useSenders() {
  const { id: projectId, sandboxOf } = useProject();
  const query = {
    fields: "from,fromName,replyTo",
    sort: "updatedAt",
    dir: "desc",
    pageSize: RECENT,
  } as const;
  return useQuery({
    queryKey: [...keyOf(projectId, "GET /templates", { query }), "senders"],
    queryFn: async ({ signal }): Promise<Senders> => {
      const options = { projectId, signal };
      // In test mode any sender will do: what is tried is most likely what is sent from later.
      const domainsOf = sandboxOf ?? projectId;
      const [domains, templates] = await Promise.all([
        call(
          "GET /domains/project/{projectId}",
          { path: { projectId: domainsOf } },
          { projectId: domainsOf, signal },
        ),
        call("GET /templates", { query }, options),
      ]);
      const verified = domains.filter(({ verified: isVerified }) => isVerified).map(({ domain }) => domain);
      const offered = sandboxOf && verified.length === 0 ? ["test.example"] : verified;
      return sendersOf(offered, templates.data as Pick<Template, "from" | "fromName" | "replyTo">[]);
    },
  });
}

function sendersOf(domains: string[], templates: Pick<Template, "from" | "fromName" | "replyTo">[]): Senders {
  const used = templates.map(({ from }) => from);
  const possible = domains.flatMap((domain) => NAMES.map((name) => `${name}@${domain}`));
  const choices = [...new Set([...used, ...possible])];
  return {
    last: templates[0] ?? { from: possible[0] ?? "" },
    choices,
    hasDomain: domains.length > 0 || used.length > 0,
  };
}
