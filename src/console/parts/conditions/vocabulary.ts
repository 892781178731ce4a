// What a condition of this project can be about: the catalogue of the service, and the names that exist here.
import { useMemo } from "react";
import type { ContactField, OperatorCatalogue } from "../../api.gen.ts";
import { useApi } from "../../queries.ts";
import { type Entry, entryOf } from "./catalogue.ts";
import { useMailNames } from "./mail_names.ts";
import type { MailNames, SegmentNames } from "./words.ts";

/** The fields, events and segments that there are. */
export interface Vocabulary {
  catalogue: OperatorCatalogue;
  /** What contacts have besides the standard fields, as `data.plan`, with types. */
  fields: ContactField[];
  events: string[];
  segments: SegmentNames;
  /** The campaigns and templates that the conditions at hand name. */
  mails: MailNames;
  kindOf: (field: string) => Entry["kind"] | undefined;
  /** Whether the values of a field are dates, as far as is known. */
  isDate: (field: string) => boolean;
}

const AN_HOUR_MS = 3_600_000;

/**
 * The vocabulary of the project in the address; null until the catalogue is there. Names that cannot be read are left out.
 * `conditions`: what will be put into words, in any form that holds conditions.
 */
export function useVocabulary(conditions?: unknown): { vocabulary: Vocabulary | null; error: Error | null } {
  const catalogue = useApi("GET /segments/operators", {}, { staleTime: AN_HOUR_MS });
  const fields = useApi("GET /contacts/fields", {});
  const events = useApi("GET /events/names", {});
  const segments = useApi("GET /segments", {});
  const mails = useMailNames(conditions);
  const vocabulary = useMemo(() => {
    if (!catalogue.data) return null;
    return vocabularyOf(
      catalogue.data,
      fields.data?.fields ?? [],
      events.data?.eventNames ?? [],
      new Map(segments.data?.map(({ id, name }) => [id, name])),
      mails,
    );
  }, [catalogue.data, fields.data, events.data, segments.data, mails]);
  return { vocabulary, error: catalogue.error };
}

function vocabularyOf(
  catalogue: OperatorCatalogue,
  fields: ContactField[],
  events: string[],
  segments: SegmentNames,
  mails: MailNames,
): Vocabulary {
  const isStandard = (name: string) => catalogue.fields.some(({ field }) => field === name);
  const own = fields.filter(({ field }) => !isStandard(field));
  const dates = new Set(own.filter(({ type }) => type === "date").map(({ field }) => field));
  const kindOf = (field: string) => entryOf(catalogue, field)?.kind;
  return {
    catalogue,
    fields: own,
    events,
    segments,
    mails,
    kindOf,
    isDate: (field) => kindOf(field) === "time" || dates.has(field),
  };
}
