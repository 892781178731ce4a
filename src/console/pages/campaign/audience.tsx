// The second step: who gets it.
import { Radio, Select } from "@mantine/core";
import { useEffect, useEffectEvent, useState } from "react";
import type { Campaign, Condition } from "../../api.gen.ts";
import { ConditionBuilder, type Conditions, useConditions } from "../../parts/conditions/builder.tsx";
import { formatCount } from "../../parts/format.ts";
import { MAIL_TYPES, type MailType } from "../../parts/mail_types.ts";
import { useApi } from "../../queries.ts";
import classes from "./campaign.module.css";
import type { CampaignDraft } from "./kind.ts";
import { Reach } from "./reach.tsx";

const KINDS: { value: Campaign["audienceType"]; label: string; about: string }[] = [
  { value: "ALL", label: "All contacts", about: "Everybody in this project." },
  { value: "SEGMENT", label: "A segment", about: "The members of a segment, as they are when it is sent." },
  {
    value: "FILTERED",
    label: "A condition",
    about: "Contacts who match a condition, for this campaign only.",
  },
];

/** The audience and the kind of the mail, with the count beside them. Half a condition is not saved. */
export function Audience({ draft }: { draft: CampaignDraft }) {
  const { words, set, faults, error } = draft;
  const [initial] = useState(words.audienceCondition);
  const [lastSegment, setLastSegment] = useState(words.segmentId);
  const conditions = useConditions(initial ? (JSON.parse(initial) as Condition) : null);
  const written = writtenOf(conditions, initial);
  const isByCondition = words.audienceType === "FILTERED";
  const keep = useEffectEvent(() => {
    if (isByCondition && conditions.vocabulary && written !== words.audienceCondition) {
      set({ audienceCondition: written });
    }
  });
  const isKnown = conditions.vocabulary !== null;
  useEffect(() => keep(), [written, isByCondition, isKnown]);
  const mark = useEffectEvent(
    () => void conditions.refuse(error, { root: "audienceCondition", isQuiet: true }),
  );
  useEffect(() => {
    if (error) mark();
  }, [error]);
  const errorOf = (field: string) => faults.find((fault) => fault.field === field)?.message;
  const choose = (audienceType: Campaign["audienceType"]) => {
    set({ audienceType, ...(audienceType === "SEGMENT" && { segmentId: words.segmentId || lastSegment }) });
  };
  return (
    <div className={classes.audience}>
      <div className={classes.choices}>
        <Radio.Group
          label="Who gets it"
          value={words.audienceType}
          onChange={(next) => choose(next as Campaign["audienceType"])}
          error={errorOf("audienceType")}
        >
          <div className={classes.kinds}>
            {KINDS.map(({ value, label, about }) => (
              <Radio key={value} value={value} label={label} description={about} />
            ))}
          </div>
        </Radio.Group>
        {words.audienceType === "SEGMENT" && (
          <SegmentSelect
            value={words.segmentId}
            error={errorOf("segmentId")}
            choose={(segmentId) => {
              if (segmentId) setLastSegment(segmentId);
              set({ segmentId });
            }}
          />
        )}
        {isByCondition && (
          <section aria-label="Condition">
            <ConditionBuilder conditions={conditions} />
          </section>
        )}
        <Radio.Group
          label="Kind of mail"
          value={words.type}
          onChange={(type) => set({ type: type as MailType })}
          error={errorOf("type")}
        >
          <div className={classes.kinds}>
            {Object.entries(MAIL_TYPES).map(([value, { label, about }]) => (
              <Radio key={value} value={value} label={label} description={about} />
            ))}
          </div>
        </Radio.Group>
      </div>
      <Reach words={words} />
    </div>
  );
}

/** What is saved of the builder: nothing while a line is not finished, or more would get it than was meant. */
function writtenOf({ isFinished, isChanged, condition }: Conditions, initial: string): string {
  if (!isFinished) return "";
  return isChanged ? JSON.stringify(condition) : initial;
}

interface SegmentProps {
  value: string;
  error: string | undefined;
  choose: (id: string) => void;
}

function SegmentSelect({ value, error, choose }: SegmentProps) {
  const { data: segments } = useApi("GET /segments", {}, { staleTime: 15_000 });
  const isGone = value !== "" && segments !== undefined && !segments.some(({ id }) => id === value);
  return (
    <Select
      label="Segment"
      placeholder={segments?.length === 0 ? "There is no segment yet" : "Choose one"}
      searchable
      nothingFoundMessage="No segment has this name"
      data={(segments ?? []).map(({ id, name, memberCount }) => ({
        value: id,
        label: `${name} (${formatCount(memberCount, "member")})`,
      }))}
      value={value || null}
      onChange={(id) => choose(id ?? "")}
      error={error ?? (isGone && "This segment was deleted: choose another audience")}
    />
  );
}
