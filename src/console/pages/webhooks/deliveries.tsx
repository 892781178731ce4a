// What was sent to one webhook, newest first: what came back, and what to send again.
import { Button } from "@mantine/core";
import { useState } from "react";
import type { WebhookDelivery, WebhookEndpoint } from "../../api.gen.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { Gate } from "../../parts/gate.tsx";
import { RefreshIcon, RightIcon } from "../../parts/icons.tsx";
import { FilterSelect } from "../../parts/list_tools.tsx";
import { More } from "../../parts/more.tsx";
import { Section } from "../../parts/section.tsx";
import { Failed, NoMatch, SkeletonLines } from "../../parts/states.tsx";
import { Status, wordOf } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useUrlState } from "../../place.ts";
import { useApiPages, useChange } from "../../queries.ts";
import { DeliveryDrawer } from "./delivery.tsx";
import { CHOICES, wordOfType } from "./words.ts";
import classes from "./webhooks.module.css";

const STATUSES = ["PENDING", "DELIVERED", "FAILED"] as const;
const TYPES = CHOICES.map(({ group, items }) => ({
  group,
  items: items.filter(({ value }) => !value.endsWith("*")),
}));

export function Deliveries({ webhook }: { webhook: WebhookEndpoint }) {
  const { id } = webhook;
  const [{ status, type }, set] = useUrlState({ status: "", type: "" });
  const [open, setOpen] = useState<string | null>(null);
  const wanted = STATUSES.find((one) => one === status);
  const list = useApiPages("GET /webhooks/{id}/deliveries", {
    path: { id },
    query: { ...(wanted && { status: wanted }), ...(type && { types: type }) },
  });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section
      title="Deliveries"
      about="Kept for 30 days."
      actions={
        <>
          <Button
            variant="default"
            size="xs"
            leftSection={<RefreshIcon size={14} />}
            loading={list.isRefetching}
            onClick={() => void list.refetch()}
          >
            Refresh
          </Button>
          <ReplayFailed webhook={webhook} />
        </>
      }
    >
      <div className={classes.filters}>
        <FilterSelect
          label="State"
          any="Any state"
          size="xs"
          data={STATUSES.map((value) => ({ value, label: wordOf(value) }))}
          value={status}
          onChange={(next) => set({ status: next })}
        />
        <FilterSelect
          label="Event"
          any="Any event"
          size="xs"
          data={TYPES}
          value={type}
          onChange={(next) => set({ type: next })}
        />
      </div>
      {list.isPending && <SkeletonLines count={5} height={20} />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess &&
        rows.length === 0 &&
        (status || type ? (
          <NoMatch title="No delivery matches" clear={() => set({ status: "", type: "" })}>
            Other deliveries may be there: take the filters away.
          </NoMatch>
        ) : (
          <p className={classes.nothing}>Nothing has been sent yet. Send a test to see what arrives.</p>
        ))}
      {rows.length > 0 && (
        <ul className={classes.deliveries} aria-label="Deliveries">
          {rows.map((row) => (
            <Line key={row.id} delivery={row} open={() => setOpen(row.id)} />
          ))}
        </ul>
      )}
      <More query={list}>Older deliveries</More>
      <DeliveryDrawer webhook={webhook} id={open} close={() => setOpen(null)} />
    </Section>
  );
}

function Line({ delivery, open }: { delivery: WebhookDelivery; open: () => void }) {
  const { type, eventName, status, attempts, createdAt, lastAttempt, nextAttemptAt } = delivery;
  return (
    <li>
      <button type="button" className={classes.delivery} onClick={open}>
        <span className={classes.what}>
          {wordOfType(type)}
          {type === "event.tracked" && eventName && <span className={classes.eventName}> {eventName}</span>}
        </span>
        <Status status={status} />
        <span className={classes.aside}>
          {lastAttempt ? (lastAttempt.status ?? lastAttempt.error) : "Not sent yet"}
          {attempts > 1 && `, ${formatCount(attempts, "attempt")}`}
          {nextAttemptAt && attempts > 0 && (
            <>
              , next <Time at={nextAttemptAt} />
            </>
          )}
        </span>
        <span className={classes.aside}>
          <Time at={createdAt} />
        </span>
        <RightIcon size={14} />
      </button>
    </li>
  );
}

function ReplayFailed({ webhook: { id, enabled } }: { webhook: WebhookEndpoint }) {
  const replay = useChange("POST /webhooks/{id}/replay", { reads: ["GET /webhooks"], showsErrors: true });
  const ask = () =>
    confirm({
      title: "Send everything again that failed?",
      action: "Send again",
      children: (
        <>
          Each failed delivery of the last 30 days is sent again, with the same id and ten new attempts. Your
          server recognises by the id what it already has.
        </>
      ),
      act: async () => {
        const { replayed } = await replay.mutateAsync({ path: { id }, body: { status: "FAILED" } });
        toast.done(
          replayed === 0
            ? "Nothing has failed"
            : `${formatCount(replayed, "delivery", "deliveries")} will be sent again`,
        );
      },
    });
  return (
    <Gate role="ADMIN">
      <Button variant="default" size="xs" onClick={ask} disabled={!enabled}>
        Replay all failed
      </Button>
    </Gate>
  );
}
