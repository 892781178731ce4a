// Thirty mails of the service, as rspamd and SpamAssassin judge them on the server of a recipient: nothing in the way
// they are assembled counts against them.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { OPERATOR } from "../../src/accounts/audit.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { createDns } from "../../src/mail/dns.ts";
import { addDomain, getDomain, verifyDomain } from "../../src/sending/domains/mod.ts";
import { campaignsOf } from "../support/campaign.ts";
import { type NameServer, startNameServer } from "../support/name_server.ts";
import { useService } from "../support/service.ts";
import {
  type Arrival,
  askSpamAssassin,
  NO_RSPAMD,
  NO_SPAMASSASSIN,
  startRspamd,
  type Symbols,
} from "../support/spam_filters.ts";
import { type Sample, SAMPLES } from "./filtered_mails.ts";

const DOMAIN = "signs.example";
const HOST = `mail.${DOMAIN}`;
const IP = "11.22.33.44";
const arrival: Arrival = { ip: IP, helo: HOST, from: `news@${DOMAIN}`, to: "ada@example.com" };

/** What counts against these mails and does not come from how they are assembled. */
const NOT_OURS: { symbol: RegExp; of: RegExp; because: string }[] = [
  { symbol: /^HTML_MESSAGE$/, of: /./, because: "it says that there is HTML" },
  {
    symbol: /^MIME_BASE64_TEXT$/,
    of: /Japanese|Arabic|Russian/,
    because: "most of the text is not ASCII: in quoted-printable it would be longer",
  },
  {
    symbol: /^MIME_BASE64_TEXT(_BOGUS)?$/,
    of: /two files|invitation/,
    because: "a file that is text goes as it is, byte for byte",
  },
  {
    symbol: /^(URI_COUNT_ODD|HTML_IMAGE_(ONLY|RATIO)_\d+|HTML_SHORT_LINK_IMG_\d)$/,
    of: /campaign|MJML|picture/,
    because: "a picture, of the author or the one by which opens are counted, beside few words",
  },
  { symbol: /^SB_GIF_AND_NO_URIS$/, of: /picture/, because: "a GIF, and no link" },
  {
    symbol: /^R_MIXED_CHARSET$/,
    of: /accents|French|German/,
    because:
      "rspamd takes accents for a second script, however they are encoded, where it guesses the language wrong: it looks at a random part",
  },
  { symbol: /^MANY_INVISIBLE_PARTS$/, of: /preheader/, because: "a preheader is not to be seen" },
];

const service = useService({ BASE_URL: `https://${HOST}` });
let names: NameServer;
let project: NewProject;
const { call, addContacts, create, send } = campaignsOf(service, () => project);
const sources: { name: string; source: string }[] = [];

beforeAll(async () => {
  names = await startNameServer({
    [DOMAIN]: { A: [IP], MX: [`10 ${HOST}`] },
    [HOST]: { A: [IP] },
    ["44.33.22.11.in-addr.arpa"]: { PTR: [HOST] },
    "shop.example": { A: [IP] },
  });
  project = await service.createProject();
  const ctx = { ...service, dns: createDns({ servers: [names.address] }) };
  const { id } = await addDomain(ctx, project.id, DOMAIN, OPERATOR);
  const { records } = await getDomain(ctx, project.id, id);
  for (const { name, value } of records.filter(({ type }) => type === "TXT"))
    names.set(name, "TXT", [value.match(/.{1,255}/g)!]);
  names.set(DOMAIN, "TXT", [`v=spf1 ip4:${IP} -all`]);
  expect((await verifyDomain(ctx, project.id, id)).status).toBe("VERIFIED");
  // The picture by which opens are counted is in the campaigns alone.
  await service.pool`update projects set tracking = 'MARKETING_ONLY' where id = ${project.id}`;
  await addContacts(1);
  for (const sample of SAMPLES) sources.push({ name: sample.name, source: await mailOf(sample) });
}, 300_000);
afterAll(() => names.stop());

/** The mail as it came to the server. As if it had been handed over once, with the field that each server adds. */
async function mailOf({ send: body, campaign, template }: Sample): Promise<string> {
  service.smtp.received.length = 0;
  const from = { email: `news@${DOMAIN}`, name: "Shop" };
  if (campaign) await send(await create({ ...campaign, from: from.email, fromName: from.name }));
  else {
    const saved =
      template && (await call("POST", "/templates", { name: "T", from: from.email, ...template }));
    const request = { to: arrival.to, from, ...(saved && { template: saved.body.id }), ...body };
    const answer = await service.request("POST", "/v1/send", { key: project.secret, body: request });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  }
  await service.runJobs();
  expect(service.smtp.received).toHaveLength(1);
  const { source } = service.smtp.received[0]!;
  const stamp = service.now().toUTCString().replace("GMT", "+0000");
  return `Received: from ${HOST} (${HOST} [${IP}])\r\n by mx.example.com (Postfix) with ESMTPS id 4ABC1D\r\n for <${arrival.to}>; ${stamp}\r\n${source}`;
}

const against = (sample: string, symbols: Symbols) =>
  Object.entries(symbols)
    .filter(([, points]) => points > 0)
    .filter(([name]) => !NOT_OURS.some(({ symbol, of }) => symbol.test(name) && of.test(sample)))
    .map(([name, points]) => `${name} ${points}`);
const nothing = Object.fromEntries(SAMPLES.map(({ name }) => [name, []]));

describe("nothing of our assembly counts against any of thirty mails", () => {
  test.skipIf(NO_RSPAMD !== "")(
    `in rspamd ${NO_RSPAMD}`,
    async () => {
      const rspamd = await startRspamd(names.address);
      try {
        const found: Record<string, string[]> = {};
        for (const { name, source } of sources) {
          const symbols = await rspamd.check(source, arrival);
          expect(symbols).toContainKeys(["R_DKIM_ALLOW", "R_SPF_ALLOW", "DMARC_POLICY_ALLOW"]);
          found[name] = against(name, symbols);
        }

        expect(found).toEqual(nothing);
      } finally {
        await rspamd.stop();
      }
    },
    300_000,
  );

  test.skipIf(NO_SPAMASSASSIN !== "")(
    `in SpamAssassin ${NO_SPAMASSASSIN}`,
    async () => {
      const symbols = await askSpamAssassin(sources.map(({ source }) => source));

      expect(symbols).toHaveLength(SAMPLES.length);
      expect(Object.fromEntries(SAMPLES.map(({ name }, n) => [name, against(name, symbols[n]!)]))).toEqual(
        nothing,
      );
    },
    300_000,
  );
});
