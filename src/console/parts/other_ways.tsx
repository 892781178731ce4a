// Signing in without a password: with a passkey, or with an account elsewhere, as far as this installation knows any.
import { Button, Divider, Stack } from "@mantine/core";
import { useState } from "react";
import { BASE, call } from "../api.ts";
import { answerWithPasskey, canUsePasskeys } from "../passkeys.ts";
import { useAccountApi } from "../queries.ts";
import { FormError } from "./form.tsx";
import { KeysIcon } from "./icons.tsx";
import type { WayIn } from "./way_in.tsx";

const NAMES = { github: "GitHub", google: "Google", oidc: "single sign-on" } as const;

interface Props {
  /** Where a provider leads back to: a path of this service. */
  returnTo: string;
  /** Left out where passkeys are of no use: nobody who signs up has one. */
  wayIn?: WayIn;
}

/** A button for each. */
export function OtherWays({ returnTo, wayIn }: Props) {
  const { data } = useAccountApi("GET /auth/oauth-config", {}, { staleTime: Infinity });
  const ways = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter((way) => data?.data[way]);
  const hasPasskeys = wayIn !== undefined && canUsePasskeys;
  if (ways.length === 0 && !hasPasskeys) return null;
  return (
    <>
      <Divider label="or" my="lg" />
      <Stack gap="xs">
        {hasPasskeys && <PasskeyButton wayIn={wayIn} />}
        {ways.map((way) => (
          <Button
            key={way}
            component="a"
            variant="default"
            size="md"
            href={`${BASE}/oauth/${way}/outbound?returnTo=${encodeURIComponent(BASE + returnTo)}`}
          >
            Continue with {NAMES[way]}
          </Button>
        ))}
      </Stack>
    </>
  );
}

function PasskeyButton({ wayIn }: { wayIn: WayIn }) {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ask = async () => {
    setAsking(true);
    setError(null);
    try {
      const passkey = await answerWithPasskey(await call("POST /auth/passkey/options", {}));
      await wayIn.enter(() => call("POST /auth/passkey", { body: { passkey } }));
    } catch (refusal) {
      setError(refusal);
      setAsking(false);
    }
  };
  return (
    <>
      <Button
        variant="default"
        size="md"
        leftSection={<KeysIcon size={16} />}
        loading={isAsking}
        onClick={() => void ask()}
      >
        Use a passkey
      </Button>
      <FormError error={error} />
    </>
  );
}
