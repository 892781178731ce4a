// Contacts from files: drop one here, see what happens to it, and look at what was imported before.
import { useState } from "react";
import { Link } from "wouter";
import type { ListedContactImport } from "../api.gen.ts";
import { formatNumber } from "../parts/format.ts";
import { More } from "../parts/more.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useApiPages } from "../queries.ts";
import { DropZone } from "./imports/drop_zone.tsx";
import { readPreview, type FilePreview } from "./imports/preview.ts";
import { stateOf } from "./imports/state.ts";
import { Wizard } from "./imports/wizard.tsx";
import classes from "./imports/imports.module.css";

const BACK = { label: "Contacts", to: "/contacts" };

/** `/imports`. */
export default function ImportsPage() {
  const [chosen, setChosen] = useState<FilePreview | null>(null);
  const [error, setError] = useState<string | null>(null);
  const choose = async (file: File) => {
    setError(null);
    try {
      setChosen(await readPreview(file));
    } catch (refusal) {
      setError((refusal as Error).message);
    }
  };
  return (
    <div className={classes.page}>
      <PageHeader title="Import contacts" back={BACK} />
      {chosen ? (
        <Wizard preview={chosen} chooseAnother={() => setChosen(null)} />
      ) : (
        <>
          <DropZone choose={choose} error={error} fail={setError} />
          <PastImports />
        </>
      )}
    </div>
  );
}

function PastImports() {
  const query = useApiPages("GET /contacts/imports", { query: { limit: 25 } });
  return (
    <section aria-labelledby="past-imports" className={classes.past}>
      <h2 className={classes.heading} id="past-imports">
        Past imports
      </h2>
      <Loaded query={query}>
        {({ pages }) => {
          const imports = pages.flatMap(({ data }) => data);
          if (imports.length === 0) {
            return (
              <p className={classes.quiet}>None yet. Each stays here for 30 days, and can be undone for 7.</p>
            );
          }
          return (
            <>
              <ul className={classes.list}>
                {imports.map((one) => (
                  <PastImport key={one.id} one={one} />
                ))}
              </ul>
              <More query={query}>Older imports</More>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function PastImport({ one }: { one: ListedContactImport }) {
  const { id, fileName, dryRun, result, createdAt, createdBy } = one;
  const state = stateOf(one);
  return (
    <li className={classes.item}>
      <div className={classes.itemWords}>
        <Link href={`/imports/${id}`}>{fileName ?? "A file"}</Link>
        {dryRun && <span className={classes.faded}> · trial</span>}
        <div className={classes.faded}>
          {result
            ? `${formatNumber(result.createdCount)} new, ${formatNumber(result.updatedCount)} changed` +
              (result.failureCount > 0 ? `, ${formatNumber(result.failureCount)} refused` : "")
            : createdBy}
        </div>
      </div>
      <Status status={state.status}>{state.label}</Status>
      <span className={classes.when}>
        <Time at={createdAt} />
      </span>
    </li>
  );
}
