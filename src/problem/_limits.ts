// Refusals because a limit was exceeded.
import { Problem } from "./answer.ts";

/** The fields of the IETF's draft (draft-ietf-httpapi-ratelimit-headers-10), beside the three older ones. */
export function rateLimitFields({
  limit,
  remaining,
  reset,
}: Record<"limit" | "remaining" | "reset", number>) {
  return {
    "ratelimit-policy": `"minute";q=${limit};w=60`,
    ratelimit: `"minute";r=${remaining};t=${reset}`,
  };
}

export const limitProblems = {
  // 429
  tooManyFailures: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot log in now: too many failed attempts", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: `Try again in ${retryAfter} s`,
    }),

  tooManySignUps: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot sign up now: too many sign-ups from this network", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: `Try again in ${retryAfter} s, or ask for an invitation`,
    }),

  rateLimitExceeded: (limit: number, retryAfter: number, whose: "project" | "user" = "project") =>
    new Problem(
      429,
      "RATE_LIMIT_EXCEEDED",
      `Cannot accept more than ${limit} requests per minute for one ${whose}`,
      {
        details: { retryAfter },
        headers: {
          "retry-after": String(retryAfter),
          "ratelimit-limit": String(limit),
          "ratelimit-remaining": "0",
          "ratelimit-reset": String(retryAfter),
          ...rateLimitFields({ limit, remaining: 0, reset: retryAfter }),
        },
        suggestion: `Try again in ${retryAfter} s`,
      },
    ),

  tooManyStreams: (limit: number, whose: string) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", `Cannot open another stream: ${limit} ${whose} are open`, {
      details: { retryAfter: 60, limit },
      headers: { "retry-after": "60" },
      suggestion: "Close one: all streams have the same content, and end after 5 minutes",
    }),

  tooManyNewProjects: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot create more projects today", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: "Try again tomorrow",
    }),

  tooManyInvitations: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot invite more people now", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: "Try again tomorrow",
    }),

  tooManyTransportTests: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot test transports more often today", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: "Try again tomorrow",
    }),

  tooManyAddressChanges: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot send more mails about a change of address today", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
      suggestion: "Try again tomorrow",
    }),

  publicLimitExceeded: (retryAfter: number) =>
    new Problem(429, "RATE_LIMIT_EXCEEDED", "Cannot accept more requests from this IP address now", {
      details: { retryAfter },
      headers: { "retry-after": String(retryAfter) },
    }),
};
