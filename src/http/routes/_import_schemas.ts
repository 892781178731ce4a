// How imports of contacts look.
import { type TProperties, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { EXPORTERS } from "../../moving/export_presets.ts";
import { Data, GivenProperties, Int, Nullable, Timestamp, Words } from "../entry/schemas.ts";
import { END, JOB, JobState } from "./_contact_job_schemas.ts";

const Numbers = {
  totalRows: Int,
  successCount: Int,
  createdCount: Int,
  updatedCount: Int,
  failureCount: Type.Integer({
    description: "Rows that could not be imported: `GET` of one import lists the reasons.",
  }),
};

const Counts = {
  ...Numbers,
  errors: t.Array(t.Object({ row: Int, email: t.String(), error: t.String() }), {
    description: "The first 1,000. Row 1 is the header.",
  }),
};

/** An import of a file in a form. */
export const ImportReport = t.Object(
  { ...JOB, result: t.Optional(t.Object(Counts)), ...END },
  { title: "ImportReport" },
);

const Example = t.Object(
  {
    row: Int,
    email: t.String(),
    action: Words(["create", "update", "none"]),
    ...GivenProperties,
    subscribed: t.Boolean(),
    data: Data,
    before: Nullable(Data),
  },
  { title: "ImportExample" },
);

const Undo = Nullable(
  t.Object(
    {
      state: Nullable(JobState),
      until: Timestamp,
      deletedCount: Int,
      restoredCount: Int,
      keptCount: Type.Integer({
        description: "Contacts that have changed since, or need no change.",
      }),
    },
    {
      description:
        "Null for a dry run, and before the import has completed or failed. While `state` is null, the import can be undone until `until`.",
    },
  ),
);

const importWith = <T extends TProperties>(result: T, title: string) =>
  t.Object(
    {
      ...JOB,
      fileName: Nullable(t.String()),
      dryRun: t.Boolean(),
      createdBy: Nullable(t.String({ description: "An address, or the key that was used." })),
      result: t.Optional(t.Object(result)),
      ...END,
      undo: Undo,
    },
    { title },
  );

/** An import, with what became of its rows. */
export const NamedImport = importWith(
  {
    ...Counts,
    examples: t.Optional(
      t.Array(Example, { description: "For a dry run: how the first 20 contacts would look." }),
    ),
  },
  "ContactImport",
);

/** An import in the list. */
export const ListedImport = importWith(Numbers, "ListedContactImport");

/** How files of other services are mapped. */
export const ImportPresets = t.Object({
  presets: t.Array(
    t.Object(
      {
        name: Words(EXPORTERS),
        title: t.String(),
        signs: t.Array(t.Array(t.String())),
        columns: t.Record(t.String(), Nullable(t.String())),
      },
      { title: "ImportPreset" },
    ),
  ),
});
