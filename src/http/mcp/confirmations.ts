// What cannot be taken back is done by the second of two equal calls: the first one answers what would happen to how many
// people, and a signed word to confirm it with.
import { createHash } from "node:crypto";
import { openToken, signToken } from "../../accounts/secrets.ts";
import type { Context } from "../../context.ts";

/** What a call would do. */
export interface ToolEffect {
  /** A sentence without its end: `Send the campaign "News" now`. */
  what: string;
  /** How many people it touches. */
  people: number;
  /** `people` is that of a sample, multiplied. */
  isEstimate?: boolean;
}

/** Which call is meant: a confirmation is good for no other one. */
export interface MeantCall {
  projectId: string;
  tool: string;
  input: object;
}

const VALID_S = 600;
const NUMBER_BYTES = 4;

/** A confirmation of this call, and until when it may be used. */
export function confirmationOf(
  ctx: Context,
  call: MeantCall,
  { people }: ToolEffect,
): { token: string; until: Date } {
  const untilS = Math.floor(ctx.now().getTime() / 1000) + VALID_S;
  const numbers = Buffer.alloc(2 * NUMBER_BYTES);
  numbers.writeUInt32BE(untilS, 0);
  numbers.writeUInt32BE(people, NUMBER_BYTES);
  const token = signToken(ctx, "agent confirmations", Buffer.concat([numbers, digestOf(call)]));
  return { token, until: new Date(untilS * 1000) };
}

/**
 * Whether this very call was confirmed within the last ten minutes, for at least as many people as it touches by now. Of an
 * estimate a tenth more is the same.
 */
export function isConfirmed(
  ctx: Context,
  call: MeantCall,
  { people, isEstimate = false }: ToolEffect,
  token: string,
): boolean {
  const payload = openToken(ctx, "agent confirmations", token);
  if (!payload?.subarray(2 * NUMBER_BYTES).equals(digestOf(call))) return false;
  const isInTime = payload.readUInt32BE(0) * 1000 > ctx.now().getTime();
  return isInTime && people <= payload.readUInt32BE(NUMBER_BYTES) * (isEstimate ? 1.1 : 1);
}

function digestOf({ projectId, tool, input }: MeantCall): Buffer {
  return createHash("sha256")
    .update(JSON.stringify([projectId, tool, sorted(input)]))
    .digest();
}

/** The same for the same values: whoever writes the second call may order them in another way. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, part]) => part !== undefined);
  return [
    "{",
    ...entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, part]) => [name, sorted(part)]),
  ];
}
