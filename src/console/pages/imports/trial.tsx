// What an import would do, with examples: nothing has changed yet.
import { useEffect } from "react";
import type { ContactImport } from "../../api.gen.ts";
import { formatCount } from "../../parts/format.ts";
import { Failed, Loaded } from "../../parts/states.tsx";
import { useApi } from "../../queries.ts";
import { FieldValue, fieldName } from "../../parts/field_value.tsx";
import { Counts, Refused } from "./counts.tsx";
import { ImportProgress } from "./import_progress.tsx";
import { isMoving } from "./state.ts";
import classes from "./imports.module.css";

const ASK_MS = 500;

/** Asks how an import stands until it does not move any more. */
export function useImport(id: string) {
  return useApi(
    "GET /contacts/imports/{jobId}",
    { path: { jobId: id } },
    { refetchInterval: ({ state }) => (state.data && !isMoving(state.data) ? false : ASK_MS) },
  );
}

/** `onEnd` is told once whether there is something to import. */
export function Trial({ id, onEnd }: { id: string; onEnd: (isUsable: boolean) => void }) {
  const query = useImport(id);
  const state = query.data?.state;
  useEffect(() => {
    if (state === "completed" || state === "failed") {
      onEnd(state === "completed" && isUseful(query.data?.result));
    }
    // Told once.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [state]);
  return (
    <Loaded query={query}>
      {(trial) => {
        if (trial.state === "failed")
          return <Failed error={new Error(trial.failedReason ?? "It has failed")} />;
        if (!trial.result) return <ImportProgress label="Reading the file" progress={trial.progress} />;
        return (
          <>
            {isUseful(trial.result) ? (
              <p className={classes.quiet}>Nothing has changed yet. This is what the import would do:</p>
            ) : (
              <p className={classes.fault} role="alert">
                No row can be imported. Go back to the columns, or fix the file and choose it again.
              </p>
            )}
            <Counts result={trial.result} />
            <Examples examples={trial.result.examples ?? []} />
            <Refused result={trial.result} />
          </>
        );
      }}
    </Loaded>
  );
}

/** Whether there is a row that can be used. */
const isUseful = (result: ContactImport["result"]) => result === undefined || result.successCount > 0;

type Example = NonNullable<NonNullable<ContactImport["result"]>["examples"]>[number];

const ACTIONS = { create: "New", update: "Changed", none: "As it is" };

function Examples({ examples }: { examples: Example[] }) {
  if (examples.length === 0) return null;
  return (
    <section aria-labelledby="examples">
      <h2 className={classes.heading} id="examples">
        {examples.length === 1 ? "The first contact" : `The first ${formatCount(examples.length, "contact")}`}
      </h2>
      <ul className={classes.list}>
        {examples.map((example) => (
          <li key={example.row} className={classes.example}>
            <span className={classes.exampleHead}>
              <strong>{example.email}</strong>
              <span className={classes.action} data-action={example.action}>
                {ACTIONS[example.action]}
              </span>
              {!example.subscribed && <span className={classes.faded}>unsubscribed</span>}
            </span>
            <span className={classes.pairs}>
              {Object.entries(example.data).map(([key, value]) => (
                <Pair key={key} name={key} value={value} before={example.before} />
              ))}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A field, with what stood there before where that is something else. */
function Pair({ name, value, before }: { name: string; value: unknown; before: Example["before"] }) {
  const old = before?.[name];
  const isChanged = before !== null && JSON.stringify(old) !== JSON.stringify(value);
  return (
    <span>
      <span className={classes.faded}>{fieldName(name)}</span>{" "}
      {isChanged && old !== undefined && old !== null && (
        <>
          <del>
            <FieldValue value={old} />
          </del>{" "}
        </>
      )}
      {isChanged ? (
        <ins>
          <FieldValue value={value} />
        </ins>
      ) : (
        <FieldValue value={value} />
      )}
    </span>
  );
}
