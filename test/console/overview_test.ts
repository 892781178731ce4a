// The first page of a project: of one that has just been made, and of a shop.
import { beforeAll } from "bun:test";
import { join } from "../support/accounts.ts";
import { createDemo } from "../../src/demo/mod.ts";
import { eventually } from "./eventually.ts";
import { tour, useConsole } from "./support.ts";

const stage = useConsole();
let shopId: string;
/** Mails of the last days. */
const TAGGED = 7;

beforeAll(async () => {
  ({ id: shopId } = await stage.service.createProject());
  await join(stage.service, stage.owner, shopId, "OWNER");
  await createDemo(stage.service, { projectId: shopId, contacts: 300, seed: 1 });
  await stage.service.pool`
    insert into email_tags (project_id, email_id, tag)
    select project_id, id, 'kind:receipt'
    from emails
    where project_id = ${shopId} and sent_at is not null
    order by id desc
    limit ${TAGGED}::int`;
});

tour(stage, "overview", {
  path: "/",
  ready: (page) => page.getByRole("heading", { name: "Reputation" }),
  states: {
    shop: async (page) => {
      await stage.visit(page, `~/p/${shopId}`);
      await page.getByRole("heading", { name: "Reputation" }).waitFor();
      await page.getByRole("img", { name: /^Mails sent, opened and clicked/ }).waitFor();
      await page
        .getByText(/^in (\d+|a) /)
        .first()
        .waitFor();
    },
    tag: async (page) => {
      await page.getByRole("combobox", { name: "Tag" }).click();
      await page.getByRole("option", { name: "kind: receipt" }).click();
      const figures = page.getByLabel("Mails with the tag kind:receipt of the last 30 days");
      await eventually(() => figures.locator("dd").first().textContent()).toBe(String(TAGGED));
      await page.getByRole("heading", { name: "Mails with the tag kind: receipt" }).waitFor();
    },
  },
});
