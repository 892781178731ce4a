// Contents on their way from the ledger to the composer.
import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { knownContents, prepareContents } from "../../src/sending/delivery/_contents.ts";
import type { ClaimedEmail } from "../../src/sending/delivery/emails.ts";
import { useService } from "../support/service.ts";

const service = useService();

/** A claimed mail whose content takes its time to be compiled. */
const heavy = (n: number) =>
  ({
    id: crypto.randomUUID(),
    projectId: crypto.randomUUID(),
    contentId: crypto.randomUUID(),
    hasContent: true,
    type: "TRANSACTIONAL",
    sourceType: "TRANSACTIONAL",
    subject: "Hello",
    html: `${n}<a href="https://x.example/${n}">x</a>${"{{a}}{{#if b}}c{{/if}}".repeat(450)}`,
    text: null,
    fromEmail: "a@shop.example",
    tracked: true,
    projectName: "Shop",
    language: "en",
  }) as unknown as ClaimedEmail;

test("those of 40 mails are compiled one after the other: everything else has its turn in between", async () => {
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await setImmediate();
  })();
  const contents = await prepareContents(
    service,
    Array.from({ length: 40 }, (_, n) => heavy(n)),
    knownContents(service, new Map()),
  );
  isOver = true;
  await others;

  expect(contents.size).toBe(40);
  // Between the links, the HTML and the text of each.
  expect(turns).toBeGreaterThanOrEqual(80);
});

test("one that a claim was told is known is there for its mails, whatever was sent meanwhile", async () => {
  const light = () => ({ ...heavy(0), html: "<p>Hello</p>", shared: true }) as unknown as ClaimedEmail;
  const first = light();
  const none = new Map();
  await prepareContents(service, [first], knownContents(service, none));

  const known = knownContents(service, none);
  expect([...known.prepared.keys()]).toContain(first.contentId!);
  const others = Array.from({ length: 60 }, light);
  await prepareContents(service, others, knownContents(service, none));
  const claimed = { ...first, hasContent: false, html: null, subject: null };
  const contents = await prepareContents(service, [claimed as unknown as ClaimedEmail], known);

  expect([...contents.keys()]).toEqual([first.contentId!]);
});
