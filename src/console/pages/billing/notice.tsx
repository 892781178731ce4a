// What has to be known before all else: a payment that failed, or what came of the page of the payment provider.
import { Alert, Group } from "@mantine/core";
import type { ReactNode } from "react";
import { InfoIcon, WarningIcon } from "../../parts/icons.tsx";
import { useUrlState } from "../../place.ts";
import { isLasting, type GivenSubscription } from "./subscription.tsx";
import { ToStripe } from "./to_stripe.tsx";

/** With which result the payment provider has led back here: it is in the address. */
export function useReturn() {
  const [{ checkout }, set] = useUrlState({ checkout: "" });
  return { returned: checkout, isAwaited: checkout === "success", forget: () => set({ checkout: "" }) };
}

interface Props {
  subscription: GivenSubscription | null;
  returned: string;
}

/** The notice, if there is something to be known. */
export function BillingNotice({ subscription, returned }: Props) {
  const { forget } = useReturn();
  const unpaid = UNPAID[subscription?.status ?? ""];
  if (unpaid && subscription?.endedAt === null) {
    return (
      <Alert color="red" variant="light" icon={<WarningIcon />} title={unpaid} role="status">
        <Group justify="space-between" gap="sm">
          <span>See there which invoice is open, and pay it or change the payment method.</span>
          <ToStripe hasSubscription>Pay</ToStripe>
        </Group>
      </Alert>
    );
  }
  if (returned === "cancelled")
    return <Quiet close={forget}>You have not subscribed: nothing was changed.</Quiet>;
  if (returned !== "success") return null;
  return (
    <Quiet close={forget}>
      {isLasting(subscription)
        ? "Thank you: you are subscribed."
        : "Thank you. The subscription appears here as soon as the payment provider has confirmed it."}
    </Quiet>
  );
}

const UNPAID: Record<string, string> = {
  past_due: "The last payment has failed",
  unpaid: "Several payments have failed",
  incomplete: "The first payment did not go through",
};

function Quiet({ close, children }: { close: () => void; children: ReactNode }) {
  return (
    <Alert
      color="gray"
      variant="light"
      icon={<InfoIcon />}
      role="status"
      withCloseButton
      closeButtonLabel="Close"
      onClose={close}
    >
      {children}
    </Alert>
  );
}
