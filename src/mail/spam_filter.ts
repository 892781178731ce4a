// What an rspamd thinks of a message (https://docs.rspamd.com/developers/protocol): its normal worker, `/checkv2`.

/** What counts for or against a message. */
export interface SpamSymbol {
  /** As rspamd names it, such as `SUBJ_ALL_CAPS`. */
  name: string;
  /** In words, where rspamd has some; else the name. */
  description: string;
  /** Against the message; for it below 0. */
  score: number;
}

/** The opinion of a filter. */
export interface SpamOpinion {
  /** The sum of the symbols. */
  score: number;
  /** From here on a mailbox that filters by rspamd marks the mail as spam. */
  threshold: number;
  /** Those with a score, the costliest first. */
  symbols: SpamSymbol[];
}

/** Half a sentence for why there is no opinion. */
export type SpamFilterAnswer =
  { state: "scored"; opinion: SpamOpinion } | { state: "failed"; reason: string };

/** How long a filter may take for one message. */
export const SPAM_FILTER_MS = 5_000;

/** `add header` in the settings that rspamd comes with. */
const USUAL_THRESHOLD = 6;
const MAX_ANSWER_BYTES = 1_048_576;
const MAX_WORDS = 200;

/**
 * What says how a mail was transported, and who signed it. This message has not been sent, so all of it would be wrong here; the
 * check of the sender and its DNS is another one.
 */
const OF_THE_TRANSPORT =
  /^(?:R_SPF|R_DKIM|DKIM|DMARC|ARC|SPF|RCVD|RECEIVED|HFILTER_(?:HELO|HOSTNAME|FROMHOST|MID|RCPT|FROM)|RDNS|AUTH|RBL|ASN|MX|IP|GREYLIST|RATELIMIT|SENDER_REP)_|^(?:ASN|ONCE_RECEIVED|DIRECT_TO_MX|MISSING_MX|NO_RECEIVED|FORGED_RECIPIENTS|GREYLIST|RATELIMITED|VIOLATED_DIRECT_SPF|(?:WHITE|BLACK)LIST_(?:SPF|DKIM|DMARC).*)$/;

/** Asks for an opinion, for at most 5 seconds. Never throws. */
export async function askSpamFilter(
  url: string,
  source: Uint8Array,
  { from, to, timeoutMs = SPAM_FILTER_MS }: { from: string; to: string; timeoutMs?: number },
): Promise<SpamFilterAnswer> {
  try {
    const response = await fetch(addressOf(url, "checkv2"), {
      method: "POST",
      body: source as Uint8Array<ArrayBuffer>,
      headers: { From: from, Rcpt: to, ...loginOf(url) },
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readShort(response);
    if (response.status !== 200) return { state: "failed", reason: `it answered with ${response.status}` };
    const opinion = text === null ? null : readOpinion(text);
    return opinion
      ? { state: "scored", opinion }
      : { state: "failed", reason: "its answer is not one of rspamd" };
  } catch (error) {
    return { state: "failed", reason: reasonOf(error as Error, timeoutMs) };
  }
}

/** Whether an rspamd is there: null, or half a sentence for why not. Never throws. */
export async function pingSpamFilter(url: string, timeoutMs: number): Promise<string | null> {
  try {
    const response = await fetch(addressOf(url, "ping"), {
      headers: loginOf(url),
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await readShort(response);
    if (response.status !== 200) return `it answered with ${response.status}`;
    return text?.trim() === "pong" ? null : "its answer is not one of rspamd";
  } catch (error) {
    return reasonOf(error as Error, timeoutMs);
  }
}

function addressOf(url: string, path: string): URL {
  const at = new URL(url);
  at.username = at.password = "";
  at.pathname = `${at.pathname.replace(/\/$/, "")}/${path}`;
  return at;
}

/** For a proxy before it, and rspamd's own password. */
function loginOf(url: string): Record<string, string> {
  const { username, password } = new URL(url);
  if (username + password === "") return {};
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    authorization: `Basic ${Buffer.from(login).toString("base64")}`,
    Password: decodeURIComponent(password),
  };
}

/** Null for what is too long. */
async function readShort(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    // Leaving the loop closes the connection.
    if (length > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Null for what is not an answer of rspamd. Exported for its test. */
export function readOpinion(text: string): SpamOpinion | null {
  const answer = parse(text);
  const found = answer?.symbols;
  if (typeof found !== "object" || found === null || Array.isArray(found)) return null;
  const symbols = Object.entries(found as Record<string, unknown>).flatMap(([name, value]) => {
    const { score, description } = (value ?? {}) as { score?: unknown; description?: unknown };
    if (typeof score !== "number" || !Number.isFinite(score) || score === 0) return [];
    return OF_THE_TRANSPORT.test(name)
      ? []
      : [{ name: name.slice(0, MAX_WORDS), description: wordsOf(description, name), score: tidy(score) }];
  });
  const thresholds = (answer!.thresholds ?? {}) as Record<string, unknown>;
  const threshold = thresholds["add header"];
  return {
    score: tidy(symbols.reduce((sum, symbol) => sum + symbol.score, 0)),
    threshold: typeof threshold === "number" && threshold > 0 ? threshold : USUAL_THRESHOLD,
    symbols: symbols.toSorted((a, b) => b.score - a.score),
  };
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const answer: unknown = JSON.parse(text);
    return typeof answer === "object" ? (answer as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function wordsOf(description: unknown, name: string): string {
  const words = typeof description === "string" ? description.replace(/[\s\p{Cc}]+/gu, " ").trim() : "";
  return (words || name).slice(0, MAX_WORDS).toWellFormed();
}

/** As many decimals as rspamd shows. */
function tidy(score: number): number {
  return Math.round(score * 100) / 100;
}

function reasonOf(error: Error, timeoutMs: number): string {
  if (error.name === "TimeoutError") return `it did not respond within ${timeoutMs / 1000} s`;
  const { code = "" } = error as { code?: string };
  return /refused/i.test(code + error.message) ? "it refused the connection" : "it could not be reached";
}
