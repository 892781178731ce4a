// A value as JSON, in colours. What is long is cut until it is asked for.
import { type ReactNode, useState } from "react";
import { CopyTextButton } from "./copy.tsx";
import classes from "./json.module.css";

const MAX_TEXT = 300;
const MAX_ENTRIES = 50;

/** The value, with a button that copies all of it. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <div className={classes.json}>
      <div className={classes.copy}>
        <CopyTextButton value={JSON.stringify(value, null, 2)} label="JSON" />
      </div>
      <pre className={classes.text} tabIndex={0} role="group" aria-label={label}>
        <Value value={value} indent="" />
      </pre>
    </div>
  );
}

function Value({ value, indent }: { value: unknown; indent: string }) {
  if (typeof value === "string") return <Text value={value} />;
  if (typeof value !== "object" || value === null) {
    return <span className={classes.plain}>{JSON.stringify(value)}</span>;
  }
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, at) => <Value key={at} value={item} indent={`${indent}  `} />);
    return <Block open="[" close="]" entries={items} indent={indent} />;
  }
  const entries = Object.entries(value).map(([key, item]) => (
    <span key={key}>
      <span className={classes.key}>{JSON.stringify(key)}</span>:{" "}
      <Value value={item} indent={`${indent}  `} />
    </span>
  ));
  return <Block open="{" close="}" entries={entries} indent={indent} />;
}

interface BlockProps {
  open: string;
  close: string;
  entries: ReactNode[];
  indent: string;
}

function Block({ open, close, entries, indent }: BlockProps) {
  const [isWhole, setWhole] = useState(false);
  if (entries.length === 0) return <>{open + close}</>;
  const shown = isWhole ? entries : entries.slice(0, MAX_ENTRIES);
  const rest = entries.length - shown.length;
  return (
    <>
      {open}
      {shown.map((entry, at) => (
        // Their order is all that tells them apart.
        // oxlint-disable-next-line react/no-array-index-key
        <span key={at}>
          {`\n${indent}  `}
          {entry}
          {at < entries.length - 1 && ","}
        </span>
      ))}
      {rest > 0 && (
        <>
          {`\n${indent}  `}
          <Rest show={() => setWhole(true)}>{`Show ${rest} more`}</Rest>
        </>
      )}
      {`\n${indent}${close}`}
    </>
  );
}

function Text({ value }: { value: string }) {
  const [isWhole, setWhole] = useState(false);
  if (isWhole || value.length <= MAX_TEXT)
    return <span className={classes.string}>{JSON.stringify(value)}</span>;
  return (
    <>
      <span className={classes.string}>{JSON.stringify(value.slice(0, MAX_TEXT)).slice(0, -1)}…</span>{" "}
      <Rest show={() => setWhole(true)}>{`Show all ${value.length} characters`}</Rest>
    </>
  );
}

function Rest({ show, children }: { show: () => void; children: string }) {
  return (
    <button type="button" className={classes.rest} onClick={show}>
      {children}
    </button>
  );
}
