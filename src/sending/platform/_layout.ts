// The layout of a platform mail: a template of our own, in the same language as the templates of projects.
import { type Context, perService } from "../../context.ts";
import { compileBody } from "../../content/mjml/mod.ts";
import { compileTemplate, type CompiledTemplate } from "../../content/handlebars/mod.ts";

/** The content of a platform mail. All of it is text. */
export interface PlatformWords {
  subject: string;
  paragraphs: string[];
  /** Shown as a button, and below it in full. */
  link?: { label: string; url: string } | undefined;
  /** The text below the button, for those who should not press it. */
  below?: string[] | undefined;
  /** An alternative action: a line at the end. */
  otherLink?: { label: string; url: string } | undefined;
}

const SOURCE = `<mjml lang="en">
  <mj-head>
    <mj-title>{{subject}}</mj-title>
    <mj-attributes>
      <mj-all font-family="-apple-system, BlinkMacSystemFont, 'Segoe UI', Helvetica, Arial, sans-serif" />
      <mj-text padding="0 0 16px" font-size="16px" line-height="1.6" color="#1c2430" />
      <mj-class name="quiet" font-size="13px" color="#5b6472" padding="0" />
    </mj-attributes>
    <mj-raw><meta name="color-scheme" content="light"></mj-raw>
  </mj-head>
  <mj-body background-color="#f2f4f7" width="560px">
    <mj-wrapper padding="32px 16px">
      <mj-section background-color="#ffffff" border="1px solid #e1e5eb" border-radius="8px" padding="32px">
        <mj-column padding="0">
          <mj-text font-size="21px" font-weight="600" line-height="1.35"><h1 style="margin:0;font:inherit">{{subject}}</h1></mj-text>
          {{#each paragraphs as |paragraph|}}
          <mj-text>{{paragraph}}</mj-text>
          {{/each}}
          {{#if link}}
          <mj-button align="left" href="{{link.url}}" background-color="#1f4fd8" color="#ffffff" border-radius="6px" font-size="16px" font-weight="600" inner-padding="12px 24px" padding="8px 0 20px">{{link.label}}</mj-button>
          <mj-text mj-class="quiet">Or open this address:<br /><a href="{{link.url}}" style="color:#1f4fd8;word-break:break-all">{{link.url}}</a></mj-text>
          {{/if}}
          {{#each below as |paragraph|}}
          <mj-text padding="16px 0 0">{{paragraph}}</mj-text>
          {{/each}}
          {{#if otherLink}}
          <mj-text padding="24px 0 4px"><a href="{{otherLink.url}}" style="color:#1f4fd8">{{otherLink.label}}</a></mj-text>
          <mj-text mj-class="quiet">Or open this address:<br /><a href="{{otherLink.url}}" style="color:#1f4fd8;word-break:break-all">{{otherLink.url}}</a></mj-text>
          {{/if}}
        </mj-column>
      </mj-section>
      <mj-section padding="20px 32px 0">
        <mj-column padding="0">
          <mj-text mj-class="quiet">{{reason}}</mj-text>
        </mj-column>
      </mj-section>
    </mj-wrapper>
  </mj-body>
</mjml>`;

/** The HTML part, from the content and the reason for the mail. */
export type PlatformLayout = (words: PlatformWords, reason: string) => string;

/** Owner of these mails in the MJML queue, in place of a project. */
const OWN_MAILS = "platform";

const compiled = perService(() => ({ template: null as Promise<CompiledTemplate> | null }));

/**
 * The layout, compiled on first use: never in a transaction, since it takes a separate process. Throws if that is
 * not possible now; the next call tries again.
 */
export async function platformLayout(ctx: Context): Promise<PlatformLayout> {
  const held = compiled(ctx);
  held.template ??= compileBody(ctx, OWN_MAILS, SOURCE).then((html) => compileTemplate(html, "html"));
  try {
    const template = await held.template;
    return (words, reason) => template({ ...words, reason });
  } catch (error) {
    held.template = null;
    throw error;
  }
}

/** The text part. */
export function platformText(
  { subject, paragraphs, link, below = [], otherLink }: PlatformWords,
  reason: string,
): string {
  const line = (one: PlatformWords["link"]) => (one ? [`${one.label}:\n${one.url}`] : []);
  const parts = [subject, ...paragraphs, ...line(link), ...below, ...line(otherLink), `--\n${reason}`];
  return `${parts.join("\n\n")}\n`;
}
