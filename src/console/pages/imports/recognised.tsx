// A file that looks like the export of another service: its columns are offered as that service means them, and the way that
// brings more.
import { Alert, Button } from "@mantine/core";
import { Link } from "wouter";
import type { ImportPreset } from "../../api.gen.ts";
import { InfoIcon } from "../../parts/icons.tsx";
import { useApi } from "../../queries.ts";
import { useRole } from "../../session.ts";
import type { FileColumn, Target } from "./preview.ts";
import classes from "./imports.module.css";

interface Props {
  columns: FileColumn[];
  targets: Target[];
  change: (targets: Target[]) => void;
}

export function Recognised({ columns, targets, change }: Props) {
  const { isAllowed: mayMove } = useRole("ADMIN");
  const { data } = useApi("GET /contacts/imports/presets", {});
  const names = columns.map(({ name }) => name.toLowerCase());
  const preset = data?.presets.find(({ signs }) =>
    signs.some((sign) => sign.every((column) => names.includes(column))),
  );
  if (!preset) return null;
  const { name, title } = preset;
  const offered = targetsBy(preset, columns);
  const isUsed = offered.every((target, index) => target === targets[index]);
  return (
    <Alert
      color="gray"
      variant="light"
      icon={<InfoIcon size={16} />}
      title={`This looks like an export of ${title}`}
      mb="md"
    >
      {mayMove && (
        <p className={classes.recognised}>
          Who has unsubscribed or bounced there, and the tags, come along only if you{" "}
          <Link href={`/move-in?from=${name}`}>move in from {title}</Link>.
        </p>
      )}
      <Button size="xs" variant="default" onClick={() => change(offered)} disabled={isUsed}>
        {isUsed ? `Columns mapped for ${title}` : `Map the columns for ${title}`}
      </Button>
    </Alert>
  );
}

/** What each column becomes. A column that the service does not name stays as it was guessed. */
function targetsBy({ columns: known }: ImportPreset, columns: FileColumn[]): Target[] {
  return columns.map(({ name, guess }) => {
    const key = name.toLowerCase();
    return guess === "email" || !Object.hasOwn(known, key) ? guess : known[key]!;
  });
}
