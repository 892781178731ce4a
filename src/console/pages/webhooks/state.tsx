// How an endpoint stands, in a word.
import type { WebhookEndpoint } from "../../api.gen.ts";
import { Status, type Tone } from "../../parts/status.tsx";

/** Paused, failing, or enabled. */
export function WebhookState({ webhook }: { webhook: WebhookEndpoint }) {
  const [tone, word] = stateOf(webhook);
  return (
    <Status status={word} tone={tone}>
      {word}
    </Status>
  );
}

function stateOf({ enabled, pauseReason, failingSince }: WebhookEndpoint): [Tone, string] {
  if (!enabled) return pauseReason === "USER" ? ["quiet", "Paused"] : ["bad", "Paused: it failed"];
  return failingSince ? ["warn", "Failing"] : ["fine", "Enabled"];
}
