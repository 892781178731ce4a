// Requests of strangers that are proved by their content.
import type { Context } from "../../context.ts";
import { Problem, problems } from "../../problem/mod.ts";
import type { KnowsAddress } from "../entry/client_network.ts";
import { takePublicRequest } from "../entry/public_limits.ts";

/**
 * A stranger can be refused, or make us ask Amazon for a certificate, but not without end: both count against the address
 * that the request comes from, once. What is genuine costs nothing.
 */
export async function countingRefusals<T>(
  ctx: Context,
  request: Request,
  server: KnowsAddress | null,
  work: (count: () => void) => Promise<T>,
): Promise<T> {
  let isCounted = false;
  const count = () => {
    if (isCounted) return;
    isCounted = true;
    const wait = takePublicRequest(ctx, request, server);
    if (wait !== null) throw problems.publicLimitExceeded(wait);
  };
  try {
    return await work(count);
  } catch (error) {
    if (error instanceof Problem && error.status < 500) count();
    throw error;
  }
}
