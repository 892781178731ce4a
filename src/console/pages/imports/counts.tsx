// What happened to the rows of a file, and which could not be used.
import type { ContactImport } from "../../api.gen.ts";
import { formatNumber } from "../../parts/format.ts";
import classes from "./imports.module.css";

type Result = NonNullable<ContactImport["result"]>;

/** The figures of an import, or of a trial. */
export function Counts({ result }: { result: Result }) {
  const { totalRows, createdCount, updatedCount, failureCount } = result;
  const figures = [
    { name: "Rows", value: totalRows },
    { name: "New contacts", value: createdCount },
    { name: "Updated", value: updatedCount },
    { name: "Refused", value: failureCount },
  ];
  return (
    <dl className={classes.counts}>
      {figures.map(({ name, value }) => (
        <div key={name} data-bad={(name === "Refused" && value > 0) || undefined}>
          <dt>{name}</dt>
          <dd>{formatNumber(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

const SHOWN = 100;

/** The rows that could not be used, and why. */
export function Refused({ result: { errors, failureCount } }: { result: Result }) {
  if (errors.length === 0) return null;
  const shown = errors.slice(0, SHOWN);
  return (
    <section aria-labelledby="refused">
      <h2 className={classes.heading} id="refused">
        Refused rows
      </h2>
      <ul className={classes.list}>
        {shown.map(({ row, email, error }) => (
          <li key={row} className={classes.refusal}>
            <span className={classes.rowNumber}>Row {formatNumber(row)}</span>
            <span className={classes.refusedAddress}>{email || "–"}</span>
            <span>{error}</span>
          </li>
        ))}
      </ul>
      {failureCount > shown.length && (
        <p className={classes.quiet}>and {formatNumber(failureCount - shown.length)} more</p>
      )}
    </section>
  );
}
