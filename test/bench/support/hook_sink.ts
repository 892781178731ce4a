// A server that takes webhooks and keeps nothing, at the lowest cost: a process of its own, which says how many came.

/** The running sink. */
export interface HookSink {
  url: string;
  /** How many calls have come so far. */
  count(): Promise<number>;
  stop(): void;
}

const PROGRAM = new URL(import.meta.url).pathname;

/** Starts the sink as a process. */
export async function startHookSink(): Promise<HookSink> {
  const child = Bun.spawn([process.execPath, PROGRAM], { stdio: ["ignore", "pipe", "inherit"] });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const url = `http://127.0.0.1:${new TextDecoder().decode(value).trim()}`;
  return {
    url: `${url}/hook`,
    count: async () => Number(await (await fetch(`${url}/count`)).text()),
    stop: () => child.kill("SIGKILL"),
  };
}

if (import.meta.main) {
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method === "GET") return new Response(String(count));
      await request.arrayBuffer();
      count += 1;
      return new Response(null, { status: 204 });
    },
  });
  console.log(server.port);
}
