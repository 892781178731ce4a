// Two people have written in one thing: both versions, side by side, and nothing is lost.
import { Alert, Button, Group } from "@mantine/core";
import { WarningIcon } from "../icons.tsx";
import { lazyPage } from "../lazy_page.tsx";
import { SkeletonLines } from "../states.tsx";
import { Time } from "../time.tsx";
import type { Draft } from "./draft.ts";
import { changedIn, type Edited, type Field, type Words } from "./edited.ts";
import classes from "./edits.module.css";
import { FieldDifferences } from "./field_differences.tsx";

const Difference = lazyPage(() => import("../code/difference.tsx"), <SkeletonLines />);

interface Props<T extends { id: string }, W extends Words<W>> {
  kind: Edited<T, W>;
  draft: Draft<T, W>;
}

/** Shown while somebody else has saved something since the writing began. */
export function Conflict<T extends { id: string }, W extends Words<W> & { body?: string }>({
  kind,
  draft,
}: Props<T, W>) {
  const { other, words, base, changed, keepMine, takeOther, isSaving } = draft;
  if (!other) return null;
  const theirs = kind.wordsOf(other.answer);
  const changedThere = changedIn(base, theirs);
  const both = changed.filter((field) => changedThere.includes(field) && words[field] !== theirs[field]);
  const onlyThere = changedThere.filter((field) => !changed.includes(field));
  const named = (fields: Field<W>[]) => fields.map((field) => kind.labels[field].toLowerCase()).join(", ");
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<WarningIcon size={18} />}
      role="alert"
      className={classes.conflict!}
      title={`Somebody else has changed this ${kind.noun} since you opened it`}
    >
      <p className={classes.plain}>
        {other.by} saved it <Time at={other.at} />. Nothing of theirs was overwritten, and nothing of yours is
        lost.{" "}
        {both.length === 0
          ? "You have changed different parts: saving yours keeps both."
          : `You have both changed: ${named(both)}.`}
        {both.length > 0 &&
          onlyThere.length > 0 &&
          ` What only they have changed stays: ${named(onlyThere)}.`}
      </p>
      <FieldDifferences
        kind={kind}
        before={theirs}
        after={words}
        fields={both.filter((field) => field !== "body")}
        titles={["Theirs", "Yours"]}
      />
      {both.includes("body" as Field<W>) && (
        <div className={classes.difference}>
          <Difference before={theirs.body ?? ""} after={words.body ?? ""} label="Their body, and yours" />
        </div>
      )}
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={() => void keepMine()} loading={isSaving}>
          {both.length === 0 ? "Save both" : "Save mine over theirs"}
        </Button>
        <Button size="xs" variant="default" onClick={takeOther}>
          Take theirs
        </Button>
      </Group>
    </Alert>
  );
}
