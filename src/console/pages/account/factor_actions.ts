// What can be taken from the factors of an account, each after a question that says what it means.
import { useQueryClient } from "@tanstack/react-query";
import type { Passkey, TwoFactor } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { withProof } from "../../parts/proof.tsx";
import { toast } from "../../parts/toast.tsx";
import { readAgain } from "../../queries.ts";

/** Names of projects as a part of a sentence. */
export const namesOf = (projects: { name: string }[]) =>
  new Intl.ListFormat("en").format(projects.map(({ name }) => name));

/** What removing a factor means, where it is the last one. */
function lastOne({ requiredBy }: TwoFactor): string {
  const shut =
    requiredBy.length > 0 ? ` ${namesOf(requiredBy)} will not let you in until you set it up again.` : "";
  return `Without another one, two-factor log-in is off: your password alone is enough, and the recovery codes stop working.${shut}`;
}

/** Removing, turning off, and new recovery codes. */
export function useFactorActions() {
  const cache = useQueryClient();
  const read = () =>
    readAgain(cache, null, ["GET /users/@me/two-factor", "GET /auth/session", "GET /users/@me/sessions"]);
  return {
    read,
    removeApp: (factors: TwoFactor) =>
      confirm({
        title: "Remove the authenticator app?",
        action: "Remove",
        children:
          factors.passkeys.length > 0 ? "Its codes stop working. Your passkeys stay." : lastOne(factors),
        act: async () => {
          await withProof(() => call("DELETE /users/@me/two-factor/totp", {}));
          await read();
          toast.done("The authenticator app was removed");
        },
      }),
    removePasskey: ({ id, name }: Passkey, factors: TwoFactor) =>
      confirm({
        title: `Remove the passkey “${name}”?`,
        action: "Remove",
        children:
          factors.passkeys.length > 1 || factors.totp
            ? "It can no longer be used to log in. Delete it on the device, too."
            : lastOne(factors),
        act: async () => {
          await withProof(() => call("DELETE /users/@me/two-factor/passkeys/{id}", { path: { id } }));
          await read();
          toast.done(`“${name}” was removed`);
        },
      }),
    renewCodes: (show: (codes: string[]) => void) =>
      confirm({
        title: "Generate new recovery codes?",
        action: "Generate new codes",
        children: "Your current codes stop working.",
        act: async () => {
          const made = await withProof(() => call("POST /users/@me/two-factor/recovery-codes", {}));
          show(made.recoveryCodes);
          await read();
        },
      }),
    turnOff: (factors: TwoFactor) =>
      confirm({
        title: "Turn two-factor log-in off?",
        action: "Turn off",
        children: `${removed(factors)} After that, your password alone is enough.${factors.requiredBy.length > 0 ? ` ${namesOf(factors.requiredBy)} will not let you in until you set it up again.` : ""}`,
        act: async () => {
          // One at a time: what is gone stays gone where another one is refused.
          if (factors.totp) await withProof(() => call("DELETE /users/@me/two-factor/totp", {}));
          for (const { id } of factors.passkeys) {
            await withProof(() => call("DELETE /users/@me/two-factor/passkeys/{id}", { path: { id } }));
          }
          await read();
          toast.done("Two-factor log-in is off");
        },
      }),
  };
}

function removed({ totp, passkeys, recoveryCodesLeft }: TwoFactor): string {
  const parts = [
    ...(totp ? ["the authenticator app"] : []),
    ...(passkeys.length > 0 ? [formatCount(passkeys.length, "passkey")] : []),
    formatCount(Number(recoveryCodesLeft), "recovery code"),
  ];
  return `This removes ${new Intl.ListFormat("en").format(parts)}.`;
}
