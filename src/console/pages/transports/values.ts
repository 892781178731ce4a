import type { Address } from "./address.ts";
import type { Limits } from "./limits.ts";

/** The fields of the form of a transport. */
export interface TransportValues extends Record<string, unknown>, Address, Limits {
  name: string;
  kind: "SMTP" | "DIRECT" | "CAPTURE";
  /** Of DIRECT: empty for the name of the installation, and for what the system chooses. */
  heloName: string;
  bindAddresses: string[];
  /** Empty: none. */
  planId: string;
}
