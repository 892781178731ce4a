// Moving in: from a server on loopback by its key, and from files, as people do it.
import { afterAll, beforeAll, expect } from "bun:test";
import { eventually } from "./eventually.ts";
import { browserTest, tour, useConsole } from "./support.ts";

const stage = useConsole({ ALLOW_PRIVATE_WEBHOOKS: "true" });
const servers: { stop(force: boolean): unknown }[] = [];
const moves: Record<string, string> = {};

afterAll(() => servers.forEach((server) => void server.stop(true)));

/** A Plunk with twelve contacts, of whom one has an address that is none. */
function plunk(): string {
  const contacts = Array.from({ length: 12 }, (_, n) => ({
    email: n === 5 ? "kundenservice ohne adresse" : `p${n}@people.example`,
    subscribed: n > 2,
    data: { n },
  }));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      if (request.headers.get("authorization") !== "Bearer sk_there")
        return new Response("", { status: 401 });
      const { pathname } = new URL(request.url);
      if (pathname === "/segments") return Response.json([{ id: "s", name: "VIPs", type: "STATIC" }]);
      return Response.json({ data: pathname === "/contacts" ? contacts : [], hasMore: false, cursor: null });
    },
  });
  servers.push(server);
  return `http://127.0.0.1:${server.port}`;
}

const COUNTS = {
  contacts: { read: 12_400, created: 11_980, changed: 21, unsubscribed: 1_312, refused: 14 },
  suppressions: 203,
  segments: { created: 7, existing: 1 },
  templates: { created: 31, existing: 0 },
  campaigns: { created: 120, existing: 0 },
  workflows: { created: 4, existing: 0 },
};

/** A move in each state that the pages show. */
beforeAll(async () => {
  const { service, project } = stage;
  const of = async (state: string, more: Record<string, unknown> = {}) => {
    const ended = ["DONE", "FAILED", "CANCELLED"].includes(state);
    const row = { found: null, counts: {}, failed_reason: null, started_at: null, step: "lists", ...more };
    const [made] = await service.pool`
      insert into moves (
        project_id, id, source, state, url, created_by, step, found, counts, failed_reason, left_out_total, created_at, changed_at,
        started_at, finished_at
      )
      values (
        ${project.id}, uuid_v7(), 'plunk', ${state}::move_state, 'https://next-api.useplunk.com',
        'augusta.ada.king.countess.of.lovelace@analytical-engines.example', ${row.step as string},
        ${row.found === null ? null : JSON.stringify(row.found)}::text::jsonb, ${JSON.stringify(row.counts)}::text::jsonb,
        ${row.failed_reason as string | null}, 14, now(), now(), ${row.started_at as Date | null}, ${ended ? new Date() : null}
      )
      returning id`;
    moves[state] = made!.id as string;
  };
  const started_at = new Date();
  await of("DONE", { found: COUNTS, counts: COUNTS, started_at });
  await of("FAILED", {
    failed_reason: "Cannot read https://next-api.useplunk.com/segments: it refused the credentials (401)",
  });
  await of("CANCELLED", { found: COUNTS, started_at, counts: COUNTS });
  await of("READY", { found: COUNTS, counts: COUNTS });
  await service.pool`
    insert into move_left_out (project_id, move_id, position, what, why)
    select project_id, id, n,
      case when n % 2 = 0 then 'contact kunde ' || n else 'template Bestellbestätigung ' || n end,
      case when n % 2 = 0 then 'this is not an email address' else 'it uses {{ .Tx.Data }}, which has no counterpart here' end
    from moves, generate_series(1, 14) as n
    where project_id = ${project.id} and state in ('DONE', 'READY')`;
}, 60_000);

tour(stage, "move_in", {
  path: "/move-in",
  ready: (page) => page.getByRole("list", { name: "Past moves" }),
  states: {
    key: async (page) => {
      await page.getByRole("link", { name: /^Another Postrider/ }).click();
      await page.getByRole("button", { name: "See what would come" }).click();
      await page.getByText("Enter an address with https://").waitFor();
    },
  },
});

tour(stage, "move_in_files", {
  path: "/move-in?from=mailchimp",
  ready: (page) => page.getByRole("button", { name: "Choose files" }),
});

tour(stage, "move_ready", {
  path: () => `/move-in/${moves.READY}`,
  ready: (page) => page.getByRole("list", { name: "Left out" }),
  states: {
    failed: async (page) => {
      await stage.visit(page, `/move-in/${moves.FAILED}`);
      await page.getByText("it refused the credentials").waitFor();
    },
    done: async (page) => {
      await stage.visit(page, `/move-in/${moves.DONE}`);
      await page.getByRole("link", { name: "Workflows" }).last().waitFor();
      await page.getByRole("list", { name: "Left out" }).waitFor();
    },
  },
});

browserTest("a wrong key is told, what was typed stays, and then it is looked at and brought", async () => {
  const { service, owner } = stage;
  const url = plunk();
  const { body: fresh } = await owner.request("POST", "/users/@me/projects", { name: "Fresh" });
  const page = await stage.open(`~/p/${fresh.id}/contacts`);
  await page.getByRole("link", { name: "Move in from another service" }).click();
  await page.getByRole("link", { name: /^Plunk/ }).click();
  const address = page.getByRole("textbox", { name: "Address of the API" });
  await eventually(() => address.inputValue()).toBe("https://next-api.useplunk.com");
  await address.fill(url);
  await page.getByLabel("Secret key").fill("sk_wrong");
  await page.keyboard.press("Enter");
  await page.getByText("Looking", { exact: true }).waitFor();
  await service.runJobs();
  await page.getByText("it refused the credentials (401)").waitFor();
  await page.getByRole("link", { name: "Try again" }).click();
  await eventually(() => address.inputValue()).toBe(url);
  await page.getByLabel("Secret key").fill("sk_there");
  await page.getByRole("button", { name: "See what would come" }).click();
  await page.getByText("Looking", { exact: true }).waitFor();
  await service.runJobs();
  await page.getByText("Nothing has changed yet.").waitFor();
  await page.getByRole("row", { name: /Contacts 11 3 unsubscribed, 1 refused/ }).waitFor();
  await page.getByText("contact kundenservice ohne adresse").waitFor();

  // It is in the address: nothing is lost by loading it again.
  await page.reload();
  await page.getByRole("button", { name: "Move in" }).click();
  await page.getByText("You may close this page").waitFor();
  await service.runJobs();
  await page.getByText("Moved in", { exact: true }).waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  await page.getByRole("menuitem", { name: /^CSV/ }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("move-from-plunk.csv");
  expect(await Bun.file(await file.path()).text()).toContain(
    "contact kundenservice ohne adresse,this is not an email address",
  );
  await page
    .getByRole("row", { name: /^Contacts/ })
    .getByRole("link")
    .click();
  await page.getByText("p11@people.example").waitFor();
});

browserTest("files that do not say who has subscribed are asked about; a move is cancelled", async () => {
  const { service, owner } = stage;
  const { body: fresh } = await owner.request("POST", "/users/@me/projects", { name: "From files" });
  const page = await stage.open(`~/p/${fresh.id}/move-in?from=brevo`);
  const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  await page
    .locator("input[type=file]")
    .setInputFiles([
      csv("contacts.csv", "EMAIL\nada@people.example\n"),
      csv("more.csv", "EMAIL\nbo@people.example\n"),
      { name: "blocked.zip", mimeType: "application/zip", buffer: Buffer.from("this is no zip") },
    ]);
  // The others have arrived: the page of the move has them, and takes the rest.
  await page.getByText("Cannot read blocked.zip: it is no zip").waitFor();
  await page.getByRole("button", { name: "Remove more.csv" }).click();
  await page.getByRole("button", { name: "Remove more.csv" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "See what would come" }).click();
  await page.getByText("Looking", { exact: true }).waitFor();
  await service.runJobs();
  await page.getByText("it does not say whether its contacts are subscribed").waitFor();
  // Elsewhere it is said before something is typed in vain.
  const address = page.url();
  await stage.visit(page, `~/p/${fresh.id}/move-in?from=plunk`);
  await page.getByText("The move from Brevo has not ended").waitFor();
  await page.getByRole("link", { name: "Go on with it" }).click();
  await eventually(async () => page.url()).toBe(address);
  await page.getByRole("combobox", { name: /Contacts of files that do not say/ }).click();
  await page.getByRole("option", { name: "They have unsubscribed" }).click();
  await page.getByRole("button", { name: "See what would come" }).click();
  await page.getByText("Looking", { exact: true }).waitFor();
  await service.runJobs();
  await page.getByRole("row", { name: /Contacts 1 1 unsubscribed/ }).waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("button", { name: "Cancel the move" }).click();
  await page.getByText("Nothing was changed.").waitFor();
});

browserTest(
  "a file that looks like an export of Mailchimp is mapped in one click, and offered to come with its consent",
  async () => {
    const page = await stage.open("/imports");
    const text = "Email Address,First Name,LEID,EUID\nada@people.example,Ada,1,2\n";
    const choose = () =>
      page
        .locator("input[type=file]")
        .setInputFiles({ name: "subscribed.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await choose();
    await page.getByText("This looks like an export of Mailchimp").waitFor();
    await page.getByRole("link", { name: "Move in from Mailchimp" }).click();
    await page.getByRole("heading", { name: "Move in from Mailchimp" }).waitFor();
    await stage.visit(page, "/imports");
    await choose();
    await page.getByRole("button", { name: "Map the columns for Mailchimp" }).click();
    await page.getByRole("button", { name: "Columns mapped for Mailchimp" }).waitFor();
    await eventually(() => page.getByRole("combobox", { name: "What LEID becomes" }).inputValue()).toBe(
      "Leave it out",
    );
  },
);
