// One delivery beside the list: what was sent, every attempt, what came back, and a button that sends it again.
import { Button, Drawer } from "@mantine/core";
import type { WebhookDeliveryDetails, WebhookEndpoint } from "../../api.gen.ts";
import { Copyable } from "../../parts/copy.tsx";
import { useFirstOpening } from "../../parts/first_opening.ts";
import { formatExact, formatNumber } from "../../parts/format.ts";
import { Gate } from "../../parts/gate.tsx";
import { Json } from "../../parts/json.tsx";
import { Fact, Facts } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useApi, useChange } from "../../queries.ts";
import { wordOfType } from "./words.ts";
import classes from "./webhooks.module.css";

interface Props {
  webhook: WebhookEndpoint;
  /** Null: none is open. */
  id: string | null;
  close: () => void;
}

export function DeliveryDrawer({ webhook, id, close }: Props) {
  const { isDrawn, isOpen } = useFirstOpening(id !== null);
  if (!isDrawn) return null;
  return (
    <Drawer opened={isOpen} onClose={close} position="right" size="min(44rem, 100vw)" title="Delivery">
      {id !== null && <Shown key={id} webhook={webhook} id={id} />}
    </Drawer>
  );
}

function Shown({ webhook, id }: { webhook: WebhookEndpoint; id: string }) {
  const path = { id: webhook.id, deliveryId: id };
  const delivery = useApi("GET /webhooks/{id}/deliveries/{deliveryId}", { path });
  const replay = useChange("POST /webhooks/{id}/deliveries/{deliveryId}/replay", {
    reads: ["GET /webhooks"],
    onSuccess: () => toast.done("It will be sent again"),
  });
  return (
    <Loaded query={delivery}>
      {(shown) => (
        <div className={classes.drawer}>
          <Gate role="ADMIN">
            <Button
              variant="default"
              size="xs"
              disabled={!webhook.enabled || shown.requestBody === null}
              loading={replay.isPending}
              onClick={() => replay.mutate({ path })}
            >
              Send again
            </Button>
          </Gate>
          <About delivery={shown} />
          <Tries delivery={shown} />
          <Sent body={shown.requestBody} />
          <Response delivery={shown} />
        </div>
      )}
    </Loaded>
  );
}

function About({ delivery: { id, type, eventName, status, createdAt, nextAttemptAt } }: Part) {
  return (
    <Facts>
      <Fact name="Event">
        {wordOfType(type)}
        {type === "event.tracked" && eventName ? ` ${eventName}` : ""}
      </Fact>
      <Fact name="State">
        <Status status={status} />
      </Fact>
      <Fact name="When">
        <time dateTime={createdAt}>{formatExact(createdAt)}</time>
      </Fact>
      {nextAttemptAt && (
        <Fact name="Next attempt">
          <Time at={nextAttemptAt} />
        </Fact>
      )}
      <Fact name="Id">
        <Copyable value={id} label="id" />
      </Fact>
    </Facts>
  );
}

type Part = { delivery: WebhookDeliveryDetails };

function Tries({ delivery: { tries } }: Part) {
  if (tries.length === 0) return null;
  return (
    <section aria-label="Attempts">
      <h3 className={classes.heading}>Attempts</h3>
      <ol className={classes.tries}>
        {tries.map(({ at, ms, status, error }) => (
          <li key={at}>
            <time dateTime={at}>{formatExact(at)}</time>
            <span>{status ?? error}</span>
            <span className={classes.ms}>{formatNumber(ms)} ms</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function Sent({ body }: { body: string | null }) {
  return (
    <section aria-label="Request">
      <h3 className={classes.heading}>Request</h3>
      {body === null ? (
        <p className={classes.faded}>
          The contact it was about has been deleted, and it was deleted with them.
        </p>
      ) : (
        <Json value={JSON.parse(body)} label="Body of the request" />
      )}
    </section>
  );
}

function Response({ delivery: { response } }: Part) {
  if (!response) return null;
  const { status, body, truncated } = response;
  return (
    <section aria-label="Response">
      <h3 className={classes.heading}>Response: {status}</h3>
      {body === "" ? (
        <p className={classes.faded}>It had no body.</p>
      ) : (
        <pre className={classes.response} tabIndex={0} role="group" aria-label="Body of the response">
          {String(body)}
          {truncated && "…"}
        </pre>
      )}
    </section>
  );
}
