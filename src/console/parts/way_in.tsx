// What lets somebody in: a log-in, an invitation, a new password. Each of them may ask for the second factor first.
import { useState } from "react";
import { useLocation } from "wouter";
import { Refusal } from "../api.ts";
import { type Challenge, SecondFactor } from "./second_factor.tsx";
import { useBegin } from "../session.ts";

/** Lets somebody in. */
export interface WayIn {
  /** Does what begins a session, and continues when it has, or when the second factor is given. Throws any other refusal. */
  enter: (begin: () => Promise<unknown>) => Promise<void>;
  /** The page of the second factor, in place of the present one, where it is asked for. */
  secondStep: React.ReactNode;
}

/** `to` is where it continues: a path of the console. `email` is kept for a user who has to begin again. */
export function useWayIn({ to, email }: { to: string; email: string }): WayIn {
  const [asked, setAsked] = useState<{ email: string; challenge: Challenge } | null>(null);
  const startSession = useBegin();
  const [, navigate] = useLocation();
  // Only a path of our own: the author of a link may not send people elsewhere.
  const target = /^\/(?![/\\])/.test(to) ? to : "/";
  const finish = async () => {
    await startSession();
    navigate(target, { replace: true });
  };
  const again = (because: string) => {
    setAsked(null);
    navigate(logInPath({ email: asked?.email ?? email, to: target, because }), { replace: true });
  };
  return {
    enter: async (begin) => {
      try {
        await begin();
      } catch (refusal) {
        const challenge = challengeOf(refusal);
        if (!challenge) throw refusal;
        return setAsked({ email, challenge });
      }
      await finish();
    },
    secondStep: asked && (
      <SecondFactor
        challenge={asked.challenge}
        finish={finish}
        cancel={() => again("")}
        expired={() => again("expired")}
      />
    ),
  };
}

/** The log-in, with the address filled in. `because`: why one is there again. */
export function logInPath({ email = "", to = "/", because = "" }): string {
  const known = { ...(email && { email }), ...(to !== "/" && { return: to }), ...(because && { because }) };
  const query = new URLSearchParams(known).toString();
  return `/log-in${query && `?${query}`}`;
}

function challengeOf(refusal: unknown): Challenge | null {
  if (!(refusal instanceof Refusal) || refusal.code !== "TWO_FACTOR_REQUIRED") return null;
  return refusal.details as unknown as Challenge;
}
