// Previews of templates and campaigns.
import { t } from "elysia";
import { Data, HeaderText, IdOf, Nullable, Preheader, Text, Words } from "../entry/schemas.ts";

/** For whom a preview is made: a contact, and data that goes over it. Both may be left out. */
export const PreviewBody = t.Optional(
  Nullable(t.Object({ data: t.Optional(Data), contactId: t.Optional(IdOf("a contact")) })),
);

/** A message that is not saved, and for whom its preview is made. */
export const UnsavedPreviewBody = t.Object(
  {
    subject: HeaderText({ maxLength: 998 }),
    preheader: t.Optional(Nullable(Preheader)),
    body: Text({ maxLength: 1_048_576, description: "HTML or MJML, with `{{variables}}`." }),
    type: t.Optional(Words(["TRANSACTIONAL", "MARKETING", "HEADLESS"])),
    data: t.Optional(Data),
    contactId: t.Optional(IdOf("a contact")),
  },
  { title: "UnsavedPreviewBody" },
);

/** A rendered message, with what may be wrong with it. */
export const UnsavedPreview = t.Object(
  {
    subject: t.String(),
    html: t.String(),
    text: t.String(),
    missing: t.Array(t.String(), { description: "The variables that would be shown but have no value." }),
    warnings: t.Array(t.String(), { description: "Likely problems for recipients or mail programs." }),
  },
  { title: "UnsavedPreview" },
);

/** A rendered message. */
export const Preview = t.Object(
  {
    subject: t.String(),
    html: t.String(),
    text: t.String(),
    missing: t.Array(t.String(), { description: "The variables that would be shown but have no value." }),
  },
  { title: "Preview" },
);
