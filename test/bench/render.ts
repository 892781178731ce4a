// `bun run bench render`: what one mail of a campaign costs before it is sent, from its template to its source.
import MailComposer from "nodemailer/lib/mail-composer";
import { compileTemplate, mailScope } from "../../src/content/handlebars/mod.ts";
import { compileTextPart } from "../../src/content/handlebars/text_part.ts";
import { prepareMessage } from "../../src/mail/assembly.ts";
import { toMessage } from "../../src/mail/message.ts";
import { below, type BenchOptions, median, type Report } from "./support/report.ts";

const SIZE = 10_240;
const LINKS = 20;
const SUBJECT = "{{firstName}}, your offers for {{month}}";
/** With those of the subject eight variables, one of them with a fallback. */
const GREETING =
  "<h1>Hello {{firstName ?? there}} {{lastName}}</h1><p>Your {{plan}} plan in {{city}} has {{points}} points.</p>";
const FOOTER =
  '<p>Sent to {{email}}. <a href="{{unsubscribeUrl}}">Unsubscribe</a></p></td></tr></table></body></html>';
const PARAGRAPH =
  '<p style="margin:0 0 16px">Spring is here, and so are the new colours: linen in sand and sage, cotton in every blue.</p>';

const FROM = { name: "Shop", address: "news@shop.example" };
const HEADERS = { Precedence: "bulk", "Feedback-ID": "campaign:project:marketing:postrider" };
const RECIPIENTS = 1_000;
const WARM_UP = 300;
/** How long a measurement takes, as a part of what the options say: there are six of them in a round. */
const SHARE = 0.1;

/** Microseconds for one mail, each side in turn; the mail library composes what is rendered already. */
export async function run(report: Report, { seconds, rounds }: BenchOptions): Promise<void> {
  const template = tenKilobytes();
  const sides = sidesOf(template);
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round++)
    for (const [name, side] of Object.entries(sides)) times[name]!.push(await measure(side, seconds * SHARE));

  const of = (name: keyof typeof sides) => median(times[name]!);
  const note = { bytes: template.length, links: LINKS, variables: 8 };
  report.line("render html, text and subject", of("render"), "us", { goal: below(100), note });
  report.line("assemble the message", of("assemble"), "us", { ceiling: of("library"), goal: below(0.5) });
  report.line("render and assemble", of("both"), "us", { goal: below(100) });
  report.line("prepare what all have in common", of("prepare"), "us");
  report.line("render, and compose with the library", of("renderAndCompose"), "us");
}

function sidesOf(template: string) {
  const html = compileTemplate(template, "html");
  const text = compileTextPart(template);
  const subject = compileTemplate(SUBJECT, "subject");
  const message = prepareMessage({ from: FROM, replyTo: null, headers: HEADERS });
  const render = (n: number) => {
    const scope = scopeOf(n);
    return { subject: subject(scope), html: html(scope), text: text(scope) };
  };
  const rendered = Array.from({ length: RECIPIENTS }, (_, n) => render(n));
  return {
    render,
    assemble: (n: number) => message.assemble({ ...rendered[n % RECIPIENTS]!, ...ownOf(n) }),
    both: (n: number) => message.assemble({ ...render(n), ...ownOf(n) }),
    prepare: () => prepareMessage({ from: FROM, replyTo: null, headers: HEADERS }),
    library: (n: number) => composeWithLibrary({ ...rendered[n % RECIPIENTS]!, ...ownOf(n) }),
    renderAndCompose: (n: number) => composeWithLibrary({ ...render(n), ...ownOf(n) }),
  };
}

type OwnMail = ReturnType<typeof ownOf> & { subject: string; html: string; text: string };

function composeWithLibrary(own: OwnMail): Promise<Buffer> {
  const envelope = { from: FROM.address, to: own.to.address };
  const mail = { ...own, envelope, from: FROM, replyTo: null, headers: HEADERS, attachments: [] };
  return new MailComposer(toMessage(mail)).compile().build();
}

async function measure(side: (n: number) => unknown, seconds: number): Promise<number> {
  let n = 0;
  while (n < WARM_UP) await side(n++);
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const from = n;
  // In tens: looking at the clock costs something, too.
  while (performance.now() < end) for (let i = 0; i < 10; i++) await side(n++);
  return ((performance.now() - begin) * 1000) / (n - from);
}

function ownOf(n: number) {
  return {
    to: { name: n % 2 === 0 ? "" : `Ada Lovelace ${n}`, address: `user${n}@example.com` },
    messageId: `0190aaaa-1234-7abc-8def-${String(n).padStart(12, "0")}@shop.example`,
    date: new Date(1_780_000_000_000 + n * 1000),
  };
}

function scopeOf(n: number) {
  const data = {
    firstName: n % 10 === 0 ? null : `Ada${n}`,
    lastName: "Lovelace & Söhne",
    plan: "pro",
    city: "Köln",
    points: n * 7,
    month: "May",
  };
  const page = (name: string) => `https://mail.shop.example/${name}/${"t".repeat(60)}${n}`;
  return mailScope({
    contact: { id: String(n), email: `user${n}@example.com`, subscribed: true, data },
    urls: { unsubscribeUrl: page("unsubscribe"), subscribeUrl: page("subscribe"), manageUrl: page("manage") },
  });
}

/** A template of 10 KB: links with paragraphs between them. */
function tenKilobytes(): string {
  const head = `<!doctype html><html><body style="margin:0"><table role="presentation"><tr><td>${GREETING}`;
  const links = Array.from(
    { length: LINKS - 1 },
    (_, i) => `<p><a href="https://shop.example/offers/${i}?ref=mail&amp;pos=${i}">Offer ${i}</a></p>`,
  );
  let rest = SIZE - head.length - FOOTER.length - links.join("").length;
  const middle = links.map((link) => {
    const count = Math.min(4, Math.floor(rest / PARAGRAPH.length));
    rest -= count * PARAGRAPH.length;
    return link + PARAGRAPH.repeat(Math.max(0, count));
  });
  return head + middle.join("") + FOOTER;
}
