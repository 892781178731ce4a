/**
 * The condition builder: filters in groups, joined by “and” or “or”, with groups within. It is used for segments, for the
 * audience of a campaign, and as the filter of a list:
 *
 * ```tsx
 * const conditions = useConditions(segment.condition); // or useConditions() for an empty one
 * <ConditionBuilder conditions={conditions} />
 *
 * conditions.condition;           // the finished part, or null: for a live preview or a filter
 * const whole = conditions.check(); // for saving: marks what is missing and returns null, or the whole condition
 * conditions.refuse(refusal);       // after a 422: marks each fault at its line, and returns the others
 * conditions.reset(condition);      // another condition
 * ```
 *
 * What is not finished stays in the builder and is left out of `condition`. Enter in a value begins the next line.
 */
import { Alert, Button, SegmentedControl } from "@mantine/core";
import { useEffect, useRef } from "react";
import { AddIcon, CloseIcon, WarningIcon } from "../icons.tsx";
import { Failed, SkeletonLines } from "../states.tsx";
import classes from "./conditions.module.css";
import type { DraftCondition, DraftGroup } from "./draft.ts";
import { FilterLine } from "./filter_line.tsx";
import type { Conditions } from "./use_conditions.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { sentence } from "./words.ts";

export { useConditions } from "./use_conditions.ts";
export type { Conditions } from "./use_conditions.ts";

/** The service takes ten levels; nobody reads more than these. What has more is shown as it is. */
const MAX_OFFERED_DEPTH = 3;

interface Props {
  conditions: Conditions;
  /** Whether the sentence below is left out, if there is little room. */
  hideSentence?: boolean;
}

/** The builder; see the head of this file. */
export function ConditionBuilder({ conditions, hideSentence = false }: Props) {
  const { vocabulary, error, draft, focused } = conditions;
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!focused) return;
    const line = root.current?.querySelector(`[data-line="${focused.id}"]`);
    const [first, wrong] = ["input, select", "[aria-invalid=true]"].map((where) =>
      line?.querySelector(where),
    );
    ((wrong ?? first) as HTMLElement | null | undefined)?.focus();
  }, [focused]);
  if (!vocabulary) return error ? <Failed error={error} /> : <SkeletonLines count={2} height={34} />;
  const words = sentence(conditions.condition, vocabulary);
  return (
    <div ref={root} className={classes.builder}>
      <ConditionNode conditions={conditions} vocabulary={vocabulary} node={draft} depth={1} />
      {!hideSentence && (
        <p className={classes.sentence}>{words ?? "Choose a field to see the condition in words."}</p>
      )}
    </div>
  );
}

interface NodeProps {
  conditions: Conditions;
  vocabulary: Vocabulary;
  node: DraftCondition;
  depth: number;
}

function ConditionNode({ conditions, vocabulary, node, depth }: NodeProps) {
  const { edit, faults } = conditions;
  const own = faults.get(node.id);
  return (
    <div className={classes.condition}>
      {node.groups.map((group, index) => (
        <div key={group.id} className={classes.slot}>
          {index === 1 && (
            <SegmentedControl
              className={classes.logic!}
              size="xs"
              aria-label="How the groups are joined"
              data={[
                { value: "AND", label: "and" },
                { value: "OR", label: "or" },
              ]}
              value={node.logic}
              onChange={(logic) => edit.setLogic(node.id, logic)}
            />
          )}
          {index > 1 && <span className={classes.joined}>{node.logic === "AND" ? "and" : "or"}</span>}
          <GroupCard
            {...{ conditions, vocabulary, group, depth }}
            isOnly={node.groups.length === 1}
            isFirst={index === 0}
          />
        </div>
      ))}
      <div>
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={<AddIcon size={14} />}
          onClick={() => edit.addGroup(node.id)}
        >
          Add a group
        </Button>
      </div>
      {own?.field && <Fault text={own.field} />}
    </div>
  );
}

interface GroupProps {
  conditions: Conditions;
  vocabulary: Vocabulary;
  group: DraftGroup;
  depth: number;
  isOnly: boolean;
  isFirst: boolean;
}

function GroupCard({ conditions, vocabulary, group, depth, isOnly, isFirst }: GroupProps) {
  const { edit, faults } = conditions;
  const own = faults.get(group.id);
  return (
    <div
      role="group"
      aria-label="Group of filters"
      className={classes.group}
      data-inner={depth > 1 || undefined}
    >
      {group.filters.map((line, index) => (
        <FilterLine
          key={line.id}
          vocabulary={vocabulary}
          line={line}
          lead={index > 0 ? "and" : isFirst && depth === 1 ? "Where" : ""}
          faults={faults.get(line.id)}
          change={(patch) => edit.change(line.id, patch)}
          remove={() => edit.removeLine(line.id)}
          next={() => edit.addLine(group.id, line.id)}
        />
      ))}
      {group.nested && (
        <div className={classes.nested}>
          {group.filters.length > 0 && <span className={classes.lead}>and</span>}
          <ConditionNode {...{ conditions, vocabulary }} node={group.nested} depth={depth + 1} />
        </div>
      )}
      {own?.field && <Fault text={own.field} />}
      <div className={classes.tools}>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<AddIcon size={14} />}
          onClick={() => edit.addLine(group.id)}
        >
          Add a filter
        </Button>
        {!group.nested && depth < MAX_OFFERED_DEPTH && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={() => edit.nest(group.id)}>
            Add groups within
          </Button>
        )}
        {!isOnly && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<CloseIcon size={13} />}
            onClick={() => edit.removeGroup(group.id)}
          >
            Remove this group
          </Button>
        )}
      </div>
    </div>
  );
}

function Fault({ text }: { text: string }) {
  return (
    <Alert color="red" variant="light" icon={<WarningIcon />} role="alert" p="xs">
      {text}
    </Alert>
  );
}
