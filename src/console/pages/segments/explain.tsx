// Why one contact is in a segment, or is not: each filter with its answer and what was found.
import { Alert } from "@mantine/core";
import type { ExplainedCondition, ExplainedFilter, Segment, SegmentExplanation } from "../../api.gen.ts";
import { useVocabulary, type Vocabulary } from "../../parts/conditions/vocabulary.ts";
import { filterSentence, valueName } from "../../parts/conditions/words.ts";
import { ContactPicker } from "../../parts/contact_picker.tsx";
import { formatCount, formatExact } from "../../parts/format.ts";
import { CheckIcon, CloseIcon } from "../../parts/icons.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { useUrlState } from "../../place.ts";
import { useApi } from "../../queries.ts";
import classes from "./segments.module.css";

/** A contact is chosen; the address remembers who. */
export function Explain({ segment }: { segment: Segment }) {
  const [{ contact }, set] = useUrlState({ contact: "" });
  return (
    <>
      <ContactPicker
        className={classes.short!}
        mb="md"
        value={contact}
        onChange={(id) => set({ contact: id }, { replace: true })}
      />
      {contact ? (
        <Explained key={contact} segment={segment} contactId={contact} />
      ) : (
        <p className={classes.quiet}>
          Choose a contact to see the result of each filter and the contact’s value.
        </p>
      )}
    </>
  );
}

function Explained({ segment, contactId }: { segment: Segment; contactId: string }) {
  const query = { contactId };
  const explanation = useApi("GET /segments/{id}/explain", { path: { id: segment.id }, query });
  const { vocabulary } = useVocabulary(segment.condition);
  return (
    <Loaded query={explanation}>
      {(answer) => (
        <>
          <Verdict segment={segment} answer={answer} />
          {answer.condition && vocabulary && <Answers condition={answer.condition} vocabulary={vocabulary} />}
        </>
      )}
    </Loaded>
  );
}

function Verdict({ segment, answer }: { segment: Segment; answer: SegmentExplanation }) {
  const { matches, enteredAt } = answer;
  return (
    <Alert
      color={matches ? "green" : "gray"}
      variant="light"
      icon={matches ? <CheckIcon /> : <CloseIcon />}
      mb="md"
      role="status"
    >
      {matches ? `Is in ${segment.name}` : `Is not in ${segment.name}`}
      {matches && enteredAt && (
        <>
          {", since "}
          <Time at={enteredAt} />
        </>
      )}
      {segment.type === "STATIC" &&
        (matches ? ": somebody added the contact." : ": nobody has added the contact.")}
    </Alert>
  );
}

interface AnswersProps {
  condition: NonNullable<ExplainedCondition>;
  vocabulary: Vocabulary;
}

function Answers({ condition: { logic, groups }, vocabulary }: AnswersProps) {
  const isMany = groups.length > 1;
  return (
    <>
      {isMany && (
        <p className={classes.setHead}>
          {logic === "AND" ? "All of these groups must match:" : "One of these groups must match:"}
        </p>
      )}
      <ul className={classes.answers}>
        {groups.map(({ filters, conditions, matches }, index) => (
          <li key={index} className={classes.set}>
            {isMany && (
              <p className={classes.setHead}>
                Group {index + 1} {matches ? "holds" : "does not hold"}
              </p>
            )}
            {filters.map((filter, n) => (
              <Answer key={n} filter={filter} vocabulary={vocabulary} />
            ))}
            {conditions && <Answers condition={conditions} vocabulary={vocabulary} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function Answer({ filter, vocabulary }: { filter: ExplainedFilter; vocabulary: Vocabulary }) {
  const kind = vocabulary.kindOf(filter.field);
  return (
    <div className={classes.answer} data-holds={filter.matches}>
      {filter.matches ? <CheckIcon size={16} /> : <CloseIcon size={16} />}
      <span>
        <span className="for-readers">{filter.matches ? "Yes: " : "No: "}</span>
        {filterSentence(filter, vocabulary)}
      </span>
      <span className={classes.second}>{foundOf(filter, kind)}</span>
    </div>
  );
}

/** What was found, in words. */
function foundOf({ found }: ExplainedFilter, kind: ReturnType<Vocabulary["kindOf"]>): string {
  if (kind === "segment") return found === null ? "The segment is gone." : "";
  if (kind === "event") {
    const { count, lastAt } = found as { count: number; lastAt: string | null };
    if (count === 0) return "Found: it has not happened.";
    return `Found: ${formatCount(count, "time")}${lastAt ? `, last on ${formatExact(lastAt)}` : ""}.`;
  }
  if (found === null) return "Found: nothing.";
  return `Found: ${kind === "time" ? formatExact(found as string) : valueName(found)}.`;
}
