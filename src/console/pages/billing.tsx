// What a project may use in a month, what it has used, and what it pays.
import { Button } from "@mantine/core";
import { useState } from "react";
import { Gate } from "../parts/gate.tsx";
import { BillingIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Sections } from "../parts/section.tsx";
import { Empty, LoadingPage } from "../parts/states.tsx";
import { toast } from "../parts/toast.tsx";
import { call } from "../api.ts";
import { useProjectId } from "../place.ts";
import { useApi } from "../queries.ts";
import { useFeatures } from "../session.ts";
import { Invoices } from "./billing/invoices.tsx";
import { Subscription } from "./billing/subscription.tsx";
import { Usage } from "./billing/usage.tsx";

/** `/billing`. */
export default function BillingPage() {
  const id = useProjectId();
  const features = useFeatures();
  const isOn = features?.billing === true;
  const consumption = useApi(
    "GET /users/@me/projects/{id}/billing-consumption",
    { path: { id } },
    { enabled: isOn },
  );
  if (!features) return <LoadingPage />;
  if (!isOn) {
    return (
      <>
        <PageHeader title="Billing" />
        <Empty icon={BillingIcon} title="Nothing is billed here">
          The operator of this service has not connected it to a payment provider. Sending is free of charge.
        </Empty>
      </>
    );
  }
  const subscription = consumption.data?.subscription ?? null;
  const isActive = subscription !== null && subscription.endedAt === null;
  return (
    <>
      <PageHeader
        title="Billing"
        about="Limits and use of the present month, the subscription and its invoices."
        actions={consumption.data && <ToStripe hasSubscription={isActive} />}
      />
      <Sections>
        <Subscription consumption={consumption} />
        <Usage />
        <Invoices />
      </Sections>
    </>
  );
}

/** Leads to a page of the payment provider, and back here afterwards. */
function ToStripe({ hasSubscription }: { hasSubscription: boolean }) {
  const id = useProjectId();
  const [isGoing, setGoing] = useState(false);
  const go = async () => {
    setGoing(true);
    try {
      const input = { path: { id }, body: { returnUrl: window.location.href } };
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
      <Button onClick={() => void go()} loading={isGoing} variant={hasSubscription ? "default" : "filled"}>
        {hasSubscription ? "Change or cancel" : "Subscribe"}
      </Button>
    </Gate>
  );
}
