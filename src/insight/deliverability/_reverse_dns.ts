// The rule on reverse names, for the transports that mails of a project may take: of direct ones it is looked up, and of all
// others it is the matter of who runs their servers.
import type { Context } from "../../context.ts";
import { usableBy } from "../../sending/transports/candidates.ts";
import { transportsOf } from "../../sending/transports/known.ts";
import { reverseNamesKnown } from "../../sending/transports/reverse_names.ts";
import { INSTALLATION } from "../../sending/transports/routes.ts";

/** How a project stands. */
export interface ReverseVerdict {
  state: "OK" | "FAILED" | "UNKNOWN";
  detail: string;
  advice: string | null;
}

const MAX_FAULTS = 5;

/** As far as it is known now: what is not known yet is being looked up. */
export async function reverseDnsVerdict(ctx: Context, projectId: string): Promise<ReverseVerdict> {
  const known = transportsOf(ctx);
  await known.ready();
  const transports = usableBy(known, projectId);
  const standings = transports.flatMap(({ direct, projectId: owner }) =>
    direct
      ? [{ isOwn: owner !== INSTALLATION, name: direct.name, found: reverseNamesKnown(ctx).of(direct) }]
      : [],
  );
  if (standings.length === 0) {
    return transports.some(({ kind }) => kind === "SMTP")
      ? unknown("Mails leave through a provider: the names of its servers are its matter.", null)
      : unknown("Mails are captured, and leave from no address.", null);
  }
  const faulty = standings.filter(({ found }) => found && found.faults.length > 0);
  const faults = [...new Set(faulty.flatMap(({ found }) => found!.faults))];
  if (faults.length > 0) {
    const more = faults.length > MAX_FAULTS ? ` And ${faults.length - MAX_FAULTS} more.` : "";
    const who = faulty.every(({ isOwn }) => isOwn) ? "You have" : "The operator of this installation has";
    const names = [...new Set(faulty.map(({ name }) => name))].join(", ");
    return {
      state: "FAILED",
      detail: `${faults.slice(0, MAX_FAULTS).join(". ")}.${more}`,
      advice: `${who} the A or AAAA record of ${names} name each address, and whoever gave the address set its reverse name to the same name: Google, Yahoo and others refuse mail without.`,
    };
  }
  if (standings.some(({ found }) => found === null)) {
    const advice = "Look again in a minute. If it stays so, the name servers do not answer: see DNS_SERVERS.";
    return unknown("The names of the addresses that mails leave from are being looked up.", advice);
  }
  const all = standings.map(({ name, found }) => `${found!.addresses.join(", ")} as ${name}`);
  const detail = `Mails leave from ${[...new Set(all)].join(", and from ")}: these names lead to the addresses, and back.`;
  return { state: "OK", detail, advice: null };
}

function unknown(detail: string, advice: string | null): ReverseVerdict {
  return { state: "UNKNOWN", detail, advice };
}
