// Previews of templates and campaigns.
import { t } from "elysia";
import { Data, Nullable, IdOf } from "../entry/schemas.ts";

/** For whom a preview is made: a contact, and data that goes over it. Both may be left out. */
export const PreviewBody = t.Optional(
  Nullable(t.Object({ data: t.Optional(Data), contactId: t.Optional(IdOf("a contact")) })),
);

/** A rendered message. */
export const Preview = t.Object(
  {
    subject: t.String(),
    html: t.String(),
    text: t.String(),
    missing: t.Array(t.String(), { description: "The variables that have no value." }),
  },
  { title: "Preview" },
);
