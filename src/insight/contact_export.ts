// Everything that is known of one contact, as a person may ask for it: read page by page as fast as the reader takes it.
import { getContact } from "../audience/contacts/mod.ts";
import { segmentsOf } from "../audience/segments/explain.ts";
import type { Context } from "../context.ts";
import { q } from "../db/queries.ts";

/** Data of an event has up to 64 KB, the context of an execution too. */
const EVENTS = 100;
const MAILS = 500;
const EXECUTIONS = 20;

/**
 * The data of a contact as the text of one JSON object, piece by piece: `contact`, `suppression`, `segments`, `events`,
 * `emails` and `executions`. Throws CONTACT_NOT_FOUND before the first piece.
 */
export async function exportContact(
  ctx: Context,
  projectId: string,
  contactId: string,
): Promise<AsyncGenerator<string>> {
  const contact = await getContact(ctx, projectId, contactId);
  const [suppression, segments] = await Promise.all([
    q.contactExport.suppression(ctx, { projectId, contactId }),
    segmentsOf(ctx, projectId, contactId),
  ]);
  return piecesOf(ctx, projectId, contactId, { exportedAt: ctx.now(), contact, suppression, segments });
}

async function* piecesOf(
  ctx: Context,
  projectId: string,
  contactId: string,
  about: object,
): AsyncGenerator<string> {
  const of = { projectId, contactId };
  yield `${JSON.stringify(about).slice(0, -1)},"events":[`;
  yield* listOf(EVENTS, (last: { name: string; id: string } | null, limit) =>
    q.contactExport.events(ctx, { ...of, afterName: last?.name ?? null, afterId: last?.id ?? null, limit }),
  );
  yield '],"emails":[';
  yield* listOf(MAILS, (last: { id: string } | null, limit) =>
    q.contactExport.emails(ctx, { ...of, afterId: last?.id ?? null, limit }),
  );
  yield '],"executions":[';
  yield* listOf(EXECUTIONS, (last: { id: string } | null, limit) =>
    q.contactExport.executions(ctx, { ...of, afterId: last?.id ?? null, limit }),
  );
  yield "]}\n";
}

/** The rows of all pages, with commas between them. */
async function* listOf<Place, Row extends Place>(
  limit: number,
  read: (last: Place | null, limit: number) => Promise<Row[]>,
): AsyncGenerator<string> {
  let last: Place | null = null;
  for (;;) {
    const rows = await read(last, limit);
    if (rows.length > 0) yield (last === null ? "" : ",") + rows.map((row) => JSON.stringify(row)).join(",");
    if (rows.length < limit) return;
    last = rows.at(-1)!;
  }
}
