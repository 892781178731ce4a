import { expect, test } from "bun:test";
import { prepareMessage } from "../../src/mail/assembly.ts";
import { type CapturedMail, createCaptureMailer } from "../../src/mail/capture.ts";
import { readMail } from "../support/received_mail.ts";

const box = (address: string) => ({ name: "", address });
const common = { from: box("news@acme.test"), replyTo: null, headers: { "X-A": "1" } };
const own = {
  to: box("ada@example.com"),
  messageId: "1@acme.test",
  date: new Date(0),
  subject: "Grüße",
  html: "<p>Hello</p>",
  text: "Hello",
};
const envelope = { from: "news@acme.test", to: "ada@example.com" };

test.each([
  ["ready-made", { ...own, envelope, source: prepareMessage(common).assemble(own) }],
  ["that is yet to be composed", { ...own, ...common, envelope, attachments: [] }],
])("a mail %s is kept with its subject and its whole source", async (_, mail) => {
  const kept: CapturedMail[] = [];
  const mailer = createCaptureMailer(async (captured) => void kept.push(captured));
  const { state } = await mailer.send(mail);
  const email = await readMail(kept[0]!.source);

  expect(state).toBe("captured");
  expect(kept).toMatchObject([{ ...envelope, subject: "Grüße" }]);
  expect([email.subject, email.messageId, email.html?.trim(), email.text?.trim()]).toEqual([
    "Grüße",
    "<1@acme.test>",
    "<p>Hello</p>",
    "Hello",
  ]);
});

test("a mail that cannot be kept is deferred, with the reason", async () => {
  const mailer = createCaptureMailer(() => Promise.reject(new Error("the disk is full")));
  const source = prepareMessage(common).assemble(own);

  expect(await mailer.send({ ...own, envelope, source })).toEqual({
    state: "deferred",
    response: "Cannot capture: the disk is full",
  });
});
