// The first page of a project: of one that has just been made, and of a shop.
import { beforeAll } from "bun:test";
import { join } from "../support/accounts.ts";
import { createDemo } from "../../src/demo/mod.ts";
import { tour, useConsole } from "./support.ts";

const stage = useConsole();
let shopId: string;

beforeAll(async () => {
  ({ id: shopId } = await stage.service.createProject());
  await join(stage.service, stage.owner, shopId, "OWNER");
  await createDemo(stage.service, { projectId: shopId, contacts: 300, seed: 1 });
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
  },
});
