// Rules are one document: it is replaced only where nobody has changed it since it was shown.
import { useQueryClient } from "@tanstack/react-query";
import type { Routes } from "../../api.gen.ts";
import { call, callForVersion } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

type Rules = Routes["rules"];

/** Replaces the rules that were seen by the next ones. Rejects, and shows what is there, where they are not the same any more. */
export function useChangeRules(): (seen: Rules, next: Rules) => Promise<void> {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return async (seen, next) => {
    const { answer, etag } = await callForVersion("GET /routes", {}, { projectId });
    const isSame = JSON.stringify(answer.rules) === JSON.stringify(seen);
    try {
      if (!isSame)
        throw new Error("Somebody else has changed the rules: they are shown now. Look again, and repeat it");
      await call("PUT /routes", { body: { rules: next } }, { projectId, ifMatch: etag });
    } finally {
      await readAgain(cache, projectId, ["GET /routes", "GET /transports"]);
    }
  };
}
