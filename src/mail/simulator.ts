// Addresses that answer in a sandbox as the world does: `bounced@simulator.example` bounces. A name of the domain `example` belongs
// to nobody (RFC 2606), so in live mail they are addresses like others, which nobody has.

/** Whose addresses they are. */
export const SIMULATOR_DOMAIN = "simulator.example";

/** What the mail to such an address comes to, by the part before the @. */
export const SIMULATED = [
  "delivered",
  "opened",
  "clicked",
  "complained",
  "bounced",
  "soft-bounced",
  "deferred",
  "failed",
  "suppressed",
] as const;

/** What a mail in a sandbox comes to. */
export type Simulated = (typeof SIMULATED)[number];

/** What an address asks for, whatever follows a plus; null for every other address. */
export function simulatedBy(address: string): Simulated | null {
  const [local, domain] = address.toLowerCase().split("@");
  if (domain !== SIMULATOR_DOMAIN) return null;
  const name = local!.split("+", 1)[0];
  return SIMULATED.find((known) => known === name) ?? null;
}
