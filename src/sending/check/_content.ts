// What of a mail's content recipients or mail programs may stumble over.
import type { MailReference } from "../../content/references.ts";
import { type CampaignCheck, count } from "./_check.ts";

/** Gmail cuts off what is larger. */
const MAX_SHOWN_BYTES = 102 * 1024;
/** With fewer, what a mail says is in its pictures. */
const FEW_WORDS = 20;
const MAX_LISTED = 20;

/** A size, as it is sent: with the addresses that clicks are counted by, and the footer. */
export function checkSize(html: string): CampaignCheck {
  const bytes = Buffer.byteLength(html);
  const shown = `${Math.max(1, Math.round(bytes / 1024)).toLocaleString("en")} KB`;
  const base = { id: "SIZE", title: "Size", field: "body", details: { bytes } } as const;
  if (bytes <= MAX_SHOWN_BYTES) return { ...base, level: "OK", message: `The HTML has ${shown}.` };
  const message = `The HTML has ${shown}: Gmail cuts off what is behind the first 102 KB, the way to unsubscribe too. Make it shorter.`;
  return { ...base, level: "WARNING", message };
}

/** Images without a text for those who do not see them. */
export function checkImages(references: readonly MailReference[]): CampaignCheck {
  const images = references.filter(({ kind }) => kind === "image");
  const bare = images.filter(({ hasAlt }) => !hasAlt).map(({ written }) => written);
  const base = { id: "IMAGES", title: "Alternative text of images", field: "body" } as const;
  if (bare.length === 0) {
    const message =
      images.length === 0 ? "There are no images." : `${count(images.length, "image")}, all with a text.`;
    return { ...base, level: "OK", message };
  }
  const message = `${bare.length} of ${count(images.length, "image")} ${bare.length === 1 ? "has" : "have"} no alt text: many programs show that in place of images. Describe them, or write alt="" where one is decoration.`;
  return { ...base, level: "WARNING", message, details: { images: bare.slice(0, MAX_LISTED) } };
}

/** How much there is to read besides the images, by the text part. */
export function checkText(text: string, references: readonly MailReference[]): CampaignCheck {
  const words = wordsOf(text);
  const hasImages = references.some(({ kind }) => kind === "image");
  const base = { id: "TEXT", title: "Text", field: "body", details: { words } } as const;
  if (words === 0 && !hasImages)
    return { ...base, level: "ERROR", message: "The mail is empty: write something." };
  if (words >= FEW_WORDS || !hasImages) return { ...base, level: "OK", message: `${count(words, "word")}.` };
  const message = `Only ${count(words, "word")} beside the images: filters distrust mails of pictures, and who does not load them sees nothing. Say it in text as well.`;
  return { ...base, level: "WARNING", message };
}

/** Without the footer and without addresses. */
function wordsOf(text: string): number {
  const footer = text.lastIndexOf("\n---\n");
  const body = (footer === -1 ? text : text.slice(0, footer)).replace(/\(https?:[^\s)]*\)/g, "");
  return (body.match(/[\p{L}\p{N}]+/gu) ?? []).length;
}

interface Purpose {
  type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS";
  /** The variables of its body. */
  variables: readonly string[];
}

/** Whether recipients can unsubscribe. */
export function checkUnsubscribe({ type, variables }: Purpose): CampaignCheck {
  const base = { id: "UNSUBSCRIBE", title: "Way to unsubscribe" } as const;
  if (type === "MARKETING") return { ...base, level: "OK", message: "The footer has the link." };
  if (type === "TRANSACTIONAL") return { ...base, level: "OK", message: "A transactional mail needs none." };
  if (variables.some((path) => /(^|[./])(unsubscribeUrl|manageUrl)$/.test(path))) {
    return { ...base, level: "OK", message: "The body has the link." };
  }
  const message =
    "A mail without a footer has to bring its own link: write {{unsubscribeUrl}} or {{manageUrl}} into the body, or make the type MARKETING.";
  return { ...base, level: "ERROR", message, field: "body" };
}

/** Whether the footer says where the sender is, as the law of many countries asks. */
export function checkPostalAddress({ type }: Purpose, postalAddress: string | null): CampaignCheck {
  const base = { id: "POSTAL_ADDRESS", title: "Postal address" } as const;
  if (type !== "MARKETING")
    return { ...base, level: "OK", message: "Only the footer of marketing mails has it." };
  if (postalAddress?.trim()) return { ...base, level: "OK", message: "The footer has it." };
  const message =
    "The footer has no postal address, which the law of many countries asks for: add it in the settings of the project.";
  return { ...base, level: "WARNING", message };
}
