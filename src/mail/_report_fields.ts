// The fields of a machine-readable report: groups of `Name: value`, with empty lines between them (RFC 3464, 2.1).

/** The fields of one group by their names in lower case. Of several with one name the first counts. */
export type ReportFields = ReadonlyMap<string, string>;

const MAX_LENGTH = 64 * 1024;
const MAX_GROUPS = 100;
const MAX_VALUE = 2_000;

/** Reads the groups, without empty ones. Lines that are not fields are skipped. */
export function readGroups(text: string): ReportFields[] {
  const groups: Map<string, string>[] = [];
  let group: Map<string, string> | null = null;
  let last = "";
  for (const line of text.slice(0, MAX_LENGTH).split(/\r?\n/)) {
    if (line.trim() === "") {
      group = null;
      continue;
    }
    if (!group) {
      if (groups.length === MAX_GROUPS) break;
      groups.push((group = new Map()));
      last = "";
    }
    if (/^[ \t]/.test(line)) extend(group, last, line);
    else last = add(group, line);
  }
  return groups.filter(({ size }) => size > 0);
}

/** Returns the name that the next lines belong to; empty if there is none. */
function add(group: Map<string, string>, line: string): string {
  const [, name, value] = /^([!-9;-~]{1,100}):(.*)$/s.exec(line) ?? [];
  const key = name?.toLowerCase() ?? "";
  if (key === "" || group.has(key)) return "";
  group.set(key, value!.trim().slice(0, MAX_VALUE));
  return key;
}

function extend(group: Map<string, string>, name: string, line: string): void {
  const begun = group.get(name);
  if (begun !== undefined && begun.length < MAX_VALUE)
    group.set(name, `${begun} ${line.trim()}`.slice(0, MAX_VALUE));
}
