// The check of a campaign before it is sent, and the numbers of its audience. The servers that its links lead to are real.
import { beforeAll, describe, expect, test } from "bun:test";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { checkCampaign, CHECK_IDS, type CampaignCheck } from "../../src/sending/check/mod.ts";
import { type Answering, redirect, reply, useHookServers } from "../automation/hook_server.ts";
import { until } from "../support/process.ts";
import { DOMAIN, useService } from "../support/service.ts";

const service = useService({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const serve = useHookServers();
let project: NewProject;

beforeAll(async () => {
  project = await service.createProject();
  await addContacts(project, [{ email: "ada@example.com", data: { firstName: "Ada" } }]);
});

const call = (method: string, path: string, body?: unknown, key = project.secret) =>
  service.request(method, path, { key, ...(body !== undefined && { body }) });

const WORDS =
  "Twenty words and more are what a mail should have beside its pictures, so that people can read what it is about at all.";
const PLAIN = `<p>Hello. ${WORDS}</p>`;

async function create(more: object = {}, key = project.secret): Promise<string> {
  const draft = { name: "Spring", subject: "News from the garden", body: PLAIN, from: `news@${DOMAIN}` };
  const { status, body } = await call("POST", "/campaigns", { ...draft, audienceType: "ALL", ...more }, key);
  expect([status, body.error]).toEqual([201, undefined]);
  return body.data.id;
}

type NewContact = { email: string; subscribed?: boolean; data?: object };

async function addContacts({ id }: NewProject, contacts: NewContact[]) {
  const rows = contacts.map(({ email, subscribed = true, data = {} }) => ({ email, subscribed, data }));
  await service.pool`
    insert into contacts (project_id, email, subscribed, data)
    select ${id}, r.email, r.subscribed, r.data
    from json_to_recordset(${rows as never}::json) as r (email text, subscribed boolean, data jsonb)`;
}

/** What a check says, by its ids. */
async function check(id: string, key = project.secret): Promise<Record<string, CampaignCheck>> {
  const { status, body } = await call("POST", `/campaigns/${id}/check`, undefined, key);
  expect([status, body.error]).toEqual([200, undefined]);
  expect(body.checks.map((one: CampaignCheck) => one.id)).toEqual(CHECK_IDS.filter((one) => one !== "SPAM"));
  return Object.fromEntries(body.checks.map((one: CampaignCheck) => [one.id, one]));
}

const local = ({ port }: { port: number }, path = "/") => `http://127.0.0.1:${port}${path}`;
const linkTo = (...urls: string[]) => PLAIN + urls.map((url) => `<a href="${url}">x</a>`).join("");
const linksOf = (checks: Record<string, CampaignCheck>) =>
  Object.fromEntries(
    (checks.LINKS!.details!.links ?? []).map(({ url, level, reason }) => [url, `${level}: ${reason}`]),
  );

describe("POST /campaigns/:id/check", () => {
  test("finds nothing wrong with a plain campaign, sends nothing and changes nothing", async () => {
    const id = await create();
    await service.pool`update projects set postal_address = 'Lane 1, Oslo' where id = ${project.id}`;
    const before = (await call("GET", `/campaigns/${id}`)).body;
    const checks = await check(id);

    expect(Object.values(checks).filter(({ level }) => level !== "OK")).toEqual([]);
    expect(checks.AUDIENCE!.details!.reach).toEqual({
      matching: 1,
      unsubscribed: 0,
      suppressed: 0,
      reachable: 1,
      estimated: false,
    });
    expect((await call("GET", `/campaigns/${id}`)).body).toEqual(before);
    expect(await service.pool`select from emails where project_id = ${project.id}`).toHaveLength(0);
    expect(await service.jobs("send_batch")).toEqual([]);
  });

  test("is that of the own project alone", async () => {
    const other = await service.createProject();

    expect((await call("POST", `/campaigns/${await create()}/check`, undefined, other.secret)).status).toBe(
      404,
    );
    expect((await call("POST", `/campaigns/${crypto.randomUUID()}/check`)).status).toBe(404);
  });

  test("names images without alt text, too little to read, and a mail that Gmail cuts off", async () => {
    const image = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">';
    const described = image.replace("<img", '<img alt="A tree"');
    const decoration = image.replace("<img", '<img alt=""');
    const pictures = await check(await create({ body: `<p>Look</p>${image}${described}${decoration}` }));
    const long = await check(await create({ body: `<p>${"word ".repeat(21_000)}</p>` }));

    expect(pictures.IMAGES).toMatchObject({ level: "WARNING", field: "body" });
    expect(pictures.IMAGES!.message).toStartWith("1 of 3 images has no alt text");
    expect(pictures.IMAGES!.details!.images).toHaveLength(1);
    expect(pictures.TEXT).toMatchObject({ level: "WARNING", details: { words: 3 } });
    expect(pictures.SIZE!.level).toBe("OK");
    expect(long.SIZE!.level).toBe("WARNING");
    expect(long.SIZE!.details!.bytes).toBeGreaterThan(102 * 1024);
  });

  test("counts the size as it is sent: with the addresses by which clicks are counted", async () => {
    const links = Array.from({ length: 300 }, (_, i) => `<a href="{{base ?? https://x.example}}/${i}">x</a>`);
    const small = await check(await create({ body: PLAIN + links.join("") }));

    expect(small.SIZE!.details!.bytes).toBeGreaterThan(2 * links.join("").length);
  });

  test.each([
    ["Hello {{nobodyHasThis}}", "OK", []],
    ["{{nobodyHasThis}}", "ERROR", ["EMPTY"]],
    ["SPRING SALE IN THE SHOP", "WARNING", ["CAPITALS"]],
    ["NASA tells of Mars", "OK", []],
    ["Wow! It is spring!", "WARNING", ["EXCLAMATION"]],
    ["¡Hola! Ya es primavera", "OK", []],
    ["Save $$$ now", "WARNING", ["CURRENCY"]],
    ["Re: your order", "WARNING", ["REPLY"]],
    ["F R E E tea", "WARNING", ["SPACED"]],
    ["Tea 🍵🍵🍵 for all", "WARNING", ["EMOJI"]],
    ["Act now, click here", "WARNING", ["WORDS"]],
    [`A ${"very ".repeat(12)}long one`, "WARNING", ["LONG"]],
  ])("the subject %p is %s", async (subject, level, rules) => {
    const { SUBJECT } = await check(await create({ subject }));

    expect([SUBJECT!.level, SUBJECT!.details?.rules ?? []]).toEqual([level as CampaignCheck["level"], rules]);
  });

  test("asks for a link of one's own where there is no footer, and for a postal address where there is", async () => {
    const own = await service.createProject();
    const said = async (more: object) => {
      const checks = await check(await create(more, own.secret), own.secret);
      return [checks.UNSUBSCRIBE!.level, checks.POSTAL_ADDRESS!.level];
    };

    expect(await said({ type: "MARKETING" })).toEqual(["OK", "WARNING"]);
    expect(await said({ type: "TRANSACTIONAL" })).toEqual(["OK", "OK"]);
    expect(await said({ type: "HEADLESS" })).toEqual(["ERROR", "OK"]);
    const bringsIt = `${PLAIN}<a href="{{unsubscribeUrl}}">Unsubscribe</a>`;
    expect(await said({ type: "HEADLESS", body: bringsIt })).toEqual(["OK", "OK"]);
  });

  test("says of the sender what the DNS was last seen to hold, and looks nothing up", async () => {
    const id = await create();
    const set = async (change: object) => {
      const row = { status: "VERIFIED", states: {}, ...change };
      await service.pool`
        update domains
        set status = ${row.status}, record_states = ${row.states as never}, last_checked_at = now()
        where project_id = ${project.id} and domain = ${DOMAIN}`;
      return (await check(id)).SENDER!;
    };

    expect((await set({})).level).toBe("OK");
    const incomplete = await set({ states: { "DMARC TXT": "MISSING", "SPF TXT": "MISMATCH" } });
    expect(incomplete).toMatchObject({ level: "WARNING", field: "from" });
    expect(incomplete.message).toContain("(SPF, DMARC)");
    expect(incomplete.details!.records).toContainEqual({
      purpose: "DMARC",
      type: "TXT",
      name: `_dmarc.${DOMAIN}`,
      status: "MISSING",
    });
    expect(await set({ status: "FAILED" })).toMatchObject({ level: "ERROR" });
    await set({});
    await service.pool`update campaigns set from_email = 'a@elsewhere.example' where id = ${id}`;
    expect((await check(id)).SENDER).toMatchObject({ level: "ERROR", field: "from" });
  });
});

describe("the audience of a check", () => {
  test("is nobody, mostly suppressed, or more than the month has room for", async () => {
    const own = await service.createProject();
    const id = await create({}, own.secret);
    const empty = await check(id, own.secret);
    await addContacts(own, [{ email: "gone@example.com", subscribed: false }]);
    const unsubscribed = await check(id, own.secret);
    await addContacts(
      own,
      Array.from({ length: 10 }, (_, i) => ({ email: `c${i}@example.com` })),
    );
    await call("POST", "/suppressions", { emails: ["c1@example.com", "gone@example.com"] }, own.secret);
    await service.pool`
      insert into usage_limits (project_id, category, monthly_limit) values (${own.id}, 'campaigns', 9)`;
    const some = await check(id, own.secret);

    expect(empty.AUDIENCE).toMatchObject({ level: "ERROR", field: "audienceType" });
    expect(unsubscribed.AUDIENCE!.message).toStartWith("Nobody would get it: of 1 contact");
    expect(some.AUDIENCE!.details!.reach).toMatchObject({
      matching: 11,
      unsubscribed: 1,
      suppressed: 1,
      reachable: 9,
    });
    expect(some.SUPPRESSED).toMatchObject({ level: "WARNING" });
    expect(some.SUPPRESSED!.message).toContain("(10%)");
    expect(some.USAGE_LIMIT).toMatchObject({ level: "ERROR", details: { usage: { limit: 9, used: 0 } } });
  });

  test("lacks values: those without a fallback, by their share, and not those that are tested first", async () => {
    const own = await service.createProject();
    await addContacts(own, [
      { email: "a@example.com", data: { firstName: "Ada", city: { name: "Oslo" }, plan: "" } },
      { email: "b@example.com", data: { firstName: null, "dotted.key": "x" } },
      { email: "c@example.com", data: { firstName: "Cy" } },
      { email: "not@example.com", subscribed: false },
    ]);
    const body = `${PLAIN}{{firstName}} {{city.name}} {{data.plan}} {{dotted.key}} {{email}} {{unsubscribeUrl}}
      {{lastName ?? friend}} {{default nickName "you"}} {{#if company}}{{company}}{{else if team}}{{team}}{{/if}}
      {{#each orders as |order|}}{{order.total}}{{name}}{{/each}}`;
    const { VARIABLES } = await check(
      await create({ body, subject: "Hi {{firstName}}" }, own.secret),
      own.secret,
    );
    const filled = await check(
      await create({ body: `${PLAIN}{{firstName ?? you}}` }, own.secret),
      own.secret,
    );

    expect(VARIABLES).toMatchObject({ level: "WARNING", details: { sample: 3 } });
    expect(VARIABLES!.details!.variables).toEqual([
      { name: "plan", share: 100 },
      { name: "city.name", share: 66.67 },
      { name: "dotted.key", share: 66.67 },
      { name: "firstName", share: 33.33 },
    ]);
    expect(filled.VARIABLES!.level).toBe("OK");
  });

  test("is looked at where it is a small part of many, too", async () => {
    const own = await service.createProject();
    await service.pool`
      insert into contacts (project_id, email, subscribed, data)
      select ${own.id}, 'c' || n || '@example.com', true, jsonb_build_object('n', n)
      from generate_series(1, 30000) as n`;
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.n", operator: "equals", value: 7 }] }],
    };
    const few = { audienceType: "FILTERED", audienceCondition: condition };
    const checks = await check(
      await create({ ...few, body: `${PLAIN}{{firstName}}` }, own.secret),
      own.secret,
    );

    expect(checks.VARIABLES!.details).toEqual({ sample: 1, variables: [{ name: "firstName", share: 100 }] });
  });
});

describe("the links of a check", () => {
  test("are asked for by their heads; the rest of an answer is not read, however long it is", async () => {
    const endless = await serve((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n");
      const more = (error?: Error | null) => void (error || socket.write("x".repeat(65_536), more));
      more();
    });
    const fine = await serve(reply(200));
    const checks = await check(
      await create({
        body: `${linkTo(local(endless), local(fine), `${local(fine)}#part`)}<img alt="" src="${local(fine, "/i.png")}">`,
      }),
    );

    expect(checks.LINKS).toMatchObject({
      level: "OK",
      details: { links: [], visited: 3, unvisited: 0, skipped: [] },
    });
    expect(fine.heard.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
      "HEAD /",
      "HEAD /i.png",
    ]);
    expect(fine.heard[0]!.headers["user-agent"]).toStartWith("Postrider/");
  });

  test("are asked for once more as pages where a server refuses heads, and said to be wrong where that fails", async () => {
    const noHeads: Answering = (socket, heard) =>
      void reply(heard.method === "HEAD" ? 405 : 200)(socket, heard);
    const hangsUp: Answering = (socket, heard) =>
      heard.method === "HEAD" ? socket.destroy() : void reply(200)(socket, heard);
    const good = [
      await serve(noHeads),
      await serve(hangsUp),
      await serve(redirect(302, local(await serve(reply(200))))),
    ];
    const statuses = await Promise.all([404, 410, 403, 503].map((status) => serve(reply(status))));
    const circle = await serve(redirect(302, "/again"));
    const closed = "http://127.0.0.1:9/";
    const body = linkTo(...[...good, ...statuses, circle].map((server) => local(server)), closed);
    const { LINKS } = await check(await create({ body }));
    const found = linksOf({ LINKS: LINKS! });

    expect(LINKS).toMatchObject({ level: "ERROR", field: "body", details: { visited: 9 } });
    expect(found).toEqual({
      [local(statuses[0]!)]: "ERROR: it is not there (404)",
      [local(statuses[1]!)]: "ERROR: it is not there (410)",
      [local(statuses[2]!)]: "WARNING: it is closed to us (403), and perhaps to recipients",
      [local(statuses[3]!)]: "WARNING: its server has a problem (503)",
      [local(circle)]: "ERROR: it redirects more than 10 times",
      [closed]: "ERROR: it refused the connection",
    });
    expect(circle.heard.filter(({ method }) => method === "GET")).toHaveLength(11);
  });

  test("that depend on the recipient are left out, and said to be; our own pages are not even that", async () => {
    const server = await serve(reply(404));
    const personal = `${local(server)}?id={{id}}`;
    const chosen = `{{#if paid}}${local(server, "/a")}{{else}}${local(server, "/b")}{{/if}}`;
    const own = `${service.config.BASE_URL}/uploads/none.png`;
    const others = [
      "mailto:ada@example.com",
      "tel:+4712345678",
      "#top",
      "{{unsubscribeUrl}}",
      "{{{manageUrl}}}",
      own,
    ];
    const wrong = ["", "#", "/about", "www.example.com", "javascript:alert(1)", "https://"];
    const checks = await check(await create({ body: linkTo(personal, chosen, ...others, ...wrong) }));

    expect(server.connections).toBe(0);
    expect(checks.LINKS!.details).toMatchObject({ skipped: [personal, chosen], visited: 0 });
    expect(checks.LINKS!.message).toContain("2 links with variables could not be tried");
    expect(linksOf(checks)).toEqual({
      "": "WARNING: it leads nowhere",
      "#": "WARNING: it leads nowhere",
      ...Object.fromEntries(
        wrong.slice(2).map((url) => [url, "ERROR: it is not a complete address: write it with https://"]),
      ),
    });
  });

  test("never lead into a private network, neither at once nor by a redirect, and nobody learns about it", async () => {
    const inside = await serve(reply(200));
    const strict = { ...service, config: { ...service.config, ALLOW_PRIVATE_WEBHOOKS: false } };
    const id = await create({
      body: linkTo(local(inside), "http://169.254.169.254/latest", "http://localhost/"),
    });
    const found = linksOf({
      LINKS: (await checkCampaign(strict, project.id, id)).find((one) => one.id === "LINKS")!,
    });
    // From a server that may be called, to one that nobody may call.
    const outside = await serve(redirect(302, "http://169.254.169.254/latest/meta-data"));
    const redirected = linksOf(await check(await create({ body: linkTo(local(outside)) })));

    expect(inside.connections).toBe(0);
    expect(found).toEqual({
      [local(inside)]: "ERROR: 127.0.0.1 is a private address",
      "http://169.254.169.254/latest": "ERROR: 169.254.169.254 is a private address",
      "http://localhost/": "ERROR: localhost leads to a private address",
    });
    expect(redirected).toEqual({ [local(outside)]: "ERROR: 169.254.169.254 is a private address" });
  });

  test("are asked for a few at a time, two of one host, and a hundred at most", async () => {
    let most = 0;
    let open = 0;
    const held: (() => void)[] = [];
    const server = await serve((socket, heard) => {
      most = Math.max(most, (open += 1));
      held.push(() => {
        open -= 1;
        void reply(200)(socket, heard);
      });
    });
    const id = await create({
      body: linkTo(...Array.from({ length: 500 }, (_, i) => local(server, `/${i}`))),
    });
    let isDone = false;
    const checking = check(id).finally(() => (isDone = true));
    await until("two are asked for", () => held.length === 2);
    while (!isDone) {
      held.shift()?.();
      await Bun.sleep(0);
    }
    const { LINKS } = await checking;

    expect(most).toBe(2);
    expect(server.heard).toHaveLength(100);
    expect(LINKS).toMatchObject({ level: "WARNING", details: { visited: 100, unvisited: 400 } });
  });

  test("of slow servers end by their time, and what was not tried is said", async () => {
    const silent = await serve(() => {});
    const drips = await serve((socket) => {
      const drip = () => void (socket.writable && (socket.write("H"), setTimeout(drip, 5)));
      drip();
    });
    const urls = Array.from({ length: 20 }, (_, i) => local(i % 2 ? silent : drips, `/${i}`));
    const id = await create({ body: linkTo(...urls) });
    const checks = await checkCampaign(service, project.id, id, { visitMs: 50, visitsMs: 150 });
    const { details } = checks.find((one) => one.id === "LINKS")!;

    expect(details!.visited! + details!.unvisited!).toBe(20);
    expect(details!.unvisited).toBeGreaterThan(0);
    expect(details!.links!.length).toBe(details!.visited!);
  });

  test("of one project do not keep another one waiting, and too many checks at once are refused", async () => {
    const held: (() => void)[] = [];
    const slow = await serve((socket, heard) => void held.push(() => void reply(200)(socket, heard)));
    const id = await create({ body: linkTo(local(slow)) });
    const many = Array.from({ length: 7 }, () => call("POST", `/campaigns/${id}/check`));
    await until("two are being made", () => held.length === 2);
    const other = await service.createProject();
    const quick = await check(await create({}, other.secret), other.secret);
    let isDone = false;
    const answers = Promise.all(many).finally(() => (isDone = true));
    while (!isDone) {
      held.shift()?.();
      await Bun.sleep(1);
    }
    const statuses = (await answers).map(({ status }) => status).sort();

    expect(quick.LINKS!.level).toBe("OK");
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 429]);
  });

  test("of the worst mails are read in time: a megabyte of them, tags without end, expressions everywhere", async () => {
    const worst = [
      '<a href="#">x</a>'.repeat(60_000),
      "<img ".repeat(200_000),
      '<a href="https://x.example/{{a}}">'.repeat(1_400),
      `<a href='${"<a href=".repeat(100_000)}'>`,
      "\uE0000\uE001".repeat(100_000),
    ];
    for (const body of worst) {
      const checks = await check(await create({ body }));
      expect(checks.LINKS!.details!.visited).toBe(0);
    }
  });
});

describe("POST /campaigns/audience", () => {
  test("says whom a campaign reaches and whom it does not, by segment, condition and type", async () => {
    const own = await service.createProject();
    await addContacts(own, [
      { email: "a@example.com", data: { plan: "pro" } },
      { email: "b@example.com", data: { plan: "pro" } },
      { email: "c@example.com", data: { plan: "pro" }, subscribed: false },
      { email: "d@example.com", data: { plan: "free" } },
    ]);
    await call(
      "POST",
      "/suppressions",
      { emails: ["b@example.com", "c@example.com", "x@example.com"] },
      own.secret,
    );
    const condition = {
      logic: "AND",
      groups: [{ filters: [{ field: "data.plan", operator: "equals", value: "pro" }] }],
    };
    const segment = await call("POST", "/segments", { name: "Pro", condition }, own.secret);
    const reach = async (body: object) => (await call("POST", "/campaigns/audience", body, own.secret)).body;
    const pro = {
      matching: 3,
      unsubscribed: 1,
      suppressed: 1,
      reachable: 1,
      totalRecipients: 2,
      estimated: false,
    };

    expect(await reach({ audienceType: "ALL" })).toEqual({
      matching: 4,
      unsubscribed: 1,
      suppressed: 1,
      reachable: 2,
      totalRecipients: 3,
      estimated: false,
    });
    expect(await reach({ audienceType: "FILTERED", audienceCondition: condition })).toEqual(pro);
    expect(await reach({ audienceType: "SEGMENT", segmentId: segment.body.id })).toEqual(pro);
    expect(await reach({ audienceType: "ALL", type: "TRANSACTIONAL" })).toEqual({
      matching: 4,
      unsubscribed: 0,
      suppressed: 2,
      reachable: 2,
      totalRecipients: 4,
      estimated: false,
    });
  });
});
