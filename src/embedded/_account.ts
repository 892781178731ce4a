// Under whose name Postgres runs. It refuses root, so root has to lend it another name.
import { createHash } from "node:crypto";
import fs from "node:fs/promises";
import { join } from "node:path";
import { cannotStart } from "./_folder.ts";

const SYSTEM_USER = "postgres";
const SYSTEM_FOLDER = "/var/lib/postrider";

/** How root lends a name: a user namespace, in which its files stay its own, or the system user `postgres`. */
export type RootAccount = "namespace" | "system-user";

/** The name a program runs under. */
export interface SystemAccount {
  /** Goes before every command; it executes the command in its own place, so the process id stays. */
  prefix: string[];
  /** The other user the program becomes, and who owns its files. Undefined: they are ours. */
  as?: { uid: number; gid: number };
}

interface Choice {
  account: SystemAccount;
  /** The folder for data and binaries, which the account can enter. */
  place: string;
}

interface PasswdEntry {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Chooses an account Postgres accepts, and the place of its data: the folder itself, or, when the account cannot
 * enter it, one below /var/lib/postrider. `existing` is the place of data from an earlier start, which must be kept.
 */
export async function chooseAccount(
  dir: string,
  existing: string | null,
  forced: RootAccount | undefined,
): Promise<Choice> {
  const reasons: string[] = [];
  for (const candidate of await candidates(existing, forced)) {
    const account = await candidate();
    if (typeof account === "string") {
      reasons.push(account);
      continue;
    }
    const trial = await runAs(account, ["true"]);
    if (!trial.ok) {
      reasons.push(trial.output);
      continue;
    }
    for (const place of existing ? [existing] : places(dir)) {
      if (await canEnter(account, place)) return { account, place };
      reasons.push(`${account.as ? `user ${account.as.uid}` : "a user namespace"} cannot enter ${place}`);
    }
  }
  throw cannotStart(`no account can run it (${reasons.join("; ")})`);
}

/** Runs a program to its end under the account; `output` is everything it said. Never throws. */
export async function runAs(
  account: SystemAccount,
  command: string[],
): Promise<{ ok: boolean; output: string }> {
  try {
    const child = Bun.spawn([...account.prefix, ...command], {
      ...account.as,
      cwd: "/",
      env: programEnvironment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { ok: code === 0, output: `${out}${err}`.trim() };
  } catch (error) {
    return { ok: false, output: (error as Error).message };
  }
}

/** The environment of every Postgres program: nothing of ours, and messages in English, because they are parsed. */
export function programEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C", TZ: "UTC" };
}

/** Hands a file or folder over to the account, unless it owns it. */
export async function giveTo(account: SystemAccount, path: string): Promise<void> {
  const { uid, gid } = account.as ?? ourselves();
  if ((await fs.stat(path)).uid === uid) return;
  const { ok, output } = await runAs({ prefix: [] }, ["chown", "-R", `${uid}:${gid}`, path]);
  if (!ok)
    throw cannotStart(`${path} belongs to another user (${output})`, "run as that user, or set DATABASE_URL");
}

/** A candidate is an account, or the reason why there is none. */
type Candidate = () => Promise<SystemAccount | string>;

async function candidates(existing: string | null, forced: RootAccount | undefined): Promise<Candidate[]> {
  if (ourselves().uid !== 0) {
    // A container may run us under a number without a name, and initdb insists on a name.
    const named = await runAs({ prefix: [] }, ["id", "-un"]);
    return named.ok ? [async () => ({ prefix: [] })] : [namespace];
  }
  const byName = { namespace, "system-user": systemUser };
  if (forced) return [byName[forced]];
  const owner = existing ? await ownerOf(existing) : null;
  const sameOwner: Candidate[] = owner && owner.uid !== 0 ? [async () => ({ prefix: [], as: owner })] : [];
  return [...sameOwner, byName.namespace, byName["system-user"]];
}

/** In a user namespace we see ourselves under another number, while the kernel continues treating our files as ours. */
async function namespace(): Promise<SystemAccount | string> {
  const user = (await readUsers()).find(({ uid }) => uid > 0 && uid < 65_534);
  if (!user) return "a user namespace needs a user besides root in /etc/passwd";
  return { prefix: ["unshare", "--user", `--map-user=${user.uid}`, `--map-group=${user.gid}`, "--"] };
}

async function systemUser(): Promise<SystemAccount | string> {
  let user = await findUser(SYSTEM_USER);
  if (!user) {
    const options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
    const { output } = await runAs({ prefix: [] }, ["useradd", ...options, SYSTEM_USER]);
    user = await findUser(SYSTEM_USER);
    if (!user) return `the user ${SYSTEM_USER} cannot be created: ${output}`;
  }
  return { prefix: [], as: { uid: user.uid, gid: user.gid } };
}

async function findUser(name: string): Promise<PasswdEntry | undefined> {
  return (await readUsers()).find((user) => user.name === name);
}

async function readUsers(): Promise<PasswdEntry[]> {
  const text = await fs.readFile("/etc/passwd", "utf8").catch(() => "");
  return text
    .split("\n")
    .map((line) => line.split(":"))
    .filter((fields) => fields.length >= 7)
    .map(([name, , uid, gid]) => ({ name: name!, uid: Number(uid), gid: Number(gid) }));
}

async function canEnter(account: SystemAccount, place: string): Promise<boolean> {
  if (place.startsWith(SYSTEM_FOLDER)) await makePublic(place);
  return (await runAs(account, ["test", "-x", place])).ok;
}

/** The second place is for root alone: no other account lacks access to its own folder. */
function places(dir: string): string[] {
  if (ourselves().uid !== 0) return [dir];
  const key = createHash("sha256").update(dir).digest("hex").slice(0, 16);
  return [dir, join(SYSTEM_FOLDER, key)];
}

async function makePublic(place: string): Promise<void> {
  for (const folder of [SYSTEM_FOLDER, place]) {
    await fs.mkdir(folder, { recursive: true });
    await fs.chmod(folder, 0o755);
  }
}

async function ownerOf(place: string): Promise<{ uid: number; gid: number }> {
  const { uid, gid } = await fs.stat(join(place, "data"));
  return { uid, gid };
}

function ourselves(): { uid: number; gid: number } {
  return { uid: process.getuid!(), gid: process.getgid!() };
}
