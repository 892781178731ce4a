// What each column of a file is to become.
import { Select, TextInput } from "@mantine/core";
import { useApi } from "../../queries.ts";
import { fieldName } from "../../parts/field_value.tsx";
import type { FileColumn, Target } from "./preview.ts";
import classes from "./imports.module.css";

const LEFT_OUT = "-";
const NEW = "+";

interface Props {
  columns: FileColumn[];
  targets: Target[];
  faults: ReadonlyMap<number, string>;
  change: (targets: Target[]) => void;
}

export function Mapping({ columns, targets, faults, change }: Props) {
  const { data } = useApi("GET /contacts/fields", {});
  const known = (data?.fields ?? [])
    .filter(({ field }) => field.startsWith("data."))
    .map(({ field }) => field.slice("data.".length));
  const put = (index: number, target: Target) => change(targets.with(index, target));
  return (
    <>
      {!targets.includes("email") && (
        <p className={classes.fault} role="alert">
          Which column has the addresses? Choose “Address” for it.
        </p>
      )}
      <table className={classes.mapping}>
        <thead>
          <tr>
            <th scope="col">Column of the file</th>
            <th scope="col">First values</th>
            <th scope="col">Becomes</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, values }, index) => (
            <tr key={index}>
              <th scope="row">{name || <em>no name</em>}</th>
              <td className={classes.values}>
                {values
                  .filter((value) => value !== "")
                  .slice(0, 3)
                  .join(" · ") || "–"}
              </td>
              <td>
                <TargetField
                  column={name || `Column ${index + 1}`}
                  target={targets[index]!}
                  known={known}
                  fault={faults.get(index)}
                  isNamed={name !== ""}
                  change={(target) => put(index, target)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

interface TargetProps {
  column: string;
  target: Target;
  known: string[];
  fault: string | undefined;
  isNamed: boolean;
  change: (target: Target) => void;
}

function TargetField({ column, target, known, fault, isNamed, change }: TargetProps) {
  const isNew = target !== null && target !== "email" && target !== "subscribed" && !known.includes(target);
  const value = target === null ? LEFT_OUT : isNew ? NEW : target;
  return (
    <div className={classes.target}>
      <Select
        size="xs"
        aria-label={`What ${column} becomes`}
        disabled={!isNamed}
        data={[
          { value: "email", label: "Address" },
          { value: "subscribed", label: "Subscribed, yes or no" },
          { group: "Fields", items: known.map((key) => ({ value: key, label: fieldName(key) })) },
          { value: NEW, label: "A new field" },
          { value: LEFT_OUT, label: "Leave it out" },
        ]}
        value={value}
        onChange={(next) =>
          change(next === LEFT_OUT || next === null ? null : next === NEW ? newKey(column) : next)
        }
        allowDeselect={false}
        error={!isNew && fault}
      />
      {isNew && (
        <TextInput
          size="xs"
          aria-label={`Name of the new field for ${column}`}
          value={target}
          maxLength={200}
          onChange={(event) => change(event.currentTarget.value)}
          error={fault}
        />
      )}
    </div>
  );
}

/** A name that no standard field has. */
const newKey = (column: string) =>
  column.replace(/[^\p{L}\p{N}_]+/gu, "_").replace(/^(email|subscribed)$/i, "$1_");

/** What is wrong with the targets, by column: two that become the same, and fields without a name. */
export function faultsOf(targets: Target[]): ReadonlyMap<number, string> {
  const faults = new Map<number, string>();
  for (const [index, target] of targets.entries()) {
    if (target === null) continue;
    if (target.trim() === "") faults.set(index, "Enter a name for the field");
    else if (targets.indexOf(target) !== index) faults.set(index, "Another column is already mapped to this");
  }
  if (!targets.includes("email")) faults.set(-1, "No column has the addresses");
  return faults;
}
