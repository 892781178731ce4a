// Mails by a part of the recipient's address or of the subject.
import { firstIdAt } from "../../audience/conditions/tree.ts";
import type { Context } from "../../context.ts";
import { containing } from "../../db/like.ts";
import { q } from "../../db/queries.ts";
import { searchedAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import type { Email } from "./emails.ts";

/** Shorter texts have no three letters in a row, and the index none for them. */
export const MIN_SEARCH = 3;
/** How many contacts or subjects are looked through, each with a page of mails at most. */
const MAX_FOUND = 200;
const FIRST_ID = "00000000-0000-0000-0000-000000000000";
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Where a page of found mails begins, and how far back it reaches. */
export interface SearchPage {
  limit: number;
  /** Below this mail. */
  beforeId: string | null;
  from?: Date | undefined;
  until?: Date | undefined;
}

/**
 * One page of the mails whose recipient or subject contains a text, in any case, newest first, and one more when there
 * are more. Throws 400 for a text of fewer than three letters, and for one that more than 200 contacts or subjects contain.
 */
export async function searchEmails(
  ctx: Context,
  projectId: string,
  text: string,
  { limit, beforeId, from, until }: SearchPage,
): Promise<Email[]> {
  const sought = text.trim();
  if ([...sought].length < MIN_SEARCH) throw problems.searchTooShort(MIN_SEARCH);
  const args = { projectId, limit: MAX_FOUND + 1 };
  const [contacts, contents, campaigns] = await Promise.all([
    q.emails.foundContacts(ctx, { ...args, pattern: containing(searchedAddress(sought)) }),
    q.emails.foundContents(ctx, { ...args, pattern: containing(sought) }),
    q.emails.foundCampaigns(ctx, { ...args, pattern: containing(sought) }),
  ]);
  if (Math.max(contacts.length, contents.length, campaigns.length) > MAX_FOUND) {
    throw problems.searchTooBroad(
      MAX_FOUND,
      "contacts or subjects",
      "Search for more of it, or filter by `to`",
    );
  }
  const end = until === undefined ? LAST_ID : firstIdAt(until);
  return await q.emails.find(ctx, {
    projectId,
    contactIds: idsOf(contacts),
    contentIds: idsOf(contents),
    campaignIds: idsOf(campaigns),
    after: from === undefined ? FIRST_ID : firstIdAt(from),
    before: beforeId !== null && beforeId < end ? beforeId : end,
    limit: limit + 1,
  });
}

function idsOf(rows: { id: string }[]): string[] {
  return rows.map((row) => row.id);
}
