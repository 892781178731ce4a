// A service in a process of its own whose work can be measured from outside.
import { join } from "node:path";
import type { TestService } from "./service.ts";

/** What the process has done so far, and how long one turn of its event loop took at most since the last look. */
export interface Measured {
  /** Processor time in milliseconds. */
  cpu: number;
  blocked: number;
  /** How many requests were logged, by level and status, such as `info 422`. */
  logged: Record<string, number>;
}

/** A service that is measured. */
export interface MeasuredService {
  url: string;
  measure(): Promise<Measured>;
  /** Milliseconds that a parser needs for 300 KB, now. */
  speed(): Promise<number>;
  /** After everything that can be forgotten is forgotten. */
  memory(): Promise<{ rss: number; heapTotal: number }>;
  stop(): Promise<void>;
}

/** Starts the HTTP half of the service, over the database of this test. */
export async function startMeasured(
  service: TestService,
  settings: Record<string, string> = {},
): Promise<MeasuredService> {
  const { PATH = "", HOME = "" } = process.env;
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "measured_server.ts")], {
    env: {
      PATH,
      HOME,
      DATABASE_URL: service.databaseUrl,
      SECRET_KEY: service.config.SECRET_KEY!,
      SMTP_URL: service.config.SMTP_URL!,
      RATE_LIMIT_PER_MINUTE: "0",
      TRUSTED_PROXIES: "1",
      ...settings,
    },
    stdout: "pipe",
    stderr: "inherit",
    ipc: () => {},
  });
  const { value } = await child.stdout.getReader().read();
  const url = `http://127.0.0.1:${Number(new TextDecoder().decode(value))}`;
  const ask = async (path: string) => (await fetch(`${url}${path}`)).json();
  return {
    url,
    measure: async () => (await ask("/measured")) as Measured,
    speed: async () => (await ask("/measured/speed")) as number,
    memory: async () => (await ask("/measured/memory")) as Awaited<ReturnType<MeasuredService["memory"]>>,
    stop: async () => {
      child.kill();
      await child.exited;
    },
  };
}
