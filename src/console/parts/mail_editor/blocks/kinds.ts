// The elements of MJML as people know them: names, icons, and what a new one is.
import { attributeOf, contentOf } from "../../mjml/edit.ts";
import type { MjmlNode } from "../../mjml/tree.ts";
import {
  ButtonIcon,
  CodeIcon,
  LineIcon,
  LinkIcon,
  SectionIcon,
  SpaceIcon,
  TextIcon,
} from "../../editor_icons.tsx";
import { ColumnsIcon, type Icon, ImagesIcon } from "../../icons.tsx";

/** How an element is shown in the list of blocks. */
export interface Kind {
  label: string;
  icon: Icon;
  /** What tells it from others of its kind. */
  summary?: (text: string, node: MjmlNode) => string;
}

const SUMMARY_CHARS = 120;

function words(text: string, node: MjmlNode): string {
  const written = contentOf(text, node)
    .replaceAll(/<!--[^]*?-->|<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, SUMMARY_CHARS * 2);
  // Entities are shown as what they stand for.
  const read = written.includes("&")
    ? new DOMParser().parseFromString(written, "text/html").body.textContent
    : written;
  return read.trim().slice(0, SUMMARY_CHARS);
}

const KINDS: Record<string, Kind> = {
  "mj-section": { label: "Section", icon: SectionIcon },
  "mj-wrapper": { label: "Group of sections", icon: SectionIcon },
  "mj-hero": { label: "Picture with text over it", icon: ImagesIcon },
  "mj-column": { label: "Column", icon: ColumnsIcon },
  "mj-group": { label: "Columns that stay side by side", icon: ColumnsIcon },
  "mj-text": { label: "Text", icon: TextIcon, summary: words },
  "mj-image": {
    label: "Image",
    icon: ImagesIcon,
    summary: (_text, node) => attributeOf(node, "alt") || (attributeOf(node, "src") ?? "No picture yet"),
  },
  "mj-button": { label: "Button", icon: ButtonIcon, summary: words },
  "mj-divider": { label: "Divider", icon: LineIcon },
  "mj-spacer": {
    label: "Space",
    icon: SpaceIcon,
    summary: (_text, node) => attributeOf(node, "height") ?? "20px",
  },
  "mj-social": {
    label: "Social links",
    icon: LinkIcon,
    summary: (_text, node) =>
      node.children
        .map(
          (child) => attributeOf(child, "name")?.replace(/-noshare$/, "") ?? attributeOf(child, "href") ?? "",
        )
        .join(", "),
  },
  "mj-table": { label: "Table", icon: CodeIcon, summary: words },
  "mj-raw": { label: "HTML", icon: CodeIcon, summary: words },
};

/** How an element is shown; one that is not known by its tag. */
export const kindOf = ({ tag }: MjmlNode): Kind => KINDS[tag] ?? { label: tag, icon: CodeIcon };

/** The name of an element among those of its kind, such as `Text: Hello there`. */
export function nameOf(text: string, node: MjmlNode): string {
  const { label, summary } = kindOf(node);
  const more = summary?.(text, node);
  return more ? `${label}: ${more}` : label;
}

/** What a new column holds. */
export const NEW_TEXT = "<mj-text>Your text</mj-text>";

/** What can be put into a column. */
export const NEW_BLOCKS: { label: string; icon: Icon; text: string }[] = [
  { label: "Text", icon: TextIcon, text: NEW_TEXT },
  { label: "Image", icon: ImagesIcon, text: '<mj-image alt="" />' },
  { label: "Button", icon: ButtonIcon, text: '<mj-button href="https://example.com">Read more</mj-button>' },
  {
    label: "Divider",
    icon: LineIcon,
    text: '<mj-divider border-width="1px" border-color="#e5e1da" />',
  },
  { label: "Space", icon: SpaceIcon, text: '<mj-spacer height="24px" />' },
  {
    label: "Social links",
    icon: LinkIcon,
    text: `<mj-social mode="horizontal">
  <mj-social-element name="instagram" href="https://instagram.com/">Instagram</mj-social-element>
  <mj-social-element name="linkedin-noshare" href="https://linkedin.com/">LinkedIn</mj-social-element>
</mj-social>`,
  },
  { label: "HTML", icon: CodeIcon, text: "<mj-raw>\n  <!-- Your HTML -->\n</mj-raw>" },
];

const columns = (...widths: string[]) =>
  `<mj-section>\n${widths
    .map((width) => `  <mj-column${width && ` width="${width}"`}>\n    ${NEW_TEXT}\n  </mj-column>\n`)
    .join("")}</mj-section>`;

/** What can be put into a mail. */
export const NEW_SECTIONS: { label: string; text: string }[] = [
  { label: "One column", text: columns("") },
  { label: "Two columns", text: columns("50%", "50%") },
  { label: "Three columns", text: columns("33.33%", "33.33%", "33.34%") },
  { label: "Narrow and wide", text: columns("33.33%", "66.67%") },
  { label: "Wide and narrow", text: columns("66.67%", "33.33%") },
];

/** Which element contains which: the same place accepts the same. */
export type Place = "section" | "column" | "block";

const PLACES: Record<string, Place> = {
  "mj-body": "section",
  "mj-wrapper": "section",
  "mj-section": "column",
  "mj-group": "column",
  "mj-column": "block",
  "mj-hero": "block",
};

/** What can be in an element; undefined if it is no container of blocks. */
export const placeIn = ({ tag }: MjmlNode): Place | undefined => PLACES[tag];
