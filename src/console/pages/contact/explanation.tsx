// Why a contact is in a segment, or is not: each filter with its answer, and what was found.
import type { ExplainedCondition, ExplainedFilter, SegmentExplanation } from "../../api.gen.ts";
import { CheckIcon, CloseIcon } from "../../parts/icons.tsx";
import { useVocabulary } from "../../parts/conditions/vocabulary.ts";
import { filterSentence } from "../../parts/conditions/words.ts";
import { Time } from "../../parts/time.tsx";
import { FieldValue } from "../../parts/field_value.tsx";
import classes from "./contact.module.css";

interface Props {
  email: string;
  explanation: SegmentExplanation;
}

export function Explanation({ email, explanation: { matches, condition, enteredAt } }: Props) {
  return (
    <>
      <p className={classes.verdict}>
        <strong>{email}</strong> is {matches ? "in this segment" : "not in this segment"}
        {enteredAt && (
          <>
            {" "}
            since <Time at={enteredAt} />
          </>
        )}
        .
      </p>
      {condition ? (
        <Tree condition={condition} />
      ) : (
        <p className={classes.quiet}>
          A static segment is a list: contacts are added to it and removed by hand.
        </p>
      )}
    </>
  );
}

function Tree({ condition }: { condition: NonNullable<ExplainedCondition> }) {
  const { logic, groups } = condition;
  return (
    <div className={classes.tree}>
      {groups.map((group, n) => (
        <div key={n}>
          {n > 0 && <div className={classes.logic}>{logic === "AND" ? "and" : "or"}</div>}
          <div className={classes.group}>
            {group.filters.map((filter, index) => (
              <Row key={index} filter={filter} />
            ))}
            {group.conditions && <Tree condition={group.conditions} />}
          </div>
        </div>
      ))}
    </div>
  );
}

function Row({ filter }: { filter: ExplainedFilter }) {
  const { field, matches, found } = filter;
  const { vocabulary } = useVocabulary(filter);
  return (
    <div className={classes.answer} data-matches={matches}>
      {matches ? <CheckIcon size={15} /> : <CloseIcon size={15} />}
      <span className="for-readers">{matches ? "True:" : "False:"}</span>
      <span>{vocabulary ? filterSentence(filter, vocabulary) : field}</span>
      <Found field={field} found={found} />
    </div>
  );
}

function Found({ field, found }: { field: string; found: unknown }) {
  if (field.startsWith("segment.")) return null;
  if (isCounted(found)) {
    return (
      <span className={classes.found}>
        {found.count === 0 ? "it never did" : `${found.count}×`}
        {found.count > 0 && found.lastAt && (
          <>
            , last <Time at={found.lastAt} />
          </>
        )}
      </span>
    );
  }
  return (
    <span className={classes.found}>
      {found === null || found === undefined ? (
        "there is no value"
      ) : (
        <>
          found: <FieldValue value={found} />
        </>
      )}
    </span>
  );
}

function isCounted(found: unknown): found is { count: number; lastAt: string | null } {
  return typeof found === "object" && found !== null && "count" in found;
}
