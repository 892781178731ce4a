// The table of guides/settings.md, made from the schema. Run this file to print it.
import { Settings } from "../../src/config/mod.ts";

/** The table as Markdown. */
export function settingsTable(): string {
  const rows = Object.entries(Settings.properties).map(([name, schema]) => {
    const { default: given, description } = schema as { default?: unknown; description?: string };
    const value = given === undefined || given === "" ? "" : `\`${given}\``;
    return `| \`${name}\` | ${value} | ${description} |`;
  });
  return ["| Name | Default | Meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

if (import.meta.main) console.log(settingsTable());
