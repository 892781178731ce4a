import type postgres from "postgres";
import type { Config } from "../config/mod.ts";
import type { Dns } from "../mail/dns.ts";

/** What a check has found out. */
export interface Finding {
  /** What was checked. */
  check: string;
  /** `error`: something does not work. `warning`: something should be improved. `skipped`: there was nothing to look at. */
  status: "ok" | "warning" | "error" | "skipped";
  message: string;
  /** What to do about it, in plain words. */
  advice?: string;
}

/** What the checks look at. */
export interface Patient {
  config: Config;
  dns: Dns;
  /** Null when it could not be opened, and for checks that are not about it. */
  sql: postgres.Sql | null;
  now: () => Date;
}

/** A look at one thing. */
export interface Check {
  name: string;
  limitMs: number;
  /** Opening the database has a time limit of its own. */
  needsDatabase?: boolean;
  look(patient: Patient): Promise<Finding | Finding[]>;
}

/** All is as it should be. */
export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

/** Something should be better. */
export function warning(check: string, message: string, advice: string): Finding {
  return { check, status: "warning", message, advice };
}

/** Something does not work. */
export function failure(check: string, message: string, advice: string): Finding {
  return { check, status: "error", message, advice };
}

/** There was nothing to look at. */
export function skipped(check: string, message: string): Finding {
  return { check, status: "skipped", message };
}

/** Does a check within its time. Never throws: a check that fails is a finding, and no reason to leave others out. */
export async function examineOne({ name, limitMs, look }: Check, patient: Patient): Promise<Finding[]> {
  let timer: Timer | undefined;
  const late = new Promise<Finding>((resolve) => {
    const message = `There was no response within ${limitMs / 1000} s`;
    const advice = "Check the network between this machine and the other side.";
    timer = setTimeout(() => resolve(failure(name, message, advice)), limitMs);
  });
  try {
    return [await Promise.race([look(patient), late])].flat();
  } catch (error) {
    const message = `The check itself failed: ${(error as Error).message}`;
    return [failure(name, message, "This is a bug in the check: the message says what went wrong.")];
  } finally {
    clearTimeout(timer);
  }
}
