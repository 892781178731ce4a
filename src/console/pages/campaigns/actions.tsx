// What can be done with a whole campaign: a copy, a stop, and its end.
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { Campaign } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { progressOf } from "./words.ts";

type Named = Pick<Campaign, "id" | "name">;
type Acted = Named &
  Pick<Campaign, "status" | "scheduledFor" | "totalRecipients" | "sentCount" | "processedCount">;

/** Every list and page that shows campaigns. */
const READS = ["GET /campaigns", "GET /activity/upcoming"];

/** What the list and the page of a campaign offer. */
export function useCampaignActions() {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const again = () => readAgain(cache, projectId, READS);

  /** Makes a copy and leads to it. */
  const duplicate = async ({ id, name }: Named) => {
    try {
      const copy = await call("POST /campaigns/{id}/duplicate", { path: { id } }, { projectId });
      await again();
      navigate(`/campaigns/${copy.id}`);
      toast.done(copy.warnings?.[0] ?? `This is the copy of ${name}`);
    } catch (error) {
      toast.failed(error);
    }
  };

  /** Makes it a draft again; undo gives it back its time, as long as that has not come. */
  const unschedule = async ({ id, name, scheduledFor }: Acted) => {
    try {
      await call("POST /campaigns/{id}/unschedule", { path: { id } }, { projectId });
      await again();
      const undo = async () => {
        await call("POST /campaigns/{id}/send", { path: { id }, body: { scheduledFor } }, { projectId });
        await again();
      };
      toast.done(`${name} is a draft again`, { undo, of: id });
    } catch (error) {
      toast.failed(error);
    }
  };

  /** Asks, and stops one that is being sent. */
  const cancel = (campaign: Acted) => {
    const { id, name } = campaign;
    const { done, total } = progressOf(campaign);
    confirm({
      title: `Stop sending ${name}?`,
      action: "Stop sending",
      stay: "Keep sending",
      children: `${formatNumber(done)} of ${formatCount(total, "mail")} have been processed so far. The rest is never sent, and the campaign cannot be resumed.`,
      act: async () => {
        await call("POST /campaigns/{id}/cancel", { path: { id } }, { projectId });
        await again();
        toast.done(`${name} was cancelled`, { of: id });
      },
    });
  };

  /** Asks, and deletes it. `deleted` leads on. */
  const remove = ({ id, name, status, sentCount }: Acted, deleted?: () => void) =>
    confirm({
      title: `Delete ${name}?`,
      action: "Delete",
      children:
        status === "DRAFT"
          ? "It was never sent. It is deleted permanently."
          : `Its report is deleted permanently. The ${formatCount(sentCount, "mail")} that it sent stay with their contacts.`,
      act: async () => {
        await call("DELETE /campaigns/{id}", { path: { id } }, { projectId });
        deleted?.();
        await again();
        toast.done(`${name} was deleted`, { of: id });
      },
    });
  return { duplicate, unschedule, cancel, remove };
}
