// When a campaign is sent: now, at a time, or at another time.
import { Button, Radio, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatAppointment, formatCount, formatRelative } from "../../parts/format.ts";
import { ClockIcon, SendIcon, UndoIcon } from "../../parts/icons.tsx";
import { Section } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { useCampaignActions } from "../campaigns/actions.tsx";
import classes from "./campaign.module.css";
import type { Stored, Words } from "./kind.ts";
import { useReach } from "./reach.tsx";
import { faultOf, localTime, tomorrow, zoneAt } from "../../parts/local_time.ts";

interface Props {
  stored: Stored;
  words: Words;
}

/** The choice, and the button, which says how many it goes to. */
export function When({ stored, words }: Props) {
  const campaign = stored.answer;
  const { scheduledFor } = campaign;
  const isScheduled = campaign.status === "SCHEDULED";
  const [kind, setKind] = useState<"now" | "later">(isScheduled ? "later" : "now");
  const [time, setTime] = useState(() => (scheduledFor ? localTime(new Date(scheduledFor)) : tomorrow()));
  const { unschedule } = useCampaignActions();
  const { people, obstacle, ask } = useAsk({ stored, words });
  const fault = kind === "later" ? faultOf(time) : null;
  const isTheSame =
    isScheduled && scheduledFor !== null && new Date(time).getTime() === minuteOf(scheduledFor);
  return (
    <Section
      title="When"
      about={
        isScheduled && scheduledFor
          ? `It goes out on ${formatAppointment(scheduledFor)}, ${formatRelative(scheduledFor)}.`
          : "Nothing is sent until you confirm it."
      }
      actions={
        isScheduled && (
          <Button
            variant="default"
            size="xs"
            leftSection={<UndoIcon size={14} />}
            onClick={() => void unschedule(campaign)}
          >
            Unschedule
          </Button>
        )
      }
    >
      <Radio.Group aria-label="When" value={kind} onChange={(next) => setKind(next as typeof kind)}>
        <div className={classes.kinds}>
          <Radio value="now" label="Now" />
          <Radio value="later" label={isScheduled ? "At another time" : "At a time"} />
        </div>
      </Radio.Group>
      {kind === "later" && (
        <TextInput
          className={classes.time!}
          type="datetime-local"
          label="Day and time"
          description={`In the time of this computer: ${zoneAt(time)}`}
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
          error={fault}
        />
      )}
      <div className={classes.go}>
        {obstacle && (
          <p className={classes.quiet} role="status">
            {obstacle}
          </p>
        )}
        {kind === "now" ? (
          <Button
            leftSection={<SendIcon size={16} />}
            onClick={() => void ask(null)}
            disabled={people === null || obstacle !== null}
          >
            {people === null ? "Send now" : `Send to ${people}`}
          </Button>
        ) : (
          <Button
            leftSection={<ClockIcon size={16} />}
            onClick={() => void ask(new Date(time))}
            disabled={people === null || obstacle !== null || fault !== null || isTheSame}
          >
            {people === null ? "Schedule" : `Schedule for ${people}`}
          </Button>
        )}
      </div>
    </Section>
  );
}

const minuteOf = (at: string) => Math.floor(new Date(at).getTime() / 60_000) * 60_000;

/** The question before it is sent, with the number as it is now. `people`: as it was a moment ago. `obstacle`: why not. */
function useAsk({ stored: { answer, etag }, words }: Props) {
  const { id, name } = answer;
  const projectId = useProjectId();
  const cache = useQueryClient();
  const { reach } = useReach(words);
  const peopleOf = (data: typeof reach.data) =>
    data ? `${data.estimated ? "about " : ""}${formatCount(data.reachable, "contact")}` : null;
  const ask = async (time: Date | null) => {
    const { data, error } = await reach.refetch();
    if (error) return toast.failed(error);
    const people = peopleOf(data)!;
    const when = time && formatAppointment(time);
    confirm({
      title: time ? `Schedule ${name}?` : `Send ${name} now?`,
      action: time ? "Schedule" : `Send to ${people}`,
      isDestructive: false,
      children: (
        <>
          <p className={classes.plain}>
            “{words.subject}” goes to <strong>{people}</strong>
            {when && <> on {when}</>}, from {words.from}.
          </p>
          <p className={classes.quiet}>
            {time
              ? "They are counted again at that time. Until then, you can change, reschedule or unschedule it."
              : "Sent mails cannot be taken back. The rest can be cancelled while it is being sent."}
          </p>
        </>
      ),
      act: async () => {
        const body = { scheduledFor: time?.toISOString() ?? null };
        try {
          // What was asked about is what goes out, and not what somebody else has made of it meanwhile.
          await call("POST /campaigns/{id}/send", { path: { id }, body }, { projectId, ifMatch: etag });
        } finally {
          await readAgain(cache, projectId, ["GET /campaigns", "GET /activity/upcoming"]);
        }
        toast.done(time ? `${name} goes out on ${when}` : `${name} is being sent`, { of: id });
      },
    });
  };
  const obstacle = reach.error
    ? `The audience cannot be counted: ${reach.error.message}.`
    : reach.data?.reachable === 0
      ? "Nobody would get it: choose another audience."
      : null;
  return { people: peopleOf(reach.data), obstacle, ask };
}
