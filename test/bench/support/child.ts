// A part of a bench in a process of its own.

/** Runs a script with one JSON argument, and answers the JSON that it prints. */
export async function runChild<T>(script: string, argument: object, timeoutMs: number): Promise<T> {
  const child = Bun.spawn([process.execPath, script, JSON.stringify(argument)], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  const output = await new Response(child.stdout).text();
  const code = await child.exited;
  process.off("exit", kill);
  if (code !== 0) throw new Error(`Cannot go on: ${script} ended with ${code ?? "a signal"}`);
  return JSON.parse(output) as T;
}
