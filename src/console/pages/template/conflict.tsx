// Two people have written in one template: both versions, side by side, and nothing is lost.
import { Alert, Button, Group } from "@mantine/core";
import { WarningIcon } from "../../parts/icons.tsx";
import { lazyPage } from "../../parts/lazy_page.tsx";
import { SkeletonLines } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import type { TemplateDraft } from "./draft.ts";
import { FieldDifferences } from "./field_differences.tsx";
import classes from "./template.module.css";
import { changedIn, LABELS, wordsOf } from "./words.ts";

const Difference = lazyPage(() => import("../../parts/code/difference.tsx"), <SkeletonLines />);

/** Shown while somebody else has saved something since the writing began. */
export function Conflict({ draft }: { draft: TemplateDraft }) {
  const { other, words, base, changed, keepMine, takeOther, isSaving } = draft;
  if (!other) return null;
  const theirs = wordsOf(other.answer);
  const changedThere = changedIn(base, theirs);
  const both = changed.filter((field) => changedThere.includes(field) && words[field] !== theirs[field]);
  const onlyThere = changedThere.filter((field) => !changed.includes(field));
  return (
    <Alert
      color="yellow"
      variant="light"
      icon={<WarningIcon size={18} />}
      role="alert"
      className={classes.conflict!}
      title="Somebody else has changed this template since you opened it"
    >
      <p className={classes.plain}>
        {other.by} saved it <Time at={other.at} />. Nothing of theirs was overwritten, and nothing of yours is
        lost.{" "}
        {both.length === 0
          ? "You have changed different parts: saving yours keeps both."
          : `You have both changed: ${both.map((field) => LABELS[field].toLowerCase()).join(", ")}.`}
        {both.length > 0 &&
          onlyThere.length > 0 &&
          ` What only they have changed stays: ${onlyThere.map((field) => LABELS[field].toLowerCase()).join(", ")}.`}
      </p>
      <FieldDifferences
        before={theirs}
        after={words}
        fields={both.filter((field) => field !== "body")}
        titles={["Theirs", "Yours"]}
      />
      {both.includes("body") && (
        <div className={classes.difference}>
          <Difference before={theirs.body} after={words.body} label="Their body, and yours" />
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
