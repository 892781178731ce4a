// Signatures as a receiver sees them: checked by a library that is not the one who made them, with keys out of the DNS.
import { dkimVerify } from "mailauth/lib/dkim/verify";
import { createDns } from "../../src/mail/dns.ts";

/** What a receiver says about one signature. */
export interface Verdict {
  /** `pass`, and anything else is none. A mail without a signature has `none`. */
  result: string;
  /** Whose signature it is; its key, too. */
  domain: string | undefined;
  selector: string | undefined;
  /** Whether the signature is of the domain in From, by the letter. */
  aligned: boolean;
  /** Names of the fields that are signed, as often as they stand there. */
  signed: string[];
}

/** Checks the one signature of a message, strictly by the RFCs, with the keys that the server at `dns` publishes. */
export async function verdictOn(source: string | Buffer, dns: string): Promise<Verdict> {
  const client = createDns({ servers: [dns], timeoutMs: 2_000 });
  const resolver = async (name: string) => {
    const answer = await client.lookup(name, "TXT");
    if (answer.state === "found") return answer.records.map((text) => [text]);
    throw Object.assign(new Error(answer.state), {
      code: answer.state === "failed" ? "ETIMEOUT" : "ENOTFOUND",
    });
  };
  const { results } = await dkimVerify(source, { resolver, strict: true, minBitLength: 2048 });
  if (results.length !== 1) throw new Error(`Cannot judge ${results.length} signatures`);
  const [{ status, signingDomain, selector }] = results as [(typeof results)[0]];
  const [, names = ""] = /^DKIM-Signature:(?:.*\r\n )*?.*\bh=([^;]*);/i.exec(String(source)) ?? [];
  return {
    result: status.result,
    domain: signingDomain,
    selector,
    aligned: status.aligned === signingDomain && signingDomain !== undefined,
    signed: names.split(/[:\s]+/),
  };
}
