// When a workflow starts: at an event, at times, or by hand; and whether a contact may enter again.
import { Autocomplete, NativeSelect, SegmentedControl, Select, Switch, TextInput } from "@mantine/core";
import { TAKES_FIRST_MATCH } from "../../../parts/first_match.ts";
import { EventField } from "./event_field.tsx";
import type { StepFormProps } from "./form.ts";
import classes from "./forms.module.css";
import { cronOf, type Rhythm, RHYTHMS, rhythmOf, type Schedule, WEEKDAYS } from "./schedule.ts";

const KINDS = [
  { value: "EVENT", label: "Event" },
  { value: "SCHEDULE", label: "Schedule" },
  { value: "MANUAL", label: "By hand" },
];

export function TriggerForm(props: StepFormProps) {
  const { trigger, names, setTrigger, errorOf } = props;
  const { triggerType, triggerConfig, allowReentry } = trigger;
  const choose = (next: string) => {
    const triggerConfigs = { EVENT: null, SCHEDULE: { schedule: "0 9 * * 1" }, MANUAL: null };
    const type = next as typeof triggerType;
    setTrigger({ triggerType: type, triggerConfig: triggerConfigs[type] }, "kind");
  };
  return (
    <>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="What starts it"
        data={KINDS}
        value={triggerType}
        onChange={choose}
      />
      {triggerType === "EVENT" && (
        <EventField
          names={names}
          label="Event"
          description="Contacts with this event enter the workflow. Your application tracks it, or the service records it."
          value={String(triggerConfig?.eventName ?? "")}
          onChange={(eventName) =>
            setTrigger({ triggerConfig: eventName ? { eventName } : null }, "eventName")
          }
          error={errorOf("triggerConfig.eventName")}
        />
      )}
      {triggerType === "SCHEDULE" && <ScheduleFields {...props} />}
      {triggerType === "MANUAL" && (
        <p className={classes.quiet}>
          Nobody enters by themselves. Your application starts it for a contact with POST
          /workflows/…/executions; that works for the other triggers too.
        </p>
      )}
      <Switch
        label="Let contacts enter again"
        description="If off, each contact goes through it only once. Nobody can be in it twice at the same time."
        checked={allowReentry}
        onChange={(event) => setTrigger({ allowReentry: event.currentTarget.checked }, "allowReentry")}
      />
    </>
  );
}

const ZONES =
  typeof Intl.supportedValuesOf === "function" ? ["UTC", ...Intl.supportedValuesOf("timeZone")] : ["UTC"];

function ScheduleFields({ trigger: { triggerConfig }, names, setTrigger, errorOf }: StepFormProps) {
  const {
    schedule = "",
    timezone,
    segmentId,
  } = (triggerConfig ?? {}) as {
    schedule?: string;
    timezone?: string;
    segmentId?: string;
  };
  const parts = rhythmOf(schedule);
  const set = (patch: Record<string, unknown>, key: string) => {
    const next = { schedule, timezone, segmentId, ...patch };
    const given = Object.fromEntries(Object.entries(next).filter(([, value]) => value));
    setTrigger({ triggerConfig: given }, key);
  };
  const segments = [...(names.vocabulary?.segments ?? [])].map(([value, label]) => ({ value, label }));
  return (
    <>
      <NativeSelect
        label="How often"
        data={RHYTHMS}
        value={parts.rhythm}
        onChange={(event) =>
          set({ schedule: cronOf({ ...parts, rhythm: event.currentTarget.value as Rhythm }) }, "rhythm")
        }
        error={parts.rhythm === "own" ? undefined : errorOf("triggerConfig.schedule")}
      />
      <When parts={parts} set={set} error={errorOf("triggerConfig.schedule")} />
      <Autocomplete
        label="Time zone"
        data={ZONES}
        limit={40}
        value={timezone ?? "UTC"}
        onChange={(zone) => set({ timezone: zone === "UTC" ? undefined : zone }, "timezone")}
        error={errorOf("triggerConfig.timezone")}
      />
      <Select
        label="For whom"
        placeholder="All contacts"
        data={segments}
        searchable
        {...TAKES_FIRST_MATCH}
        clearable
        clearButtonProps={{ "aria-label": "For all contacts" }}
        value={segmentId?.toLowerCase() ?? null}
        onChange={(id) => set({ segmentId: id ?? undefined }, "segmentId")}
        error={errorOf("triggerConfig.segmentId")}
      />
    </>
  );
}

interface WhenProps {
  parts: Schedule;
  set: (patch: Record<string, unknown>, key: string) => void;
  error: string | undefined;
}

function When({ parts, set, error }: WhenProps) {
  const change = (patch: Partial<Schedule>) => set({ schedule: cronOf({ ...parts, ...patch }) }, "schedule");
  if (parts.rhythm === "own") {
    return (
      <TextInput
        label="Cron expression"
        description="Minute, hour, day, month and weekday."
        placeholder="0 9 * * 1"
        maxLength={255}
        value={parts.cron}
        onChange={(event) => change({ cron: event.currentTarget.value })}
        error={error}
      />
    );
  }
  if (parts.rhythm === "hour") return null;
  return (
    <div className={classes.pair}>
      {parts.rhythm === "week" && (
        <NativeSelect
          label="On"
          data={WEEKDAYS}
          value={parts.weekday}
          onChange={(event) => change({ weekday: event.currentTarget.value })}
        />
      )}
      {parts.rhythm === "month" && (
        <NativeSelect
          label="On day"
          data={Array.from({ length: 28 }, (_, n) => String(n + 1))}
          value={parts.day}
          onChange={(event) => change({ day: event.currentTarget.value })}
        />
      )}
      <TextInput
        type="time"
        label="At"
        value={parts.time}
        onChange={(event) => event.currentTarget.value && change({ time: event.currentTarget.value })}
      />
    </div>
  );
}
