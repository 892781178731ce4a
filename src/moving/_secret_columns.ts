// Columns that only their installation can read, and images that may be elsewhere: they change on the way.
import { rotatedSecrets } from "../accounts/projects/webhook_secrets.ts";
import { linkKeyOf, seal, unseal } from "../accounts/secrets.ts";
import { findImage } from "../content/images/mod.ts";
import type { Context } from "../context.ts";
import type { Wrapping } from "./_passphrase.ts";

type Row = Record<string, unknown>;

/** What an export left out, and why. */
export interface LeftOut {
  what: string;
  why: string;
}

/** What a column of bytes is in JSON. */
const HEX = /^\\x/;

/** Changes the row of a table for the way, or leaves it out (null). Tables that are not here need no change. */
export const OUTWARD: Record<
  string,
  (ctx: Context, row: Row, wrapping: Wrapping, leftOut: LeftOut[]) => Promise<Row | null> | Row | null
> = {
  projects(ctx, row, wrapping, leftOut) {
    const id = row.id as string;
    const webhooks = opened(ctx, "webhook secrets", row.webhook_secret, [id]);
    if (row.webhook_secret !== null && webhooks === null) {
      leftOut.push({ what: "webhook secret", why: "it cannot be decrypted with this SECRET_KEY" });
    }
    return {
      ...row,
      webhook_secret: webhooks === null ? null : wrapping.wrap(webhooks, ["webhook secret", id]),
      link_keys: wrapping.wrap(JSON.stringify(linkKeysOf(ctx, id, row.link_keys)), ["link keys", id]),
    };
  },
  domains(ctx, row, wrapping, leftOut) {
    if (row.dkim_private_key === null) return row;
    const place = [row.project_id as string, row.id as string];
    const key = opened(ctx, "dkim keys", row.dkim_private_key, place);
    if (key !== null) return { ...row, dkim_private_key: wrapping.wrap(key, ["DKIM key", ...place]) };
    leftOut.push({ what: `DKIM key of ${row.domain}`, why: "it cannot be decrypted with this SECRET_KEY" });
    return { ...row, dkim_selector: null, dkim_public_key: null, dkim_private_key: null };
  },
  transports(ctx, row, wrapping, leftOut) {
    if (row.url === null) return row;
    const place = [row.project_id as string, row.id as string];
    const url = opened(ctx, "transports", row.url, place);
    if (url === null) {
      leftOut.push({ what: `transport ${row.name}`, why: "it cannot be decrypted with this SECRET_KEY" });
      return null;
    }
    const feedback = opened(ctx, "transports", row.feedback_secret, [...place, "feedback"]);
    return {
      ...row,
      url: wrapping.wrap(url, ["transport", ...place]),
      feedback_provider: feedback && row.feedback_provider,
      feedback_secret: feedback && wrapping.wrap(feedback, ["transport feedback", ...place]),
    };
  },
  webhooks(ctx, row, wrapping, leftOut) {
    const place = [row.project_id as string, row.id as string];
    const secrets = opened(ctx, "webhook secrets", row.secret, place);
    if (secrets === null) {
      const why = "it cannot be decrypted with this SECRET_KEY: rotate it";
      leftOut.push({ what: `secret of the webhook ${row.id}`, why });
    }
    const wrapped = secrets === null ? null : wrapping.wrap(secrets, ["webhook", ...place]);
    return { ...row, secret: wrapped, lease_id: null, lease_until: null };
  },
  async uploads(ctx, row, _wrapping, leftOut) {
    if (row.bytes !== null) return row;
    // One that never reached S3 is no image of anybody.
    if (row.stored_at === null) return null;
    const image = await findImage(ctx, row.key as string);
    if (image) return { ...row, size: image.bytes.length, bytes: `\\x${image.bytes.toString("hex")}` };
    leftOut.push({ what: `image ${row.key}`, why: "S3 does not have it" });
    return null;
  },
};

/** Changes the row of a table back, for the installation that it has come to. */
export const INWARD: Record<string, (ctx: Context, row: Row, wrapping: Wrapping) => Row> = {
  projects(ctx, row, wrapping) {
    const id = row.id as string;
    const unwrapped = (column: string, noun: string) =>
      row[column] === null ? null : wrapping.unwrap(row[column] as string, [noun, id]);
    const now = ctx.now().toISOString();
    return {
      ...row,
      webhook_secret: sealed(ctx, "webhook secrets", unwrapped("webhook_secret", "webhook secret"), [id]),
      link_keys: sealed(ctx, "project links", unwrapped("link_keys", "link keys"), [id]),
      // Nothing is done with it until it is complete, and its operator says so.
      disabled_at: row.disabled_at ?? now,
      disabled_reason: row.disabled_at === null ? "IMPORTED" : row.disabled_reason,
    };
  },
  domains(ctx, row, wrapping) {
    if (row.dkim_private_key === null) return row;
    const place = [row.project_id as string, row.id as string];
    const key = wrapping.unwrap(row.dkim_private_key as string, ["DKIM key", ...place]);
    return { ...row, dkim_private_key: sealed(ctx, "dkim keys", key, place) };
  },
  transports(ctx, row, wrapping) {
    if (row.url === null) return row;
    const place = [row.project_id as string, row.id as string];
    const url = wrapping.unwrap(row.url as string, ["transport", ...place]);
    const feedback = row.feedback_secret
      ? wrapping.unwrap(row.feedback_secret as string, ["transport feedback", ...place])
      : null;
    return {
      ...row,
      url: sealed(ctx, "transports", url, place),
      feedback_secret: sealed(ctx, "transports", feedback, [...place, "feedback"]),
    };
  },
  webhooks(ctx, row, wrapping) {
    const place = [row.project_id as string, row.id as string];
    const secrets =
      row.secret === null
        ? JSON.stringify(rotatedSecrets(ctx, null))
        : wrapping.unwrap(row.secret as string, ["webhook", ...place]);
    return { ...row, secret: sealed(ctx, "webhook secrets", secrets, place) };
  },
};

type SealedFor = "transports" | "webhook secrets" | "dkim keys" | "project links";

function opened(ctx: Context, purpose: SealedFor, column: unknown, place: string[]): string | null {
  if (typeof column !== "string" || !HEX.test(column)) return null;
  return unseal(ctx, purpose, Buffer.from(column.slice(2), "hex"), place);
}

function sealed(ctx: Context, purpose: SealedFor, secret: string | null, place: string[]): string | null {
  return secret === null ? null : `\\x${seal(ctx, purpose, secret, place).toString("hex")}`;
}

/** What links of a project may be signed with: the key that it has here, and those of where it was before. */
function linkKeysOf(ctx: Context, projectId: string, column: unknown): string[] {
  const before = opened(ctx, "project links", column, [projectId]);
  const own = linkKeyOf(ctx, projectId).toString("base64");
  return [own, ...(before === null ? [] : (JSON.parse(before) as string[])).filter((key) => key !== own)];
}
