// A workflow of 300 steps on the canvas: panning and zooming, beside a canvas with nothing on it but the trigger.
import type { Page } from "playwright-core";
import type { GraphBody } from "../../src/console/api.gen.ts";
import { frames } from "./console_list.ts";
import type { Visitor } from "./support/browser.ts";
import { below, percentile, type Report } from "./support/report.ts";

const STEPS = 300;
const FRAME_MS = 50;
const MOVES = 120;
const PIXELS = 90;

/** What the canvas is measured with: `secret` is a key of the project. */
interface Place {
  origin: string;
  home: string;
  secret: string;
}

/** Measures the canvas. */
export async function measureCanvas(report: Report, { arrive }: Visitor, place: Place): Promise<void> {
  const context = await arrive();
  const page = await context.newPage();
  const measured: Record<string, number[]> = {};
  let shown = 0;
  for (const [name, steps] of [
    ["empty", 0],
    ["full", STEPS],
  ] as const) {
    await page.goto(`${place.home}/workflows/${await workflowOf(place, steps)}`);
    await page.locator("[data-step]").first().waitFor();
    shown = await page.locator("[data-step]").count();
    measured[name] = await frames(page, () => pan(page));
    measured[`${name}Zoom`] = await frames(page, () => zoom(page));
  }
  for (const [what, key] of [
    ["panning", ""],
    ["zooming", "Zoom"],
  ] as const) {
    const [full, empty] = [measured[`full${key}`]!, measured[`empty${key}`]!];
    report.line(`canvas of ${STEPS} steps, longest frame while ${what}`, Math.max(...full), "ms", {
      goal: below(FRAME_MS),
      note: {
        frames: full.length,
        p99: Math.round(percentile(full, 0.99)),
        longestEmpty: Math.round(Math.max(...empty)),
        p99Empty: Math.round(percentile(empty, 0.99)),
        stepsInDocument: shown,
      },
    });
  }
  await context.close();
}

async function pan(page: Page): Promise<void> {
  await page.mouse.move(700, 560);
  for (let n = 0; n < MOVES; n++) {
    await page.mouse.wheel(n % 3 === 0 ? PIXELS : 0, n < MOVES / 2 ? PIXELS : -PIXELS);
  }
}

async function zoom(page: Page): Promise<void> {
  await page.mouse.move(700, 560);
  await page.keyboard.down("Control");
  for (let n = 0; n < MOVES / 2; n++) await page.mouse.wheel(0, n < MOVES / 4 ? PIXELS : -PIXELS);
  await page.keyboard.up("Control");
}

/** Makes a workflow with so many steps besides its trigger: questions, each with a step at one branch, and the next at the other. */
async function workflowOf({ origin, secret }: Place, count: number): Promise<string> {
  const api = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`Cannot make the workflow: ${await answer.text()}`);
    return await answer.json();
  };
  const { id } = await api("POST", "/workflows", { name: `${count} steps`, eventName: "signed up" });
  if (count === 0) return id;
  const { version, steps } = await api("GET", `/workflows/${id}/graph`);
  const body: GraphBody = { version, steps: [steps[0]], transitions: [] };
  let last = { from: steps[0].id as string, branch: null as string | null };
  for (let n = 0; n < count; n += 2) {
    const [question, aside] = [crypto.randomUUID(), crypto.randomUUID()];
    body.steps.push(
      {
        id: question,
        type: "CONDITION",
        name: `Question ${n}`,
        config: { field: "data.plan", operator: "exists" },
      },
      { id: aside, type: "UPDATE_CONTACT", name: `Note ${n}`, config: { updates: { [`note${n}`]: true } } },
    );
    body.transitions.push({ ...last, to: question }, { from: question, branch: "yes", to: aside });
    last = { from: n % 8 === 6 ? aside : question, branch: n % 8 === 6 ? null : "no" };
  }
  await api("PUT", `/workflows/${id}/graph`, body);
  return id;
}
