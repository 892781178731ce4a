// What becomes of mails after they were handed over: the ledger, the events, the counters and who gets no mail any more.
import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { type Context, inTransaction } from "../../src/context.ts";
import { openPool } from "../../src/db/pool.ts";
import type { Notice } from "../../src/mail/notice.ts";
import { applyNotices } from "../../src/sending/feedback/mod.ts";
import type { FollowedMail } from "../../src/sending/compose/followed_mail.ts";
import { campaignsOf } from "../support/campaign.ts";
import { BROWSER, useFollowedMails } from "../support/followed_mails.ts";
import { useLedger } from "../support/ledger.ts";
import { useService } from "../support/service.ts";
import { newProviderId } from "../support/ses.ts";

const service = useService();
const mails = useFollowedMails(service);
const ledger = useLedger(service);
const { project } = mails;
const campaigns = campaignsOf(service, () => project);

const apply = (notices: Notice[], ctx: Context = service) =>
  inTransaction(ctx, (tx) => applyNotices(tx, notices));

const ago = (ms: number) => new Date(Date.now() - ms);
const SENT_AT = ago(60_000);
const AT = ago(50_000);
const LINK = "https://shop.example/offer";

type Kind = Notice["kind"] | "soft";
type More = Partial<Notice & { bounceType: string; diagnostic: string | null; userAgent: string | null }>;

/** A notice about a mail, such as a provider gives it. */
function notice({ projectId, emailId }: FollowedMail, kind: Kind, more: More = {}): Notice {
  return {
    mail: { projectId, emailId, providerId: null },
    sentAt: SENT_AT,
    at: AT,
    recipient: null,
    kind: kind === "soft" ? "bounce" : kind,
    ...(kind === "bounce" && { bounceType: "Permanent", diagnostic: "550 no such user" }),
    ...(kind === "soft" && { bounceType: "Transient", diagnostic: "452 mailbox full" }),
    ...(kind === "delay" && { diagnostic: "421 come back later" }),
    ...(kind === "rejection" && { diagnostic: "Bad content" }),
    ...(kind === "open" && { userAgent: BROWSER }),
    ...(kind === "click" && { userAgent: BROWSER, link: LINK }),
    ...more,
  } as Notice;
}

/** What anybody can see of the contact and the address of a mail. */
async function addressee(mail: FollowedMail) {
  const { contactId, address } = await mails.row(mail);
  const [contact] = await service.pool`select subscribed, opted_out_at from contacts where id = ${contactId}`;
  const events = await service.pool`
    select name from events where contact_id = ${contactId} and name like 'contact.%' order by id`;
  const [suppression] = await service.pool`select reason from suppressions where email = ${address}`;
  return {
    subscribed: contact!.subscribed,
    optedOut: contact!.optedOutAt !== null,
    events: events.map((event) => event.name),
    suppressed: suppression?.reason ?? null,
  };
}

const UNTOUCHED = { subscribed: true, optedOut: false, events: [], suppressed: null };

const names = async (mail: FollowedMail) => (await mails.events(mail)).map((event) => event.name);

/** What stands in every event of a mail (guides/events.md). */
const common = ({ emailId }: FollowedMail) => ({
  subject: "Hi {{name}}",
  from: "hello@shop.example",
  fromName: "Shop",
  messageId: expect.stringContaining(".shop"),
  emailId,
  templateId: null,
  campaignId: null,
  sourceType: "TRANSACTIONAL",
});

describe("a delivery", () => {
  test("moves the mail to DELIVERED at the time that was said, and is an event", async () => {
    const mail = await mails.mail();
    expect(await apply([notice(mail, "delivery")])).toEqual([]);

    const row = await mails.row(mail);
    expect(row).toMatchObject({ status: "DELIVERED", deliveredAt: AT, error: null });
    expect(await mails.events(mail)).toEqual([
      {
        name: "email.delivery",
        contactId: row.contactId,
        projectId: project.id,
        createdAt: expect.any(Date),
        data: { ...common(mail), deliveredAt: AT.toISOString() },
      },
    ]);
    expect(await addressee(mail)).toEqual(UNTOUCHED);
  });

  test("that is said again changes nothing, also with another time", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "delivery"), notice(mail, "delivery")]);
    const before = await mails.row(mail);
    await apply([notice(mail, "delivery", { at: ago(1) })]);

    expect(await mails.row(mail)).toEqual(before);
    expect(await names(mail)).toEqual(["email.delivery"]);
  });

  test("of a campaign says which, and is counted", async () => {
    const campaignId = await mails.campaign();
    const mail = await mails.mail({ campaign_id: campaignId, source_type: "CAMPAIGN" });
    await apply([notice(mail, "delivery")]);

    const [event] = await mails.events(mail);
    expect(event!.data).toMatchObject({ campaignId, sourceType: "CAMPAIGN" });
    expect(await campaigns.get(campaignId)).toMatchObject({ deliveredCount: 1, bouncedCount: 0 });
  });
});

describe("a permanent bounce", () => {
  test("ends the mail with the server's words, and its contact gets no more mail", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "bounce")]);

    const [event, ...more] = await mails.events(mail);
    expect(await mails.row(mail)).toMatchObject({
      status: "BOUNCED",
      bouncedAt: AT,
      error: "550 no such user",
    });
    expect([event!.name, more]).toEqual(["email.bounce", []]);
    expect(event!.data).toEqual({
      ...common(mail),
      bounceType: "Permanent",
      bouncedAt: AT.toISOString(),
    });
    expect(await addressee(mail)).toEqual({
      subscribed: false,
      optedOut: true,
      events: ["contact.unsubscribed"],
      suppressed: "BOUNCE",
    });
  });

  test("after the delivery, as from a server that took the mail first, keeps both times", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "delivery")]);
    await apply([notice(mail, "bounce")]);

    expect(await mails.row(mail)).toMatchObject({ status: "BOUNCED", deliveredAt: AT, bouncedAt: AT });
  });

  test("suppresses the address that we wrote to, and not the one that it forwards to", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "bounce", { recipient: "elsewhere@example.org" })]);

    const suppressed = await service.pool`
      select email from suppressions where email in ('elsewhere@example.org', ${(await mails.row(mail)).address})`;
    expect(suppressed.map((row) => row.email)).toEqual([(await mails.row(mail)).address]);
  });

  test("that is said again does not take back what the person has decided since", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "bounce")]);
    const { contactId, address } = await mails.row(mail);
    await service.request("PATCH", `/contacts/${contactId}`, {
      key: project.secret,
      body: { subscribed: true },
    });
    await service.pool`delete from suppressions where email = ${address}`;
    await apply([notice(mail, "bounce", { at: ago(1) })]);

    expect(await addressee(mail)).toMatchObject({ subscribed: true, suppressed: null });
    expect(await names(mail)).toEqual(["email.bounce"]);
  });

  test("of an address that the contact has no more leaves the contact in peace; a complaint does not", async () => {
    const [bounced, complained] = [await mails.mail(), await mails.mail()];
    for (const mail of [bounced, complained]) {
      const body = { email: `${Bun.randomUUIDv7()}@new.example` };
      const { contactId } = await mails.row(mail);
      await service.request("PATCH", `/contacts/${contactId}`, { key: project.secret, body });
    }
    await apply([notice(bounced, "bounce"), notice(complained, "complaint")]);

    expect(await addressee(bounced)).toEqual({ ...UNTOUCHED, suppressed: "BOUNCE" });
    expect(await addressee(complained)).toEqual({
      subscribed: false,
      optedOut: true,
      events: ["contact.unsubscribed"],
      suppressed: "COMPLAINT",
    });
  });

  test("of a contact who was not subscribed opts them out without an event", async () => {
    const mail = await mails.mail();
    await service.pool`update contacts set subscribed = false where id = ${(await mails.row(mail)).contactId}`;
    await apply([notice(mail, "bounce")]);

    expect(await addressee(mail)).toMatchObject({ subscribed: false, optedOut: true, events: [] });
  });
});

describe("a bounce that is not permanent", () => {
  test.each(["Transient", "Undetermined"] as const)(
    "(%s) changes no state, and says so",
    async (bounceType) => {
      const mail = await mails.mail();
      await apply([notice(mail, "soft", { bounceType })]);

      const [event, ...more] = await mails.events(mail);
      expect(await mails.row(mail)).toMatchObject({
        status: "SENT",
        bouncedAt: null,
        error: "452 mailbox full",
      });
      expect([event!.name, more]).toEqual(["email.bounce", []]);
      expect(event!.data).toEqual({ ...common(mail), transientBounce: true });
      expect(await addressee(mail)).toEqual(UNTOUCHED);
    },
  );

  test("is one event however often it is said; another one is another", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "soft"), notice(mail, "soft")]);
    await Promise.all([apply([notice(mail, "soft")]), apply([notice(mail, "soft", { at: ago(10) })])]);

    expect(await names(mail)).toEqual(["email.bounce", "email.bounce"]);
  });

  test("leaves its words only as long as nothing better is known", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "delay")]);
    expect(await mails.row(mail)).toMatchObject({ status: "SENT", error: "421 come back later" });
    await apply([notice(mail, "delivery")]);
    expect(await mails.row(mail)).toMatchObject({ status: "DELIVERED", error: null });
    await apply([notice(mail, "soft"), notice(mail, "delay")]);
    expect(await mails.row(mail)).toMatchObject({ status: "DELIVERED", error: null });
  });
});

describe("a complaint", () => {
  test("ends the mail, and its contact gets no more mail", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "complaint")]);

    const [event, ...more] = await mails.events(mail);
    expect(await mails.row(mail)).toMatchObject({
      status: "COMPLAINED",
      complainedAt: AT,
      deliveredAt: null,
    });
    expect([event!.name, more]).toEqual(["email.complaint", []]);
    expect(event!.data).toEqual({ ...common(mail), complainedAt: AT.toISOString() });
    expect(await addressee(mail)).toEqual({
      subscribed: false,
      optedOut: true,
      events: ["contact.unsubscribed"],
      suppressed: "COMPLAINT",
    });
  });

  test("before the delivery keeps its rank, and the delivery its time", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "complaint")]);
    await apply([
      notice(mail, "delivery"),
      notice(mail, "open"),
      notice(mail, "click"),
      notice(mail, "sent"),
    ]);

    expect(await mails.row(mail)).toMatchObject({
      status: "COMPLAINED",
      deliveredAt: AT,
      openedAt: AT,
      clickedAt: AT,
      opens: 1,
      clicks: 1,
    });
  });

  test("about a mail of a deleted contact still keeps mail from that address, if it is told", async () => {
    const [told, untold] = [await mails.mail(), await mails.mail()];
    const rows = [await mails.row(told), await mails.row(untold)];
    for (const { contactId } of rows) {
      await service.request("DELETE", `/contacts/${contactId}`, { key: project.secret });
    }
    await apply([
      notice(told, "complaint", { recipient: rows[0]!.address }),
      notice(untold, "complaint", { recipient: "another@example.com" }),
    ]);

    const hash = createHash("sha256").update(`${project.id} ${rows[0]!.address}`).digest("hex");
    const suppressed = await service.pool`
      select email from suppressions where email in ${service.pool([rows[0]!.address, rows[1]!.address, hash, "another@example.com"])}`;
    expect(suppressed.map((row) => row.email)).toEqual([rows[0]!.address]);
    expect(await mails.row(told)).toMatchObject({ status: "COMPLAINED", address: hash, contactId: null });
    expect(await mails.events(untold)).toMatchObject([{ name: "email.complaint", contactId: null }]);
  });
});

describe("a rejection by the provider", () => {
  test("is a failure with its reason, which later words do not change", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "rejection")]);
    await apply([notice(mail, "sent"), notice(mail, "delay")]);

    expect(await mails.row(mail)).toMatchObject({ status: "FAILED", error: "Bad content" });
    expect(await addressee(mail)).toEqual(UNTOUCHED);
  });

  test.each([
    ["delivery", "DELIVERED", null],
    ["bounce", "BOUNCED", "550 no such user"],
    ["complaint", "COMPLAINED", null],
  ] as const)("is nothing beside a %s, in any order", async (kind, status, error) => {
    for (const kinds of [
      [kind, "rejection"],
      ["rejection", kind],
    ] as const) {
      const [apart, together] = [await mails.mail(), await mails.mail()];
      for (const one of kinds) await apply([notice(apart, one)]);
      await apply(kinds.map((one) => notice(together, one)));

      expect(await mails.row(apart)).toMatchObject({ status, error });
      expect(await mails.row(together)).toMatchObject({ status, error });
    }
  });

  test("is taken back from the campaign's failures when the mail was delivered", async () => {
    const campaignId = await mails.campaign();
    const mail = await mails.mail({ campaign_id: campaignId, source_type: "CAMPAIGN" });
    await apply([notice(mail, "rejection")]);
    const before = await campaigns.get(campaignId);
    await apply([notice(mail, "delivery")]);

    expect(before).toMatchObject({ failedCount: 1, deliveredCount: 0 });
    expect(await campaigns.get(campaignId)).toMatchObject({ failedCount: 0, deliveredCount: 1 });
  });
});

describe("an open or a click that the provider saw", () => {
  test("counts by the rules of our own, with the time and the link that were said", async () => {
    const mail = await mails.mail();
    await apply([notice(mail, "open"), notice(mail, "open"), notice(mail, "click")]);

    expect(await mails.row(mail)).toMatchObject({ status: "CLICKED", opens: 2, clicks: 1, openedAt: AT });
    const events = await mails.events(mail);
    expect(
      events.map(({ name, data }) => [
        name,
        data.opens ?? data.clicks,
        data.isFirstOpen ?? data.isFirstClick,
      ]),
    ).toEqual([
      ["email.open", 1, true],
      ["email.open", 2, false],
      ["email.click", 1, true],
    ]);
    expect(events[2]!.data).toEqual({
      ...common(mail),
      link: LINK,
      clickedAt: AT.toISOString(),
      clicks: 1,
      isFirstClick: true,
    });
  });

  test.each([null, "", "Mozilla/5.0", "Googlebot/2.1", "\u0000\r\n–"])(
    "by a machine (%p) is noted only",
    async (userAgent) => {
      const mail = await mails.mail();
      await apply([notice(mail, "open", { userAgent }), notice(mail, "click", { userAgent })]);

      expect(await mails.row(mail)).toMatchObject({ status: "SENT", opens: 0, clicks: 0, openedAt: null });
      const events = await mails.events(mail);
      expect(events.map(({ data }) => data.machine)).toEqual([true, true]);
    },
  );
});

describe("a mail in doubt", () => {
  const columns = () => ({
    status: "IN_DOUBT",
    claimed_by: Bun.randomUUIDv7(),
    error: "Nobody knows",
    doubted_at: new Date(),
  });

  test.each([
    ["sent", "SENT"],
    ["delivery", "DELIVERED"],
    ["open", "OPENED"],
    ["click", "CLICKED"],
    ["bounce", "BOUNCED"],
    ["soft", "SENT"],
    ["delay", "SENT"],
    ["complaint", "COMPLAINED"],
    ["rejection", "FAILED"],
  ] as const)(
    "was sent, as a notice of %s tells: it is %s, with the time and the event of the sending",
    async (kind, status) => {
      const mail = await mails.mail(columns());
      await apply([notice(mail, kind)]);

      const row = await mails.row(mail);
      expect(row).toMatchObject({ status, sentAt: SENT_AT, claimedBy: null });
      expect(row.error).not.toBe("Nobody knows");
      const sent = (await mails.events(mail)).filter(({ name }) => name === "email.sent");
      expect(sent.map(({ data }) => data)).toEqual([{ ...common(mail), sentAt: SENT_AT.toISOString() }]);
    },
  );

  test("that waits to be sent again is not sent again", async () => {
    const [id] = await ledger.accept(ledger.fresh());
    service.smtp.behave({ cut: "after data" });
    await service.runJobs();
    expect(await ledger.row(id!)).toMatchObject({ status: "IN_DOUBT" });
    service.smtp.behave({});
    const mail = { projectId: ledger.project.id, emailId: id! };
    await service.pool`update emails set status = 'PENDING', claimed_by = null where id = ${id!}`;
    await apply([notice(mail, "delivery")]);
    ledger.later(3_600_000);
    await service.runJobs();

    expect(ledger.arrivals(id!)).toBe(1);
    expect(await ledger.row(id!)).toMatchObject({ status: "DELIVERED", error: null });
  });

  test.each([
    ["FAILED", "sent", "SENT"],
    ["FAILED", "delivery", "DELIVERED"],
    ["FAILED", "open", "OPENED"],
    ["FAILED", "bounce", "BOUNCED"],
    ["FAILED", "rejection", "FAILED"],
    ["SUPPRESSED", "delay", "SENT"],
    ["SUPPRESSED", "complaint", "COMPLAINED"],
    ["PENDING", "delivery", "DELIVERED"],
  ] as const)(
    "that was %s afterwards had left all the same: by a notice of %s it is %s",
    async (before, kind, after) => {
      const mail = await mails.mail({
        ...columns(),
        status: before,
        claimed_by: null,
        error: "Given up",
        sent_at: null,
      });
      await apply([notice(mail, kind)]);

      const row = await mails.row(mail);
      expect(row).toMatchObject({ status: after, sentAt: SENT_AT });
      expect(row.error).not.toBe("Given up");
    },
  );

  test("keeps nothing that only its sending needed", async () => {
    const mail = await mails.mail({ ...columns(), data: { event: { secret: 1 } } });
    await apply([notice(mail, "delivery")]);

    expect(await mails.row(mail)).toMatchObject({ status: "DELIVERED", data: null });
  });
});

describe("a mail that is being sent at this moment", () => {
  test("is settled by the notice that overtakes the server's reply: once, and for good", async () => {
    const [id] = await ledger.accept(ledger.fresh());
    const mail = { projectId: ledger.project.id, emailId: id! };
    const { promise: reply, resolve: answer } = Promise.withResolvers<void>();
    service.smtp.behave({ holdData: () => reply });
    const running = service.runJobs();
    while ((await ledger.row(id!)).status !== "SENDING") await Bun.sleep(5);
    await apply([notice(mail, "delivery")]);
    answer();
    await running;

    expect(await ledger.row(id!)).toMatchObject({
      status: "DELIVERED",
      deliveredAt: AT,
      sentAt: SENT_AT,
      claimedBy: null,
      messageId: `${id}@shop.example`,
    });
    expect(await ledger.eventsOf(id!)).toEqual(["email.sent", "email.delivery"]);
    expect(await ledger.jobsOf(id!)).toHaveLength(0);
  });
});

describe("the id of the provider", () => {
  afterEach(() => service.smtp.behave({}));

  test("is kept from the reply of its server, and names the mail alone", async () => {
    const providerId = newProviderId();
    service.smtp.behave({ data: () => `250 Ok ${providerId}` });
    const [id] = await ledger.accept(ledger.fresh());
    await service.runJobs();
    const mail = { projectId: ledger.project.id, emailId: id! };
    const name = { projectId: null, emailId: null, providerId };
    expect(await apply([notice(mail, "delivery", { mail: name })])).toEqual([]);

    expect(await ledger.row(id!)).toMatchObject({ status: "DELIVERED", providerId });
  });

  test("is none in the reply of another server", async () => {
    const [id] = await ledger.accept(ledger.fresh());
    await service.runJobs();

    expect(await ledger.row(id!)).toMatchObject({ status: "SENT", providerId: null });
  });
});

describe("what nobody knows here", () => {
  test("is answered, and changes nothing", async () => {
    const other = await service.createProject();
    const minesId = newProviderId();
    const mine = await mails.mail({ provider_id: minesId });
    const pending = await mails.mail({ status: "PENDING", sent_at: null });
    const strange: Notice[] = [
      notice({ projectId: project.id, emailId: Bun.randomUUIDv7() }, "bounce"),
      notice({ ...mine, projectId: other.id }, "bounce"),
      notice(pending, "delivery", { mail: { ...pending, providerId: minesId } }),
      notice(pending, "delivery"),
      notice(mine, "bounce", { mail: { projectId: null, emailId: null, providerId: newProviderId() } }),
      notice(mine, "bounce", { mail: { projectId: null, emailId: null, providerId: null } }),
    ];
    const before = [await mails.row(mine), await mails.row(pending)];

    expect(await apply([...strange, notice(mine, "sent")])).toEqual(strange);
    expect([await mails.row(mine), await mails.row(pending)]).toEqual(before);
    expect([await names(mine), await names(pending)]).toEqual([[], []]);
    expect(await addressee(mine)).toEqual(UNTOUCHED);
  });

  test.each(["FAILED", "SUPPRESSED"])("is a mail that is %s and was never sent", async (status) => {
    const mail = await mails.mail({ status, sent_at: null });
    const said = [notice(mail, "delivery"), notice(mail, "complaint")];

    expect(await apply(said)).toEqual(said);
    expect(await mails.row(mail)).toMatchObject({ status, deliveredAt: null, complainedAt: null });
  });
});

describe("any order and repetition", () => {
  const KINDS = ["sent", "delivery", "bounce", "soft", "delay", "complaint", "open", "click"] as const;
  const MAILS = 3;
  /** From the weakest to the strongest. */
  const RANKS = ["IN_DOUBT", "SENT", "DELIVERED", "OPENED", "CLICKED", "BOUNCED", "COMPLAINED"];
  const LEADS_TO: Partial<Record<Kind, string>> = {
    delivery: "DELIVERED",
    open: "OPENED",
    click: "CLICKED",
    bounce: "BOUNCED",
    complaint: "COMPLAINED",
  };

  /** What should have become of a mail about which all of this was said, in whatever order. */
  function model(start: string, said: Kind[]) {
    const has = (kind: Kind) => said.includes(kind);
    const count = (kind: Kind) => said.filter((one) => one === kind).length;
    const reached = said.map((kind) => LEADS_TO[kind] ?? "SENT");
    const status = [start, ...reached].toSorted((a, b) => RANKS.indexOf(a) - RANKS.indexOf(b)).at(-1);
    const isLost = has("bounce") || has("complaint");
    const events = {
      "email.sent": start === "IN_DOUBT" && said.length > 0 ? 1 : 0,
      "email.delivery": has("delivery") ? 1 : 0,
      "email.bounce": (has("bounce") ? 1 : 0) + (has("soft") ? 1 : 0),
      "email.complaint": has("complaint") ? 1 : 0,
      "email.open": count("open"),
      "email.click": count("click"),
    };
    return {
      status,
      isSent: start !== "IN_DOUBT" || said.length > 0,
      isDelivered: has("delivery"),
      isOpened: has("open") || has("click"),
      isClicked: has("click"),
      isBounced: has("bounce"),
      isComplained: has("complaint"),
      opens: count("open"),
      clicks: count("click"),
      events: Object.fromEntries(Object.entries(events).filter(([, n]) => n > 0)),
      addressee: isLost
        ? {
            subscribed: false,
            optedOut: true,
            events: ["contact.unsubscribed"],
            suppressed: has("complaint") ? "COMPLAINT" : "BOUNCE",
          }
        : UNTOUCHED,
    };
  }

  async function seen(mail: FollowedMail) {
    const row = await mails.row(mail);
    const events: Record<string, number> = {};
    for (const name of await names(mail)) events[name] = (events[name] ?? 0) + 1;
    return {
      status: row.status,
      isSent: row.sentAt !== null,
      isDelivered: row.deliveredAt !== null,
      isOpened: row.openedAt !== null,
      isClicked: row.clickedAt !== null,
      isBounced: row.bouncedAt !== null,
      isComplained: row.complainedAt !== null,
      opens: row.opens,
      clicks: row.clicks,
      events,
      addressee: await addressee(mail),
    };
  }

  test("of notices, in batches of any size and at once, comes to what a plain model says, and so do the counters", async () => {
    const step = fc.record({ mail: fc.nat(MAILS - 1), kind: fc.constantFrom(...KINDS) });
    const history = fc.record({
      starts: fc.array(fc.constantFrom("SENT", "IN_DOUBT"), { minLength: MAILS, maxLength: MAILS }),
      batches: fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 6 }),
      atOnce: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(history, async ({ starts, batches, atOnce }) => {
        const campaignId = await mails.campaign();
        const all: FollowedMail[] = [];
        for (const status of starts) {
          all.push(await mails.mail({ status, campaign_id: campaignId, source_type: "CAMPAIGN" }));
        }
        // Those that begin as SENT were not counted by any change.
        await service.pool`update campaigns set sent_count = ${starts.filter((s) => s === "SENT").length} where id = ${campaignId}`;
        const work = batches.map((batch) => batch.map(({ mail, kind }) => notice(all[mail]!, kind)));
        if (atOnce) await Promise.all(work.map((batch) => apply(batch)));
        else for (const batch of work) await apply(batch);

        for (const [i, mail] of all.entries()) {
          const said = batches
            .flat()
            .filter((one) => one.mail === i)
            .map(({ kind }) => kind);
          expect(await seen(mail)).toEqual(model(starts[i]!, said) as never);
        }
        expect(await campaigns.get(campaignId)).toMatchObject(await campaigns.counted(campaignId));
      }),
      { numRuns: 60 },
    );
  }, 240_000);
});

describe("many at once", () => {
  test("about one campaign, by two processes that meet crosswise, leave counters that equal the ledger", async () => {
    const campaignId = await mails.campaign();
    const columns = { status: "IN_DOUBT", campaign_id: campaignId, source_type: "CAMPAIGN" };
    const all = await Promise.all(Array.from({ length: 60 }, () => mails.mail(columns)));
    const pool = openPool(service.databaseUrl, { max: 5 });
    const other = { ...service, pool, sql: pool };
    const kinds = ["sent", "delivery", "bounce", "complaint", "open", "click", "soft"] as const;
    const work = Array.from({ length: 100 }, (_, i) => {
      const order = i % 2 ? all : all.toReversed();
      const batch = Array.from({ length: 10 }, (_unused, j) => order[(i * 7 + j * 3) % 60]!);
      return apply(
        batch.map((mail, j) => notice(mail, kinds[(i + j) % kinds.length]!)),
        i % 2 ? service : other,
      );
    });
    const unknown = await Promise.all(work);
    await pool.end();

    const counted = await campaigns.counted(campaignId);
    expect(unknown.flat()).toEqual([]);
    expect(counted).toMatchObject({ sentCount: 60, failedCount: 0 });
    expect(counted.bouncedCount).toBeGreaterThan(5);
    expect(await campaigns.get(campaignId)).toMatchObject(counted);
  });
});
