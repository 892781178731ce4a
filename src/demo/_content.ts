// The templates and pictures of the demo. Their texts are files beside this one.
import { uploadImage } from "../content/images/mod.ts";
import { createTemplate, patchTemplate, type TemplateInput } from "../content/templates.ts";
import type { Context } from "../context.ts";
import { Problem } from "../problem/mod.ts";
import { FROM, FROM_NAME, PEOPLE } from "./_words.ts";

/** Its templates, by their keys, with their ids. */
export type Templates = Record<keyof typeof TEMPLATES, string>;

/** What is in the place of the words in capitals of a body. */
type Words = Record<string, string>;

type Plan = Pick<TemplateInput, "name" | "description" | "subject" | "preheader" | "type"> & {
  file: string;
  words?: Words;
};

const PICTURES = ["hero", "lamp", "blanket"];

const SPRING: Words = {
  HEADLINE: "The quiet season",
  LEAD: "the evenings are long again. Here is what makes them warm: light that does not glare, and wool that does not scratch.",
};

const TEMPLATES = {
  welcome: plan(
    "welcome.mjml",
    "Welcome",
    "Welcome to Morrow & Pine",
    "The postage of your first order is on us",
  ),
  newsletter: {
    ...plan("newsletter.mjml", "Newsletter", "The quiet season", "Light and wool for long evenings"),
    words: SPRING,
  },
  winBack: plan(
    "win-back.mjml",
    "Win-back",
    "{{firstName ?? Hello}}, it has been a while",
    "Ten percent to find out",
  ),
  order: plan(
    "order-confirmation.mjml",
    "Order confirmation",
    "Your order {{event.orderNumber}}",
    "We are packing it",
    "TRANSACTIONAL",
  ),
  shipped: plan(
    "order-shipped.html",
    "Order shipped",
    "Order {{event.orderNumber}} is on its way",
    "Follow the parcel",
    "TRANSACTIONAL",
  ),
  cart: plan("cart-reminder.html", "Cart reminder", "Still thinking it over?", "We kept your cart for you"),
  password: plan(
    "password-reset.html",
    "Password reset",
    "Choose a new password",
    "The link works for an hour",
    "TRANSACTIONAL",
  ),
  invoice: plan(
    "invoice.html",
    "Invoice",
    "Your invoice {{event.orderNumber}}",
    "Paid, with thanks",
    "TRANSACTIONAL",
  ),
} satisfies Record<string, Plan>;

/** Uploads the pictures, and returns their addresses by name. */
export async function addPictures(ctx: Context, projectId: string): Promise<Words> {
  const words: Words = {};
  for (const name of PICTURES) words[`PICTURE:${name}`] = await addressOf(ctx, projectId, name);
  return words;
}

/** Makes the templates. Two of them were edited since, by the people of the project. */
export async function addTemplates(ctx: Context, projectId: string, pictures: Words): Promise<Templates> {
  const ids: Partial<Templates> = {};
  for (const [key, { file, words, ...rest }] of Object.entries<Plan>(TEMPLATES)) {
    const body = await bodyOf(file, { ...words, ...pictures });
    const input = { ...rest, body, from: FROM, fromName: FROM_NAME };
    ids[key as keyof Templates] = (await createTemplate(ctx, projectId, input, by(0))).id;
  }
  const templates = ids as Templates;
  await patchTemplate(ctx, projectId, templates.password, { subject: "Your new password" }, by(1));
  await patchTemplate(ctx, projectId, templates.password, { subject: "Choose a new password" }, by(2));
  await patchTemplate(ctx, projectId, templates.cart, { preheader: "Your cart waits for three days" }, by(1));
  return templates;
}

/** The body of a newsletter with other words. */
export async function newsletterBody(words: Words, pictures: Words): Promise<string> {
  return await bodyOf("newsletter.mjml", { ...words, ...pictures });
}

/** The text of a file in its frame, each word in capitals replaced. */
async function bodyOf(file: string, words: Words): Promise<string> {
  const frame = await text(`frame.${file.split(".").at(-1)}`);
  const body = frame.replace("CONTENT", await text(file));
  return Object.entries(words).reduce((done, [word, given]) => done.replaceAll(word, given), body);
}

/** Where the images cannot be encoded, or S3 is away, the mails have none, and the rest is created anyway. */
async function addressOf(ctx: Context, projectId: string, name: string): Promise<string> {
  const file = await Bun.file(new URL(`pictures/${name}.png`, import.meta.url)).bytes();
  try {
    return (await uploadImage(ctx, projectId, file)).url;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    ctx.log.warn("picture of the demo not uploaded", { name, reason: error.message });
    return `https://shop.example/${name}.png`;
  }
}

async function text(file: string): Promise<string> {
  return await Bun.file(new URL(`templates/${file}`, import.meta.url)).text();
}

function by(person: number) {
  return { by: PEOPLE[person]!.email };
}

function plan(
  file: string,
  name: string,
  subject: string,
  preheader: string,
  type: "MARKETING" | "TRANSACTIONAL" = "MARKETING",
): Plan {
  return { file, name, description: null, subject, preheader, type };
}
