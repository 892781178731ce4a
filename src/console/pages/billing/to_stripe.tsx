// The way to the pages of the payment provider, and back.
import { Button } from "@mantine/core";
import { useState } from "react";
import { call } from "../../api.ts";
import { Gate } from "../../parts/gate.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";

interface Props {
  hasSubscription: boolean;
  /** Left out: what can be done there. */
  children?: string;
}

/** A button that leads to a page of the payment provider, and from there back to this one. */
export function ToStripe({ hasSubscription, children }: Props) {
  const id = useProjectId();
  const [isGoing, setGoing] = useState(false);
  const go = async () => {
    setGoing(true);
    try {
      const { origin, pathname } = window.location;
      const input = { path: { id }, body: { returnUrl: origin + pathname } };
      const { url } = hasSubscription
        ? await call("POST /users/@me/projects/{id}/billing-portal", input)
        : await call("POST /users/@me/projects/{id}/checkout", input);
      window.location.assign(url);
    } catch (error) {
      toast.failed(error);
      setGoing(false);
    }
  };
  return (
    <Gate role="ADMIN">
      <Button
        onClick={() => void go()}
        loading={isGoing}
        size={children ? "xs" : "sm"}
        variant={hasSubscription ? "default" : "filled"}
      >
        {children ?? (hasSubscription ? "Change or cancel" : "Subscribe")}
      </Button>
    </Gate>
  );
}
