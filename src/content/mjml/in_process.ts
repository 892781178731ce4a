// MJML compiled by the process itself. To start a program for each body is most of what that takes, and it is there for
// bodies of strangers. This is for our own, in a process that ends soon: a command of the operator, and tests.
import type { Context } from "../../context.ts";

/** Compiles in this process, as the service's own program does, but for its limits of time and memory. */
export const mjmlHere: NonNullable<Context["mjml"]> = async (_owner, source) => {
  const { compileSource } = await import("./_child.ts");
  return Buffer.from(JSON.stringify(await compileSource(source)));
};
