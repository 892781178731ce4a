// What can be done with a whole segment.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import type { Segment } from "../../api.gen.ts";
import { call, Refusal } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

/** Recounts the members; where joining and leaving are recorded, records who did. */
export function useRecount({ id, type, trackMembership }: Segment) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [isCounting, setCounting] = useState(false);
  const recount = async () => {
    setCounting(true);
    try {
      toast.done(await count());
      await readAgain(cache, projectId, ["GET /segments"]);
    } catch (error) {
      toast.failed(error);
    } finally {
      setCounting(false);
    }
  };
  const count = async () => {
    if (!trackMembership || type === "STATIC") {
      const { memberCount } = await call("POST /segments/{id}/refresh", { path: { id } }, { projectId });
      return `Counted: ${formatCount(memberCount, "member")}`;
    }
    const change = await call("POST /segments/{id}/compute", { path: { id } }, { projectId });
    return `${formatCount(change.total, "member")}: ${formatNumber(change.added)} joined, ${formatNumber(change.removed)} left`;
  };
  return { recount, isCounting };
}

/** Asks, and deletes it. What refers to it is named. */
export function useRemoveSegment({ id, name, memberCount }: Segment) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const act = async () => {
    try {
      await call("DELETE /segments/{id}", { path: { id } }, { projectId });
    } catch (refusal) {
      throw refusal instanceof Refusal && refusal.status === 409 ? inUse(refusal) : refusal;
    }
    navigate("/segments");
    await readAgain(cache, projectId, ["GET /segments"]);
    toast.done(`${name} was deleted`);
  };
  return () =>
    confirm({
      title: `Delete ${name}?`,
      action: "Delete",
      children: (
        <>
          {memberCount === 0
            ? "It has no members."
            : `Its ${formatCount(memberCount, "member")} ${memberCount === 1 ? "stays a contact" : "stay contacts"}.`}{" "}
          What it recorded and how its size went is deleted. This cannot be taken back.
        </>
      ),
      act,
    });
}

const NOUNS = { segments: "segment", campaigns: "campaign", workflows: "workflow" } as const;

/** With the names of what uses it. */
function inUse(refusal: Refusal): Error {
  const uses = Object.entries(NOUNS).flatMap(([kind, noun]) => {
    const named = (refusal.details[kind] ?? []) as { name: string }[];
    return named.map(({ name }) => `the ${noun} “${name}”`);
  });
  return new Error(`It is used by ${uses.join(", ")}. Change that first.`, { cause: refusal });
}
