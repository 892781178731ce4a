// The form in which Mailgun's API takes a message: fields that may be repeated, and files.
import type { FieldError } from "../../problem/mod.ts";
import type { FormPart, UploadedFile } from "../entry/form.ts";
import { unsupportedIn, wrong } from "./_fields.ts";
import { MAILGUN_FIELDS } from "./_mailgun_fields.ts";

/** What a form says, by the names of its fields. */
export interface MailgunForm {
  /** The first text of a field; undefined where there is none, or it is empty. */
  text(name: string): string | undefined;
  /** All texts of a field. */
  texts(name: string): string[];
  files(name: string): UploadedFile[];
  /** The fields that begin with a prefix, by what is behind it. */
  prefixed(prefix: "h:" | "v:"): [name: string, text: string][];
  /** Whether a switch is on; undefined where the form says nothing. */
  isOn(name: string): boolean | undefined;
  /** The fields that it has. */
  names: string[];
  errors: FieldError[];
}

const ON = /^(yes|true|1|htmlonly)$/i;
const OFF = /^(no|false|0)$/i;
const SWITCHES = ["o:testmode", "o:tracking", "o:tracking-clicks", "o:tracking-opens", "o:require-tls"];
const FILES = ["attachment", "inline"];

/** Reads a form. `also` are fields that it may have besides those of a message. */
export function readMailgunForm(parts: FormPart[], also: string[] = []): MailgunForm {
  const filled = parts.filter(({ value }) => value !== "");
  const texts = (name: string) =>
    filled.flatMap((part) => (part.name === name && typeof part.value === "string" ? [part.value] : []));
  const files = (name: string) =>
    filled.flatMap((part) => (part.name === name && typeof part.value !== "string" ? [part.value] : []));
  const text = (name: string) => texts(name)[0];
  const isOn = (name: string) => (text(name) === undefined ? undefined : ON.test(text(name)!));
  return {
    text,
    texts,
    files,
    isOn,
    prefixed: (prefix) =>
      filled.flatMap(({ name, value }) =>
        name.startsWith(prefix) && typeof value === "string" ? [[name.slice(prefix.length), value]] : [],
      ),
    names: [...new Set(filled.map(({ name }) => name))],
    errors: errorsOf(filled, also),
  };
}

function errorsOf(parts: FormPart[], also: string[]): FieldError[] {
  const said = parts.filter(({ name, value }) => !also.includes(name) && !isOff(name, value));
  const names = new Set(said.map(({ name }) => name.replace(/^([hv]:).*$/s, "$1…")));
  return [
    ...unsupportedIn(Object.fromEntries([...names].map((name) => [name, true])), MAILGUN_FIELDS),
    ...parts.flatMap(({ name, value }) => {
      const isFile = typeof value !== "string";
      if (SWITCHES.includes(name) && !(ON.test(String(value)) || OFF.test(String(value)))) {
        return [wrong(name, "Expected yes or no")];
      }
      if (also.includes(name) || isFile === FILES.includes(name)) return [];
      return [wrong(name, isFile ? "Expected a text, and not a file" : "Expected a file")];
    }),
  ];
}

/** What is refused only where it is asked for. */
const isOff = (name: string, value: FormPart["value"]) => name === "o:require-tls" && OFF.test(String(value));
