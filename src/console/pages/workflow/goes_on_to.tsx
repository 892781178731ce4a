// Where a step leads to, as a list: the same as drawing ways, without a pointer.
import { ActionIcon, Select } from "@mantine/core";
import { branchName, branchNamesOf, type StepType, wayId } from "../../parts/canvas/graph.ts";
import { ADDED_TYPES, STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import { TAKES_FIRST_MATCH } from "../../parts/first_match.ts";
import { AddIcon } from "../../parts/icons.tsx";
import { exitsOf, type Model, type Step, whyNot, type Where } from "./model.ts";
import classes from "./workflow.module.css";

interface Props {
  model: Model;
  step: Step;
  connect: (from: string, branch: string | null, to: string) => void;
  cut: (way: string) => void;
  add: (type: StepType, where: Where) => void;
  grow: (where: Exclude<Where, null>, anchor: HTMLElement) => void;
}

const NEW = "new:";
const NOBODY = "end";

/** One line for each way out. */
export function GoesOnTo(props: Props) {
  const { model, step, grow } = props;
  const exits = exitsOf(model, step);
  if (exits.length === 0) return <p className={classes.quiet}>The contact’s path ends here.</p>;
  return (
    <fieldset className={classes.exits}>
      <legend>Goes on to</legend>
      {exits.map((branch) => {
        const way = model.ways.find((one) => wayId(one) === wayId({ from: step.id, branch }));
        const words = branch === null ? "Next step" : branchName(branch, branchNamesOf(step));
        return (
          <div key={branch ?? ""} className={classes.exit}>
            <Select
              label={exits.length > 1 || branch !== null ? words : undefined}
              aria-label={words}
              data={choicesOf(model, step, branch)}
              value={way?.to ?? NOBODY}
              onChange={(next) => next && choose(props, branch, next)}
              // What is typed replaces what is chosen.
              onFocus={(event) => event.currentTarget.select()}
              searchable
              {...TAKES_FIRST_MATCH}
              allowDeselect={false}
              limit={200}
            />
            {way && (
              <ActionIcon
                size="lg"
                aria-label={`Insert a step before ${model.steps.find(({ id }) => id === way.to)?.name}`}
                onClick={(event) => grow({ into: wayId(way) }, event.currentTarget)}
              >
                <AddIcon size={16} />
              </ActionIcon>
            )}
          </div>
        );
      })}
    </fieldset>
  );
}

function choose({ step, connect, cut, add }: Props, branch: string | null, next: string): void {
  if (next === NOBODY) cut(wayId({ from: step.id, branch }));
  else if (next.startsWith(NEW)) add(next.slice(NEW.length) as StepType, { after: step.id, branch });
  else connect(step.id, branch, next);
}

function choicesOf(model: Model, step: Step, branch: string | null) {
  const steps = model.steps.filter(({ id }) => whyNot(model, { from: step.id, branch, to: id }) === null);
  return [
    { value: NOBODY, label: "Nothing: it ends here" },
    { group: "Steps", items: steps.map(({ id, name }) => ({ value: id, label: name })) },
    {
      group: "New step",
      items: ADDED_TYPES.map((type) => ({ value: `${NEW}${type}`, label: `New: ${STEP_KINDS[type].label}` })),
    },
  ];
}
