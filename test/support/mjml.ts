// MJML for tests of what uses it: to start a process for each body is most of what they take, and on a busy machine it has to wait,
// for it gives way to everything else.
import type { Context } from "../../src/context.ts";
import { mjmlHere } from "../../src/content/mjml/in_process.ts";
import { compiler } from "../../src/content/mjml/_process.ts";

type Mjml = NonNullable<Context["mjml"]>;

/** What has been compiled of the service's own mails. */
const ours = new Map<string, ReturnType<Mjml>>();

/** As the service does, but for its own mails: their layout is the same in every test, and compiled once, here. */
export const mjmlApart: Mjml = async (owner, source) => {
  if (owner !== "platform") return await compiler(owner, source);
  const made = ours.get(source) ?? mjmlHere(owner, source);
  ours.set(source, made);
  made.catch(() => ours.delete(source));
  return await made;
};
