// Mails that the process which accepted them delivers itself, from memory: their job is there for when it cannot.
import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import PostalMime from "postal-mime";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { requestReset } from "../../src/accounts/projects/removal.ts";
import { closeHandOff, openHandOff } from "../../src/sending/delivery/hand_off.ts";
import { deliverEmails } from "../../src/sending/delivery/mod.ts";
import { rateOf } from "../../src/sending/delivery/rates.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";
import { startSmtpServer } from "../support/smtp_server.ts";

// One connection, so that a mail which is held there keeps the others waiting.
const smtp = await startSmtpServer();
const service = useService({ SMTP_URL: `${smtp.url}?maxConnections=1` });
let project: NewProject;
/** Lets the mail go that is held. */
let release = () => {};

afterAll(() => smtp.stop());
beforeEach(async () => {
  openHandOff(service);
  project = await service.createProject();
  smtp.received.length = 0;
});
afterEach(async () => {
  release();
  smtp.behave({});
  await settled();
});

const send = async (body: object = {}, by = project) => {
  const message = { to: "ada@example.com", from: `a@${DOMAIN}`, subject: "Hello", body: "<p>Hello</p>" };
  return await service.request("POST", "/v1/send", { key: by.secret, body: { ...message, ...body } });
};
const many = (count: number) => Array.from({ length: count }, (_, n) => `m${n}@example.com`);
const ledger = async () =>
  await service.pool`select address, status, error from emails where project_id = ${project.id} order by id`;
const statusOf = async (address: string) => (await ledger()).find((mail) => mail.address === address)?.status;
/** In how many seconds each job that sends mails is due. */
const dueIn = async () =>
  (await service.jobs("send_emails")).map(({ runAt }) =>
    Math.max(0, Math.round((runAt.getTime() - Date.now()) / 1000)),
  );
/** Whoever is told to stop makes the jobs due of what is on its way in memory: where there is none, nothing is. */
const settled = () =>
  until("nothing is on its way", async () => {
    await service.dropJobs();
    await closeHandOff(service);
    return (await service.jobs("send_emails")).length === 0;
  });

/** Keeps the only connection busy with a mail of another project, until it is called. */
async function occupy(): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  release = resolve;
  let isHeld = false;
  smtp.behave({
    holdData: async (to) => {
      if (to !== "first@example.com") return;
      isHeld = true;
      await promise;
    },
  });
  await send({ to: "first@example.com" }, await service.createProject());
  await until("the connection is busy", () => isHeld);
  return async () => {
    resolve();
    await until("the first mail is sent", () =>
      smtp.received.some(({ to }) => to[0] === "first@example.com"),
    );
  };
}

describe("accepted mails", () => {
  test("are delivered without their job, which is one for all of them, is due in 15 s and finds nothing to do", async () => {
    await send({ to: many(30) });
    await smtp.waitFor(30);
    await until("all are written down", async () =>
      (await ledger()).every(({ status }) => status === "SENT"),
    );

    const due = await dueIn();
    expect(due).toHaveLength(1);
    expect(due[0]).toBeWithin(5, 16);
    await service.changeJobs({ runAt: new Date() });
    await service.runJobs();
    expect(smtp.received).toHaveLength(30);
    expect(await service.jobs("send_emails")).toEqual([]);
  });

  test("say the same as those that go through the queue", async () => {
    const { body: template } = await service.request("POST", "/templates", {
      key: project.secret,
      body: {
        name: "Offer",
        subject: "For {{name}}",
        body: `<p>{{name}} {{code}}</p><p><a href="https://shop.example/">Shop</a> <a href="{{unsubscribeUrl}}">Out</a></p>`,
        from: `news@${DOMAIN}`,
        fromName: "Shop",
        type: "MARKETING",
      },
    });
    const said = { template: template.id, from: undefined, subject: undefined, body: undefined };
    const messages: object[] = [
      {
        to: many(2),
        body: "<p>Hi {{email}}: {{#each this}}{{@key}} {{/each}}</p>",
        data: { zz: "1", a: 2, é: "3" },
      },
      { data: { list: { zz: 1, b: 2 } }, body: "{{#each list}}{{@key}}{{this}} {{/each}}" },
      { ...said, data: { name: "Ada", code: { value: "X1", persistent: false } } },
      { headers: { "X-Zz": "1", "X-A": "2" }, reply: "r@shop.example", name: "Ada's shop" },
      { attachments: [{ filename: "a.txt", content: btoa("hello"), contentType: "text/plain" }] },
      { cc: "Ben <ben@example.com>", bcc: "cleo@example.com", body: "<p>{{email}}</p>" },
    ];
    const contentOf = async () => {
      await until("all are sent", async () => {
        const mails = await ledger();
        return mails.every(({ status }) => status === "SENT");
      });
      const sources = smtp.received
        .toSorted((a, b) => a.to[0]!.localeCompare(b.to[0]!))
        .map(({ source }) => source);
      smtp.received.length = 0;
      await service.pool`delete from emails where project_id = ${project.id}`;
      return await Promise.all(sources.map(comparable));
    };
    for (const message of messages) {
      expect((await send(message)).status).toBe(200);
      const fromMemory = await contentOf();
      await service.dropJobs();
      await closeHandOff(service);
      await send(message);
      await service.runJobs();
      const fromQueue = await contentOf();
      openHandOff(service);

      expect(fromMemory.length).toBeGreaterThan(0);
      expect(fromMemory).toEqual(fromQueue);
    }
  });
});

test("a job leaves a mail alone that waits apart: it comes back by itself", async () => {
  await closeHandOff(service);
  const { body } = await send();
  const ids = [body.data.emails[0].email as string];
  await service.pool`update emails set due_at = 'infinity' where id = any(${ids})`;
  await deliverEmails(service, project.id, ids);
  expect(await statusOf("ada@example.com")).toBe("PENDING");

  await service.pool`update emails set due_at = now() where id = any(${ids})`;
  await deliverEmails(service, project.id, ids);
  expect(await statusOf("ada@example.com")).toBe("SENT");
});

describe("what was decided while a mail waited in memory counts", () => {
  test.each<[string, (id: string) => Promise<unknown>, string | undefined]>([
    [
      "its address is on the suppression list",
      () => service.pool`
        insert into suppressions (project_id, email, reason) values (${project.id}, 'ada@example.com', 'MANUAL')`,
      "SUPPRESSED",
    ],
    [
      "its project is disabled",
      () => service.pool`update projects set disabled_at = now() where id = ${project.id}`,
      "PENDING",
    ],
    ["its project was reset", () => requestReset(service, project.id, { kind: "operator" }), undefined],
    [
      "its contact was deleted",
      (id) => service.request("DELETE", `/contacts/${id}`, { key: project.secret }),
      undefined,
    ],
  ])("%s", async (_what, decide, status) => {
    const free = await occupy();
    const answer = await send();
    await decide(answer.body.data.emails[0].contact.id);
    await free();
    await settled();

    expect(smtp.received.map(({ to }) => to[0])).toEqual(["first@example.com"]);
    if (status) await until("it is written down", async () => (await statusOf("ada@example.com")) === status);
  });

  test("new data of its contact are in the mail", async () => {
    const free = await occupy();
    const answer = await send({ body: "<p>Dear {{title}} {{email}}</p>" });
    const { id } = answer.body.data.emails[0].contact;
    const change = { key: project.secret, body: { data: { title: "Dr" } } };
    expect((await service.request("PATCH", `/contacts/${id}`, change)).status).toBe(200);
    await free();
    await smtp.waitFor(2);

    const { text } = await PostalMime.parse(smtp.received.at(-1)!.source);
    expect(text).toContain("Dear Dr");
  });
});

describe("the queue has at once", () => {
  /** Mails that were accepted stay in memory until the end of the test: their claims wait for a lock. */
  async function withoutClaims(work: () => Promise<void>): Promise<void> {
    await service.pool.begin(async (tx) => {
      await tx`lock table campaigns in access exclusive mode`;
      await work();
    });
  }
  const isLater = (seconds: number | undefined) => (seconds ?? 0) > 5;
  /** Whether each of these goes through the queue: a request with so many recipients, of these projects in turn. */
  const goThroughQueue = async (requests: [NewProject, number, body?: string][]) => {
    const all: boolean[] = [];
    for (const [by, recipients, body = "Hi"] of requests) {
      await service.dropJobs();
      await send({ to: many(recipients), body }, by);
      all.push(!isLater((await dueIn())[0]));
    }
    return all;
  };

  test("what would be more mails in memory than a project may have, or all", async () => {
    const [second, third] = [await service.createProject(), await service.createProject()];
    openHandOff(service, { mails: 5, mailsOfOne: 3 });
    await withoutClaims(async () => {
      const through = await goThroughQueue([
        [project, 4],
        [project, 3],
        [project, 1],
        [second, 3],
        [second, 2],
        [third, 1],
      ]);
      expect(through).toEqual([true, false, true, true, false, true]);
    });
  });

  test("what comes while contents fill the memory for them, however few mails they are", async () => {
    openHandOff(service, { chars: 1_000 });
    const body = "x".repeat(300);
    await withoutClaims(async () => {
      // The text part is as long as the body.
      const through = await goThroughQueue([
        [project, 1, body],
        [project, 1, body],
        [project, 1, body],
      ]);
      expect(through).toEqual([false, false, true]);
    });
  });

  test("what waits in a process that is told to stop: it is not sent twice, and nothing more goes from memory", async () => {
    await withoutClaims(async () => {
      await send();
      expect((await dueIn()).every(isLater)).toBe(true);
      await closeHandOff(service);
      expect((await dueIn()).some(isLater)).toBe(false);
      await send({ to: "later@example.com" });
      expect((await dueIn()).some(isLater)).toBe(false);
      expect(await dueIn()).toHaveLength(2);
    });
    await service.runJobs();
    await until("both are sent", async () => (await ledger()).every(({ status }) => status === "SENT"));
    expect(smtp.received.map(({ to }) => to[0]).toSorted()).toEqual(["ada@example.com", "later@example.com"]);
  });

  test("what a rate may hold back", async () => {
    await service.pool`update projects set send_rate = 0.1 where id = ${project.id}`;
    await until("the rate is known", async () => (await rateOf(service, project.id)) !== null);
    expect(await goThroughQueue([[project, 3]])).toEqual([true]);
    await service.pool`update projects set send_rate = null where id = ${project.id}`;
  });

  test("what is accepted while the mail server takes no connections", async () => {
    await smtp.stop();
    await send();
    await until("it is known to be away", async () => {
      await service.dropJobs();
      await send({ to: "again@example.com" });
      return (await dueIn()).includes(0);
    });
    const back = await startSmtpServer(smtp.port);
    await until("it comes back", async () => {
      await service.runJobs();
      return back.received.length > 0;
    });
    await back.stop();
  });
});

/** What a mail says, without what is new in each. */
async function comparable(source: string) {
  const { headers, html, text, attachments, ...mail } = await PostalMime.parse(source);
  const isNew = (key: string) =>
    ["date", "message-id", "dkim-signature", "content-type", "feedback-id"].includes(key);
  const same = (words = "") => words.replace(/[\w-]{40,}|[0-9a-f]{8}-[0-9a-f-]{27}/g, "TOKEN");
  return {
    from: mail.from,
    to: mail.to,
    headers: headers.filter(({ key }) => !isNew(key)).map(({ key, value }) => `${key}: ${same(value)}`),
    html: same(html),
    text: same(text),
    attachments: attachments.map(({ filename, mimeType }) => ({ filename, mimeType })),
  };
}
