import type { Address } from "./address.ts";
import type { Limits } from "./limits.ts";

/** The fields of the form of a transport. */
export interface TransportValues extends Record<string, unknown>, Address, Limits {
  name: string;
  kind: "SMTP" | "CAPTURE";
  /** Empty: none. */
  planId: string;
}
