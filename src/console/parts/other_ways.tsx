// Signing in with an account elsewhere, as far as this installation knows any.
import { Button, Divider, Stack } from "@mantine/core";
import { BASE } from "../api.ts";
import { useAccountApi } from "../queries.ts";

const NAMES = { github: "GitHub", google: "Google", oidc: "single sign-on" } as const;

/** A button for each. `returnTo` is a path of this service. */
export function OtherWays({ returnTo }: { returnTo: string }) {
  const { data } = useAccountApi("GET /auth/oauth-config", {}, { staleTime: Infinity });
  const ways = (Object.keys(NAMES) as (keyof typeof NAMES)[]).filter((way) => data?.data[way]);
  if (ways.length === 0) return null;
  return (
    <>
      <Divider label="or" my="lg" />
      <Stack gap="xs">
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
