// PgBouncer in transaction mode, as Debian packages it (`apt-get install pgbouncer`).
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until, unusedPort } from "./process.ts";

const PROGRAM = "/usr/sbin/pgbouncer";
/** It refuses root; any other number will do. */
const NOBODY = 65_534;

/** Why there is none to test with; empty where there is. */
export const NO_PGBOUNCER = existsSync(PROGRAM) ? "" : `skipped: there is no ${PROGRAM}`;

/** Starts one in front of a database. `url` leads through it. */
export async function startPgbouncer(
  target: string,
  { ignoring = "", takesTurns = false } = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port, username, password, pathname } = new URL(target);
  const database = pathname.slice(1);
  const listen = await unusedPort();
  const dir = mkdtempSync(join(tmpdir(), "postrider-pgbouncer-"));
  const ini = join(dir, "pgbouncer.ini");
  writeFileSync(
    ini,
    `[databases]
${database} = host=${hostname} port=${port} dbname=${database} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 200
server_round_robin = ${takesTurns ? 1 : 0}
${ignoring && `ignore_startup_parameters = ${ignoring}`}
`,
  );
  chmodSync(dir, 0o755);
  const child = Bun.spawn([PROGRAM, ini], {
    ...(process.getuid?.() === 0 && { uid: NOBODY, gid: NOBODY }),
    cwd: "/",
    stdout: "ignore",
    stderr: "ignore",
  });
  const listens = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(listen, "127.0.0.1");
      socket.on("connect", () => socket.end(() => resolve(true)));
      socket.on("error", () => resolve(false));
    });
  await until("pgbouncer listens", listens);
  // Another program that took the port meanwhile would answer in its place.
  if (child.exitCode !== null) throw new Error(`Cannot start pgbouncer: it ended with ${child.exitCode}`);
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String(listen);
  return {
    url: url.href,
    async stop() {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
