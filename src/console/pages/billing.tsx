// What a project may use in a month, what it has used, and what it pays.
import { Button } from "@mantine/core";
import { Link } from "wouter";
import { BillingIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Sections } from "../parts/section.tsx";
import { Empty, LoadingPage } from "../parts/states.tsx";
import { Usage } from "../parts/usage.tsx";
import { useProjectId } from "../place.ts";
import { useApi } from "../queries.ts";
import { useFeatures } from "../session.ts";
import { Invoices } from "./billing/invoices.tsx";
import { BillingNotice, useReturn } from "./billing/notice.tsx";
import { isLasting, Subscription } from "./billing/subscription.tsx";
import { ToStripe } from "./billing/to_stripe.tsx";

/** `/billing`. */
export default function BillingPage() {
  const features = useFeatures();
  if (!features) return <LoadingPage />;
  return features.billing ? <Billing /> : <BillingOff />;
}

function BillingOff() {
  return (
    <>
      <PageHeader title="Billing" />
      <Empty
        icon={BillingIcon}
        title="Nothing is billed here"
        action={
          <Button component={Link} href="/limits" variant="default">
            See the limits
          </Button>
        }
      >
        The operator of this service has not connected a payment provider. Sending is free, and your own
        limits still apply.
      </Empty>
    </>
  );
}

function Billing() {
  const id = useProjectId();
  const { returned, isAwaited } = useReturn();
  const consumption = useApi(
    "GET /users/@me/projects/{id}/billing-consumption",
    { path: { id } },
    // Stripe tells the service a moment after it has led people back.
    {
      refetchInterval: ({ state }) =>
        isAwaited && !isLasting(state.data?.subscription) ? ASK_AGAIN_MS : false,
    },
  );
  const subscription = consumption.data?.subscription ?? null;
  return (
    <>
      <PageHeader
        title="Billing"
        about="This month’s limits and usage, the subscription and its invoices."
        actions={consumption.data && <ToStripe hasSubscription={isLasting(subscription)} />}
      />
      <Sections>
        {consumption.data && <BillingNotice subscription={subscription} returned={returned} />}
        <Subscription consumption={consumption} />
        <Usage />
        <Invoices />
      </Sections>
    </>
  );
}

const ASK_AGAIN_MS = 2_000;
