// The passkeys of a user, as they see them.
import type { Context } from "../../../context.ts";
import { q } from "../../../db/queries.ts";

/** A passkey, without its key. */
export interface ListedPasskey {
  id: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** The passkeys of a user, oldest first. */
export async function listPasskeys(ctx: Context, userId: string): Promise<ListedPasskey[]> {
  return await q.passkeys.list(ctx, { userId });
}
