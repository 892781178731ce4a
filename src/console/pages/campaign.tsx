// One campaign: it is written until it is sent, and has a report from then on.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { Campaign } from "../api.gen.ts";
import { lazyPage } from "../parts/lazy_page.tsx";
import { Loaded } from "../parts/states.tsx";
import { useProjectId } from "../place.ts";
import { CAMPAIGN, type Stored } from "./campaign/kind.ts";

const Compose = lazyPage<{ stored: Stored }>(() => import("./campaign/compose.tsx"));
const Report = lazyPage<{ campaign: Campaign }>(() => import("./campaign/report.tsx"));

const SENDING_MS = 3_000;
const SOON_MS = 5_000;
const LATER_MS = 60_000;

/** `/campaigns/:id`. */
export default function CampaignPage() {
  const { id } = useParams<{ id: string }>();
  const projectId = useProjectId();
  const campaign = useQuery({
    queryKey: CAMPAIGN.keyOf(projectId, id),
    queryFn: ({ signal }) => CAMPAIGN.read(id, { projectId, signal }),
    refetchInterval: ({ state }) => watchedEvery(state.data?.answer),
  });
  return (
    <Loaded query={campaign}>
      {(stored) =>
        isWritten(stored.answer) ? (
          <Compose key={id} stored={stored} />
        ) : (
          <Report key={id} campaign={stored.answer} />
        )
      }
    </Loaded>
  );
}

const isWritten = ({ status }: Campaign) => status === "DRAFT" || status === "SCHEDULED";

/** What changes by itself is read again. */
function watchedEvery(campaign: Campaign | undefined): number | false {
  if (campaign?.status === "SENDING") return SENDING_MS;
  if (campaign?.status !== "SCHEDULED" || campaign.scheduledFor === null) return false;
  const left = new Date(campaign.scheduledFor).getTime() - Date.now();
  return left < LATER_MS ? SOON_MS : LATER_MS;
}
