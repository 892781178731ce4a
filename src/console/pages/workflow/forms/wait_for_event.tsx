// A wait for an event of the contact.
import { Switch } from "@mantine/core";
import { durationOf } from "../../../parts/canvas/words.ts";
import { Duration, type Unit, UNITS } from "./duration.tsx";
import { EventField } from "./event_field.tsx";
import type { StepFormProps } from "./form.ts";

const A_DAY = 86_400;

export function WaitForEventForm({ step: { config }, names, setConfig, errorOf }: StepFormProps) {
  const { eventName = "", timeout } = config as { eventName?: string; timeout?: number | null };
  const { amount, unit } = lengthOf(timeout);
  return (
    <>
      <EventField
        names={names}
        label="Event"
        description="An event of the same contact. It is not missed if it comes just as the wait begins."
        value={eventName}
        onChange={(next) => setConfig({ ...config, eventName: next }, "eventName")}
        error={errorOf("config.eventName")}
      />
      <Switch
        label="Give up after some time"
        description="The contact then continues on the branch “Time is up”."
        checked={timeout !== undefined}
        onChange={(event) =>
          setConfig({ eventName, ...(event.currentTarget.checked && { timeout: 3 * A_DAY }) }, "limit")
        }
      />
      {timeout !== undefined && (
        <Duration
          label="Wait for at most"
          amount={amount}
          unit={unit}
          onChange={(next, nextUnit) =>
            setConfig(
              { eventName, timeout: next === null ? null : Math.round(next * UNITS[nextUnit]) },
              "timeout",
            )
          }
          error={errorOf("config.timeout")}
        />
      )}
    </>
  );
}

function lengthOf(timeout: number | null | undefined): { amount: number | null; unit: Unit } {
  if (typeof timeout !== "number") return { amount: null, unit: "days" };
  const { amount, unit } = durationOf(timeout);
  return unit === "seconds" ? { amount: amount / 60, unit: "minutes" } : { amount, unit };
}
