// Mailchimp, Brevo and SendGrid: what they export as CSV files, with the consent that the files say.
import { readCell } from "../audience/contacts/cells.ts";
import { type CsvRow, emailColumn } from "../csv.ts";
import { parseAddress } from "../mail/address.ts";
import type { SuppressionReason } from "../sending/suppressions.ts";
import { type CsvFile, csvFilesOf, type GivenFile } from "./export_files.ts";
import {
  CONTACT_STATES,
  type ContactState,
  EXPORT_PRESETS,
  type Exporter,
  type ExportPreset,
  keyOf,
  stateInCell,
  tagsIn,
} from "./export_presets.ts";
import {
  type IncomingContact,
  type IncomingSource,
  type Omission,
  type Page,
  SourceFault,
} from "./incoming_types.ts";

/** A file whose columns are known. */
interface ReadFile {
  file: CsvFile;
  /** The row with the names of the columns. */
  header: number;
  email: number;
  columns: string[];
  /** The key of each column in the data; null for none. */
  keys: (string | null)[];
  /** Of every contact in it; null where each row says its own. */
  state: ContactState | null;
  /** Addresses alone: nothing else is known of them. */
  isBare: boolean;
}

/** Why somebody must not get mail. */
const REASONS: Partial<Record<ContactState, SuppressionReason>> = {
  bounced: "BOUNCE",
  complained: "COMPLAINT",
  blocked: "MANUAL",
};

/** Columns of files of suppressions. */
const BARE = new Set([
  "email",
  "status",
  "reason",
  "created",
  "created_at",
  "date",
  "ip",
  "sender",
  "group_id",
]);
/** Segments are looked through by people. */
const MAX_TAGS = 200;
/** Of so many, those that come first are counted. */
const MAX_COUNTED = 50_000;
/** Keys whose digits are no number. */
const TEXT_KEYS = new Set(["phone", "locale", "zip", "postalCode"]);

/** Why a file cannot be read yet: it does not say whether its contacts are subscribed. */
export class StateNeeded extends SourceFault {}

/**
 * The contacts in the files of an export (CSV, or zip with CSV files). `as` is the state of files that do not say theirs.
 * Throws StateNeeded where there is such a file and no `as`: nobody is subscribed by a guess.
 */
export async function csvExportSource(
  exporter: Exporter,
  given: GivenFile[],
  as: ContactState | null = null,
): Promise<IncomingSource> {
  const preset = EXPORT_PRESETS[exporter];
  const remarks: Omission[] = [];
  const leftOut: Omission[] = [];
  const { files, others } = await csvFilesOf(given);
  if (others > 0) remarks.push({ what: `other files of the zip: ${others}`, why: "only CSV files are read" });
  const read = await assignStates(preset, await filesOf(preset, files, remarks), as);
  return {
    name: exporter,
    remarks,
    leftOut,
    async *lists() {
      const tags = await tagsOf(preset, read, leftOut);
      yield { items: tags.map((name) => ({ id: name, name, condition: null, isStatic: true })), next: null };
    },
    // Contacts name their tags, so there are no members to be read.
    contacts: (from) => contactsOf(preset, read, from, leftOut),
    suppressions: (from) => suppressionsOf(read, from, leftOut),
  };
}

/** Reads the header of each file; what is no list of contacts is left out. */
async function filesOf(
  preset: ExportPreset,
  files: CsvFile[],
  leftOut: Omission[],
): Promise<(ReadFile & { stated: ContactState | null })[]> {
  const read: (ReadFile & { stated: ContactState | null })[] = [];
  for (const file of files) {
    const first = await firstRow(file);
    const header = first?.cells ?? [];
    const columns = header.map((name) => name.toLowerCase());
    const email = emailColumn(columns);
    const stated =
      email === -1 ? { leftOut: "it has no column of addresses" } : preset.stateOf(file.name, columns);
    if (stated !== null && typeof stated === "object") {
      leftOut.push({ what: file.name, why: stated.leftOut });
      continue;
    }
    const keys = header.map((name, at) => (at === email ? null : keyOfColumn(preset, name)));
    const dropped = header.filter((_, at) => at !== email && keys[at] === null && !BARE.has(columns[at]!));
    const isBare = columns.every((name) => name === columns[email] || BARE.has(name));
    if (dropped.length > 0) {
      const why = `of use only at ${preset.title}, or used for the tags, the time and the state of contacts`;
      leftOut.push({ what: `data of ${file.name}: ${dropped.join(", ")}`.slice(0, 500), why });
    }
    read.push({ file, header: first?.row ?? 1, email, columns, keys, state: null, stated, isBare });
  }
  if (read.length > 0) return read;
  throw new SourceFault(
    "Cannot import this: none of its files is a CSV file with a column of email addresses",
  );
}

async function firstRow(file: CsvFile): Promise<CsvRow | undefined> {
  for await (const rows of file.rows()) return rows[0];
  return undefined;
}

function keyOfColumn(preset: ExportPreset, name: string): string | null {
  const column = name.toLowerCase();
  if (column === "" || column === preset.tags || preset.states.includes(column)) return null;
  if (preset.created.includes(column)) return null;
  const known = preset.keys[column];
  return known === undefined ? keyOf(name) || null : known;
}

/** Every file with its state, those first whose contacts must not get mail: so nobody of them is subscribed in between. */
async function assignStates(
  preset: ExportPreset,
  files: (ReadFile & { stated: ContactState | null })[],
  as: ContactState | null,
): Promise<ReadFile[]> {
  const isComplete = preset.isRestSubscribed && files.some(({ stated }) => stated === "unsubscribed");
  const read = files.map(({ stated, ...file }): ReadFile => {
    if (stated !== null) return { ...file, state: stated };
    if (file.columns.some((column) => preset.states.includes(column))) return file;
    if (as !== null) return { ...file, state: as };
    // Where those come along who have unsubscribed, the others have not.
    if (isComplete && !file.isBare) return { ...file, state: "subscribed" };
    throw new StateNeeded(
      `Cannot import ${file.file.name}: it does not say whether its contacts are subscribed. Keep the name that ` +
        `${preset.title} gave it, give the file of those who have unsubscribed with it, or say it for all of them`,
    );
  });
  const rank = ({ state }: ReadFile) =>
    state === null ? CONTACT_STATES.length : CONTACT_STATES.indexOf(state);
  return read.toSorted((one, other) => rank(one) - rank(other));
}

/** Files that hold nothing but addresses that must not get mail. */
const isSuppressions = ({ state, isBare }: ReadFile) =>
  isBare && state !== null && REASONS[state] !== undefined;

async function* contactsOf(
  preset: ExportPreset,
  files: ReadFile[],
  from: string | null,
  leftOut: Omission[],
): AsyncGenerator<Page<IncomingContact>> {
  for await (const { file, rows, next } of pagesOf(files, (each) => !isSuppressions(each), from)) {
    const items = rows.flatMap(({ row, cells }) => {
      if (cells.length <= file.columns.length) return [contactOf(preset, file, cells)];
      const why = `it has ${cells.length} cells, and the first row has ${file.columns.length}`;
      leftOut.push({ what: `row ${row} of ${file.file.name}`, why });
      return [];
    });
    yield { items, next };
  }
}

/** Rows of these files, some at a time. The place is the file, and its last row that was read. */
async function* pagesOf(files: ReadFile[], isWanted: (file: ReadFile) => boolean, from: string | null) {
  const [begun = 0, after = 0] = from === null ? [] : from.split(":").map(Number);
  for (const [n, file] of files.entries()) {
    if (n < begun || !isWanted(file)) continue;
    const done = Math.max(file.header, n === begun ? after : 0);
    for await (const all of file.file.rows()) {
      const rows = all.filter(({ row }) => row > done);
      if (rows.length > 0) yield { file, rows, next: `${n}:${rows.at(-1)!.row}` };
    }
  }
}

function contactOf(preset: ExportPreset, file: ReadFile, cells: string[]): IncomingContact {
  const { columns, keys, email } = file;
  const cell = (name: string) => cells[columns.indexOf(name)] ?? "";
  // Without a prototype, so that a column named `__proto__` is a key like any other.
  const data = Object.create(null) as Record<string, unknown>;
  for (const [at, key] of keys.entries()) {
    const text = cells[at] ?? "";
    if (key === null || text === "" || (file.isBare && BARE.has(columns[at]!))) continue;
    data[key] ??= TEXT_KEYS.has(key) ? text : readCell(text);
  }
  const column = preset.states.find((name) => columns.includes(name));
  const state = file.state ?? (column === undefined ? "unsubscribed" : stateInCell(column, cell(column)));
  return {
    email: cells[email] ?? "",
    subscribed: state === "subscribed",
    suppressed: REASONS[state] ?? null,
    data,
    createdAt: inUtc(preset.created.map(cell).find((text) => text !== "")),
    lists: preset.tags === null ? [] : tagsIn(cell(preset.tags)),
  };
}

/** `2021-03-04 05:06:07` and seconds since 1970, as they are exported, are in UTC. */
function inUtc(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^\d{9,10}$/.test(text)) return new Date(Number(text) * 1_000).toISOString();
  return /^\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?$/.test(text) ? `${text.replace(" ", "T")}Z` : text;
}

async function* suppressionsOf(
  files: ReadFile[],
  from: string | null,
  leftOut: Omission[],
): AsyncGenerator<Page<{ email: string; reason: SuppressionReason }>> {
  for await (const { file, rows, next } of pagesOf(files, isSuppressions, from)) {
    const good = new Set<string>();
    for (const { row, cells } of rows) {
      const email = parseAddress(cells[file.email] ?? "")?.email;
      if (email !== undefined) good.add(email);
      else leftOut.push({ what: `row ${row} of ${file.file.name}`, why: "this is not an email address" });
    }
    const reason = REASONS[file.state!]!;
    yield { items: [...good].map((email) => ({ email, reason })), next };
  }
}

/** The tags that most contacts have: each becomes a static segment. */
async function tagsOf(preset: ExportPreset, files: ReadFile[], leftOut: Omission[]): Promise<string[]> {
  const counts = new Map<string, number>();
  for (const file of files) {
    const at = preset.tags === null ? -1 : file.columns.indexOf(preset.tags);
    if (at === -1) continue;
    for await (const rows of file.file.rows()) {
      const whole = rows.filter(({ row, cells }) => row > file.header && cells.length <= file.columns.length);
      for (const tag of whole.flatMap(({ cells }) => tagsIn(cells[at] ?? "")))
        if (counts.size < MAX_COUNTED || counts.has(tag)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
  }
  const tags = [...counts].toSorted(([, one], [, other]) => other - one).map(([tag]) => tag);
  const others = tags.slice(MAX_TAGS);
  if (others.length > 0) {
    const what = `${others.length} tags: ${others.slice(0, 10).join(", ")}`;
    leftOut.push({ what, why: `the ${MAX_TAGS} that most contacts have become segments` });
  }
  return tags.slice(0, MAX_TAGS);
}
