// The elements of MJML as the editor offers them: what may be in them, and their attributes. A test compares it with MJML.
import type { TagSpec } from "@codemirror/lang-html";

const SIDES = "padding padding-top padding-right padding-bottom padding-left";
const BORDERS = "border border-top border-right border-bottom border-left";
const FONT = "font-family font-size font-style font-weight letter-spacing line-height";
const BACKGROUND =
  "background-color background-url background-size background-position background-repeat=repeat,no-repeat";
const LINK = "href rel target title";

const IN_COLUMN = [
  "mj-text",
  "mj-image",
  "mj-button",
  "mj-divider",
  "mj-spacer",
  "mj-social",
  "mj-table",
  "mj-navbar",
  "mj-accordion",
  "mj-carousel",
  "mj-raw",
];

/** By name: its attributes, as `name` or `name=value,value`, and its children. */
const ELEMENTS: Record<string, [attributes: string, children: string[]]> = {
  mjml: ["", ["mj-head", "mj-body"]],
  "mj-head": [
    "",
    ["mj-title", "mj-preview", "mj-attributes", "mj-font", "mj-style", "mj-breakpoint", "mj-html-attributes"],
  ],
  "mj-title": ["", []],
  "mj-preview": ["", []],
  "mj-font": ["name href", []],
  "mj-style": ["inline", []],
  "mj-breakpoint": ["width", []],
  "mj-attributes": ["", ["mj-all", "mj-class", "mj-section", "mj-column", ...IN_COLUMN]],
  "mj-body": ["background-color width", ["mj-section", "mj-wrapper", "mj-hero", "mj-raw"]],
  "mj-wrapper": [
    `${BACKGROUND} ${BORDERS} border-radius full-width=full-width ${SIDES} text-align=left,center,right gap`,
    ["mj-section", "mj-hero", "mj-raw"],
  ],
  "mj-section": [
    `${BACKGROUND} ${BORDERS} border-radius direction=ltr,rtl full-width=full-width ${SIDES} text-align=left,center,right`,
    ["mj-column", "mj-group", "mj-raw"],
  ],
  "mj-group": [
    "background-color direction=ltr,rtl vertical-align=top,middle,bottom width",
    ["mj-column", "mj-raw"],
  ],
  "mj-column": [
    `width vertical-align=top,middle,bottom background-color inner-background-color ${BORDERS} border-radius inner-border inner-border-radius ${SIDES}`,
    IN_COLUMN,
  ],
  "mj-hero": [
    "mode height background-url background-width background-height background-position background-color vertical-align=top,middle,bottom padding",
    IN_COLUMN,
  ],
  "mj-text": [
    `align=left,center,right,justify color ${FONT} text-decoration text-transform container-background-color height ${SIDES}`,
    [],
  ],
  "mj-button": [
    `${LINK} align=left,center,right background-color color ${FONT} ${BORDERS} border-radius inner-padding width height text-align=left,center,right text-decoration text-transform container-background-color ${SIDES}`,
    [],
  ],
  "mj-image": [
    `src alt ${LINK} align=left,center,right width height max-height fluid-on-mobile srcset sizes ${BORDERS} border-radius container-background-color ${SIDES}`,
    [],
  ],
  "mj-divider": [
    `border-color border-style=solid,dashed,dotted border-width width align=left,center,right container-background-color ${SIDES}`,
    [],
  ],
  "mj-spacer": [`height container-background-color ${SIDES}`, []],
  "mj-raw": ["position=file-start", []],
  "mj-table": [
    `align=left,center,right color font-family font-size font-weight line-height cellpadding cellspacing border width table-layout=auto,fixed role=none,presentation container-background-color ${SIDES}`,
    [],
  ],
  "mj-social": [
    `mode=horizontal,vertical align=left,center,right icon-size icon-padding inner-padding color font-family font-size font-weight line-height border-radius text-decoration container-background-color ${SIDES}`,
    ["mj-social-element", "mj-raw"],
  ],
  "mj-social-element": [
    `name=facebook-noshare,instagram,linkedin-noshare,x-noshare,youtube,github,pinterest-noshare,vimeo,tumblr-noshare,web,facebook,linkedin,x,pinterest,tumblr href src alt title target icon-position=left,right icon-size background-color color border-radius font-size ${SIDES}`,
    [],
  ],
  "mj-navbar": [
    `align=left,center,right base-url hamburger ico-color ico-align=left,center,right ${SIDES}`,
    ["mj-navbar-link", "mj-raw"],
  ],
  "mj-navbar-link": [`href name target color ${FONT} text-decoration text-transform ${SIDES}`, []],
  "mj-accordion": [
    `border font-family icon-position=left,right icon-width icon-height container-background-color ${SIDES}`,
    ["mj-accordion-element", "mj-raw"],
  ],
  "mj-accordion-element": [
    "background-color border font-family icon-position=left,right",
    ["mj-accordion-title", "mj-accordion-text", "mj-raw"],
  ],
  "mj-accordion-title": [`background-color color font-family font-size font-weight ${SIDES}`, []],
  "mj-accordion-text": [`background-color color ${FONT.replace(" font-style", "")} ${SIDES}`, []],
  "mj-carousel": [
    `align=left,center,right thumbnails=visible,hidden border-radius left-icon right-icon icon-width tb-border tb-border-radius tb-width container-background-color ${SIDES}`,
    ["mj-carousel-image"],
  ],
  "mj-carousel-image": ["src alt href title target thumbnails-src border-radius", []],
};

/** Attributes that every element of a mail can have. */
const EVERYWHERE = ["css-class", "mj-class"];

/** For the completion of HTML. */
export const MJML_TAGS: Record<string, TagSpec> = Object.fromEntries(
  Object.entries(ELEMENTS).map(([name, [attributes, children]]) => [
    name,
    { attrs: attributesOf(attributes), globalAttrs: false, ...(children.length > 0 && { children }) },
  ]),
);

function attributesOf(text: string): Record<string, readonly string[] | null> {
  const named = text.split(" ").filter(Boolean);
  const own = named.map((word): [string, string[] | null] => {
    const [name, values] = word.split("=") as [string, string | undefined];
    return [name, values?.split(",") ?? null];
  });
  return Object.fromEntries([...own, ...EVERYWHERE.map((name): [string, null] => [name, null])]);
}
