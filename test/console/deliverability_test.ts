// How mailbox providers take the mail of a project: its figures, what is too high, and their rules for its domain.
import { beforeAll, describe, expect } from "bun:test";
import { eventually } from "./eventually.ts";
import { browserTest, tour, useConsole } from "./support.ts";

const stage = useConsole();
const STANDARD = "00000000-0000-0000-0000-000000000000";

beforeAll(async () => {
  const { service, project } = stage;
  // 30 days: the volume grows, Microsoft puts off more and more, and a small provider refuses.
  await service.pool`
    insert into delivery_hours
    select
      ${project.id}, date_trunc('day', now(), 'UTC') - n * interval '1 day', 'shop.example', p.provider, ${STANDARD},
      array[0, p.mails * (40 - n), p.mails * 9, 0, p.mails, 0, n % 3, 0, 0, 0, 0, 0], p.deferred * (30 - n), p.bounced, 0,
      p.bounced, p.complained, p.mails * 30, p.mails
    from generate_series(0, 29) as n
    cross join (
      values
        ('google', 120, 10, 4, 1), ('microsoft', 70, 45, 12, 6), ('yahoo', 20, 0, 1, 0), ('gmx', 9, 0, 0, 0),
        ('other', 30, 3, 2, 0)
    ) as p (provider, mails, deferred, bounced, complained)`;
  await service.pool`
    insert into deliverability_alerts (
      project_id, kind, sender_domain, provider, count, total, opened_at, bad_at, told_at
    )
    values (${project.id}, 'DEFERRALS', 'shop.example', 'microsoft', 1350, 5200, now() - interval '2 hours', now(), now())`;
});

const rowOf = async (page: Awaited<ReturnType<typeof stage.open>>, name: string) =>
  await page.getByRole("row", { name }).innerText();

describe("deliverability", () => {
  tour(stage, "deliverability", {
    path: "/deliverability",
    ready: (page) => page.getByRole("img", { name: "Mails accepted, deferred and bounced" }),
    states: {
      "by transport": async (page) => {
        await page.getByText("Transport", { exact: true }).click();
        await page.getByRole("row", { name: "Mail server of the installation" }).waitFor();
      },
      rules: async (page) => {
        await page.getByText("Few reports as spam").scrollIntoViewIfNeeded();
      },
    },
  });

  browserTest(
    "shows figures by provider and by domain, what is too high, and what is to be done",
    async () => {
      const page = await stage.open("/deliverability");
      await page.getByText("shop.example at Microsoft").waitFor();
      await page.getByRole("row", { name: "Microsoft" }).waitFor();

      await eventually(() => rowOf(page, "Google")).toContain("s\t");
      await page.getByText("Domain", { exact: true }).click();
      await page.getByRole("row", { name: "shop.example" }).waitFor();
      await eventually(async () => new URL(page.url()).searchParams.get("by")).toBe("domain");
      const rules = page.getByRole("list", { name: "Rules for shop.example" });
      await eventually(() => rules.getByRole("listitem").count()).toBe(8);
      await eventually(() => rules.innerText()).toContain(
        "One-click unsubscribe needs an address with https",
      );
      await page.context().close();
    },
  );

  browserTest(
    "a project without mail is told what will be here, and looks further back by one click",
    async () => {
      await stage.service.pool`delete from delivery_hours where project_id = ${stage.project.id}`;
      const page = await stage.open("/deliverability?period=7d");
      await page.getByRole("button", { name: "Show 90 days" }).click();
      await page.getByText("No mail was sent in the last 90 days").waitFor();

      await eventually(() => page.getByRole("link", { name: "New campaign" }).count()).toBe(1);
      expect(page.complaints).toEqual([]);
      await page.context().close();
    },
  );
});
