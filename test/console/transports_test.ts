// Ways out for mail: added, tested, paused and removed, with the rules and plans that say which mails take which.
import { beforeAll, describe, expect } from "bun:test";
import { INSTALLATION } from "../../src/sending/transports/routes.ts";
import { eventually } from "./eventually.ts";
import { browserTest, tour, useConsole } from "./support.ts";

const stage = useConsole({
  ALLOW_PRIVATE_TRANSPORTS: "true",
  ALLOW_DIRECT_TRANSPORTS: "203.0.113.8,203.0.113.9",
});

const LONG_NAME = "Versanddienstleister der Niederlassung Garmisch-Partenkirchen, nur für Rundschreiben";

/** A transport in the database, and its id. */
async function insert(name: string, input: object = {}): Promise<string> {
  const { service, project } = stage;
  const row = { project_id: project.id, name, kind: "CAPTURE", ...input };
  const [made] = await service.pool`insert into transports ${service.pool(row)} returning id`;
  return made!.id as string;
}

describe("transports", () => {
  beforeAll(async () => {
    const { service, project } = stage;
    const [plan] = await service.pool`
      insert into warmup_plans (project_id, name, daily_limits)
      values (${project.id}, 'Two weeks', ${[50, 100, 200, 400, 800]}) returning id`;
    const held = {
      held_until: new Date(Date.now() + 240_000),
      hold_reason: "535 5.7.8 Authentication failed",
    };
    const first = await insert("Inbox of the shop", { per_day: 5_000, rate_per_second: 50 });
    await insert(LONG_NAME, {
      priority: 200,
      weight: 3,
      warmup_plan_id: plan!.id,
      warmup_since: new Date(),
      ...held,
    });
    await insert("Old server", { paused_at: new Date(), pause_reason: "Its contract has ended" });
    const postmark = {
      kind: "SMTP",
      url: Buffer.from("x"),
      shown_url: "smtp://token@smtp.postmarkapp.com:587",
    };
    await insert("Postmark", { ...postmark, paused_at: new Date(), pause_reason: "Not yet" });
    await insert("Reserve of all", { project_id: INSTALLATION });
    const rules = [
      { type: "MARKETING", providers: ["google", "web.de"], transports: [{ id: first }], whenFull: "WAIT" },
      {
        senderDomains: ["news.shop.example"],
        transports: [
          { id: first, priority: 1 },
          { id: "default", priority: 2 },
        ],
        whenFull: "NEXT",
      },
    ];
    await service.pool`insert into routes (project_id, document) values (${project.id}, ${service.pool.json({ rules })})`;
  });

  tour(stage, "transports", {
    path: "/transports",
    ready: (page) => page.getByText("Marketing mail to Google or web.de"),
    states: {
      form: async (page) => {
        await page.getByRole("button", { name: "Add a transport", exact: true }).first().click();
        await page.getByRole("textbox", { name: "Server" }).waitFor();
      },
      webhook: async (page) => {
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "More about Postmark" }).click();
        await page.getByRole("menuitem", { name: "Webhook…" }).click();
        await page.getByLabel("Secret", { exact: true }).waitFor();
      },
      rule: async (page) => {
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Change rule 2" }).click();
        await page.getByText("Takes these transports").waitFor();
      },
      // The last one: a form that has been changed asks before it closes.
      direct: async (page) => {
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: "Add a transport", exact: true }).first().click();
        await page.getByRole("combobox", { name: "Kind" }).click();
        await page.getByRole("option", { name: "Direct, to the servers of recipients" }).click();
        await page.getByLabel("Name of this machine").waitFor();
      },
    },
  });

  browserTest(
    "one is added by a pasted URL, tested with its server's words, paused with a reason and removed",
    async () => {
      const { service, project } = stage;
      const page = await stage.open("/transports");
      await page.getByRole("button", { name: "Add a transport", exact: true }).first().click();
      await page.getByLabel("Name", { exact: true }).fill("Provider");
      const { port } = service.smtp;
      await page.getByRole("textbox", { name: "Server" }).evaluate((field, url) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text", url);
        field.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
      }, `smtp://ada:p%40ss@127.0.0.1:${port}`);
      await eventually(() => page.getByRole("textbox", { name: "Server" }).inputValue()).toBe("127.0.0.1");
      await eventually(() => page.getByRole("textbox", { name: "Port" }).inputValue()).toBe(String(port));
      await eventually(() => page.getByLabel("Password", { exact: true }).inputValue()).toBe("p@ss");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      const list = page.getByRole("list", { name: "Transports of this project" });
      await list.getByText(`smtp://ada@127.0.0.1:${port}`).waitFor();

      await page.getByRole("button", { name: "Test Provider" }).click();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByText(/^250 /).waitFor();
      expect(service.smtp.received.at(-1)!.to).toEqual([stage.owner.email]);
      await page.locator("form").getByRole("button", { name: "Close", exact: true }).click();

      await page.getByRole("button", { name: "More about Provider" }).click();
      await page.getByRole("menuitem", { name: "Pause…" }).click();
      await page.getByLabel("Reason").fill("It moves");
      await page.getByRole("button", { name: "Pause", exact: true }).click();
      await list.getByText("It moves").waitFor();

      await page.getByRole("button", { name: "More about Provider" }).click();
      await page.getByRole("menuitem", { name: "Remove…" }).click();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByText("Provider was removed").waitFor();
      const left =
        await service.pool`select 1 from transports where project_id = ${project.id} and name = 'Provider'`;
      expect(left).toHaveLength(0);
      await page.context().close();
    },
  );

  browserTest(
    "a webhook of its provider is set up: its address, and a secret that is shown to nobody",
    async () => {
      const { project, owner } = stage;
      const body = {
        name: "Hooked",
        kind: "SMTP",
        url: "smtp://ada:secret@127.0.0.1:2525?provider=postmark",
      };
      const made = (await owner.request("POST", "/transports", body, { projectId: project.id })).body;
      const hasSecret = async () =>
        (await owner.request("GET", `/transports/${made.id}`, undefined, { projectId: project.id })).body
          .feedback.hasSecret;
      const page = await stage.open("/transports");
      const menu = async () => {
        await page.getByRole("button", { name: "More about Hooked" }).click();
        await page.getByRole("menuitem", { name: "Webhook…" }).click();
      };
      await menu();
      await page.getByText(made.feedback.url).waitFor();
      await page.getByLabel("Secret", { exact: true }).fill("without-a-user");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Expected the user and password").waitFor();
      await page.getByLabel("Secret", { exact: true }).fill("hook:a-long-password");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("The secret was saved").waitFor();
      await page.getByText("Postmark reports", { exact: false }).first().waitFor();
      expect(await hasSecret()).toBe(true);

      await menu();
      await page.getByRole("button", { name: "Remove the secret" }).click();
      await page.getByText("Webhooks about Hooked are refused now").waitFor();
      expect(await hasSecret()).toBe(false);
      await page.context().close();
    },
  );

  browserTest(
    "one that delivers directly has a name and addresses, which are offered; one that is not allowed is named",
    async () => {
      const { project, owner } = stage;
      const page = await stage.open("/transports");
      await page.getByRole("button", { name: "Add a transport", exact: true }).first().click();
      await page.getByLabel("Name", { exact: true }).fill("Newsletters");
      await page.getByRole("combobox", { name: "Kind" }).click();
      await page.getByRole("option", { name: "Direct, to the servers of recipients" }).click();
      await page.getByLabel("Name of this machine").fill("news.mail.example.com");
      const addresses = page.getByRole("combobox", { name: "Sends from" });
      await addresses.click();
      await page.getByRole("option", { name: "203.0.113.8" }).click();
      await addresses.fill("203.0.113.7");
      await addresses.press("Enter");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("203.0.113.7: Expected one of 203.0.113.8, 203.0.113.9").waitFor();
      await addresses.press("Backspace");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Direct, as news.mail.example.com from 203.0.113.8").waitFor();

      const { transports } = (await owner.request("GET", "/transports", undefined, { projectId: project.id }))
        .body as { transports: { name: string; bindAddresses: string[]; kind: string }[] };
      expect(transports.find(({ name }) => name === "Newsletters")).toMatchObject({
        kind: "DIRECT",
        bindAddresses: ["203.0.113.8"],
      });

      // A name is not taken away: nothing would be changed, and it would say that it was.
      await page.getByRole("button", { name: "Change Newsletters" }).click();
      await page.getByLabel("Name of this machine").fill("");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Name this machine", { exact: true }).waitFor();
      await page.context().close();
    },
  );

  browserTest("a change of the name leaves address and password alone", async () => {
    const { service, project, owner } = stage;
    const body = { name: "Named", kind: "SMTP", url: "smtp://ada:secret@127.0.0.1:2525?requireTLS=true" };
    const made = (await owner.request("POST", "/transports", body, { projectId: project.id })).body;
    const kept = async () => (await service.pool`select name, url from transports where id = ${made.id}`)[0]!;
    const before = await kept();
    const page = await stage.open("/transports");
    await page.getByRole("button", { name: "Change Named" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Renamed");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Renamed was changed").waitFor();
    expect(await kept()).toEqual({ name: "Renamed", url: before.url });

    // Another server does not get it.
    await page.getByRole("button", { name: "Change Renamed" }).click();
    await page.getByRole("textbox", { name: "Server" }).fill("127.0.0.2");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Give the password, too").waitFor();
    expect(await kept()).toEqual({ name: "Renamed", url: before.url });
    await page.context().close();
  });

  browserTest(
    "rules are added, moved and removed, never over somebody else's, and say where a mail goes",
    async () => {
      const { service, project, owner } = stage;
      const rules = async () =>
        (await service.pool`select document from routes where project_id = ${project.id}`)[0]!.document
          .rules as any[];
      const page = await stage.open("/transports");
      await page.getByRole("button", { name: "Add a rule" }).click();
      const to = page.getByRole("combobox", { name: "To" });
      await to.fill("example.com");
      await to.press("Enter");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("All mail to example.com").waitFor();
      expect((await rules()).at(-1)).toMatchObject({ providers: ["example.com"], whenFull: "NEXT" });

      await page.getByRole("button", { name: "More about rule 3" }).click();
      await page.getByRole("menuitem", { name: "Move up" }).click();
      await page.getByText("The rule is number 2 now").waitFor();
      expect((await rules())[1]).toMatchObject({ providers: ["example.com"] });

      await page.getByRole("button", { name: "Where would a mail go?" }).click();
      await page.getByLabel("From").fill("hello@shop.example");
      await page.getByRole("textbox", { name: "To", exact: true }).fill("ada@example.com");
      await page.getByRole("button", { name: "Look" }).click();
      await page.getByText("Rule 2 applies").waitFor();
      await page.keyboard.press("Escape");

      // Somebody else removes them all: what is shown is not what is there.
      await owner.request("PUT", "/routes", { rules: [] }, { projectId: project.id });
      await page.getByRole("button", { name: "More about rule 1" }).click();
      await page.getByRole("menuitem", { name: "Remove…" }).click();
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByText("Somebody else has changed the rules").waitFor();
      expect(await rules()).toEqual([]);
      await page.context().close();
    },
  );

  browserTest("members see them, and can change nothing", async () => {
    const page = await stage.open("/transports", { as: await stage.member("MEMBER") });
    await page.getByText("Its contract has ended").waitFor();
    await eventually(() => page.getByRole("button", { name: "Add a rule" }).isDisabled()).toBe(true);
    await eventually(() => page.getByRole("button", { name: "Test Old server" }).isDisabled()).toBe(true);
    await eventually(() => page.getByRole("button", { name: /^More about/ }).count()).toBe(0);
    await page.context().close();
  });
});
