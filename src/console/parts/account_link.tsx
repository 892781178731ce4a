// The link of an account mail: what it is about is asked before anything else is.
import type { ReactNode } from "react";
import type { AccountLink } from "../api.gen.ts";
import { Refusal } from "../api.ts";
import { useAccountApi } from "../queries.ts";
import { Letter } from "./letter.tsx";
import { Failed, LoadingPage } from "./states.tsx";

interface Props {
  token: string;
  purpose: AccountLink["purpose"];
  /** In place of a link that was used or has expired. */
  dead: ReactNode;
  children: (link: AccountLink) => ReactNode;
}

/** What is shown for a link that counts, or for one that does not any more. */
export function WithLink({ token, purpose, dead, children }: Props) {
  const { data, error, refetch } = useAccountApi(
    "POST /auth/link",
    { body: { token } },
    // The page may use it up: what it was about stays on the screen.
    { staleTime: Infinity, gcTime: 0 },
  );
  if (data) return data.data.purpose === purpose ? children(data.data) : dead;
  if (error instanceof Refusal && (error.status === 400 || error.status === 422)) return dead;
  if (!error) return <LoadingPage />;
  return (
    <Letter title="Something went wrong">
      <Failed error={error} retry={refetch} />
    </Letter>
  );
}

/** Whether a refusal says that the link itself has ended. */
export function isDeadLink(refusal: unknown): boolean {
  return refusal instanceof Refusal && refusal.status === 400 && refusal.fields.length === 0;
}
