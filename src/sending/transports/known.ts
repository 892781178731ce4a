// The transports as this process knows them: read again every few seconds, each with its connections. A mail asks nothing of
// the database for it.
import { type Context, perService } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { describeError } from "../../log.ts";
import { fieldsWrittenBy } from "../../mail/dkim.ts";
import { isDirect, readDirectUrl } from "../../mail/direct_url.ts";
import type { Mailer } from "../../mail/mailer.ts";
import { reasonForbidden, urlInUse } from "./direct.ts";
import { mailboxProvidersOf } from "./mailbox_providers.ts";
import { pacesOf } from "./paces.ts";
import { DEFAULT_TRANSPORT, INSTALLATION, type Routes, routesIn, SANDBOX_TRANSPORT } from "./routes.ts";
import { openUrl } from "./sealed.ts";
import type { Transport, TransportKind } from "./transport.ts";

/** What this process knows. */
export interface KnownTransports {
  /** Resolves when it has been read once; it is read again in the background. Rejects as long as it cannot be. */
  ready(): Promise<void>;
  /** Reads it again now. */
  refresh(): Promise<void>;
  readonly standard: Transport;
  /** For the mails of sandboxes, and for no others. */
  readonly sandbox: Transport;
  /** Those of a project that are in use, without the standard one. */
  of(projectId: string): readonly Transport[];
  /** Whether it has transports of its own, in use or not: then its mails go by no others. */
  hasOwn(projectId: string): boolean;
  byId(id: string): Transport | null;
  routesOf(projectId: string): Routes | null;
  /** Who keeps the mailboxes of a domain, as far as it is known now. */
  readonly providerOf: (domain: string) => string;
  /** Whether anything but the standard transport is in use. */
  readonly isPlain: boolean;
  all(): Iterable<Transport>;
  close(): void;
}

const REFRESH_MS = 5_000;

/** Of this process. */
export const transportsOf = perService((ctx): KnownTransports => new Transports(ctx));

type Row = Awaited<ReturnType<typeof q.transports.inUse>>[number];

class Transports implements KnownTransports {
  readonly standard: Transport;
  readonly providerOf: (domain: string) => string;
  readonly sandbox: Transport;
  private readonly ctx: Context;
  private readonly rows = new Map<string, { transport: Transport; made: string }>();
  private byProject = new Map<string, Transport[]>();
  private owners = new Set<string>();
  private routes = new Map<string, Routes>();
  private reading: Promise<void> | null = null;
  private readAt = -Infinity;
  private hasRead = false;

  constructor(ctx: Context) {
    this.ctx = ctx;
    this.providerOf = (domain) => mailboxProvidersOf(ctx).of(domain);
    this.standard = {
      ...UNLIMITED,
      id: DEFAULT_TRANSPORT,
      projectId: INSTALLATION,
      name: "Mail server of the installation",
      kind: kindOfSettings(ctx.config),
      mailer: ctx.mailer,
      direct: directIn(ctx.config.SMTP_URL ?? null),
      writesFields: fieldsWrittenBy(ctx.config.SMTP_URL),
    };
    this.sandbox = {
      ...UNLIMITED,
      id: SANDBOX_TRANSPORT,
      projectId: INSTALLATION,
      name: "Inbox of sandboxes",
      kind: "CAPTURE",
      mailer: ctx.openMailer?.({ kind: "CAPTURE", url: null, connections: null, isOwn: false }) ?? NO_INBOX,
      direct: null,
      writesFields: new Set(),
    };
  }

  get isPlain(): boolean {
    return this.owners.size === 0;
  }

  ready(): Promise<void> {
    const isOld = performance.now() - this.readAt > REFRESH_MS;
    if (isOld && !this.reading) {
      this.readAt = performance.now();
      this.reading = this.read().finally(() => (this.reading = null));
      this.reading.catch((error) => {
        this.ctx.log.warn("transports not read", describeError(error));
        if (!this.hasRead) this.readAt = -Infinity;
      });
    }
    return this.hasRead ? RESOLVED : (this.reading ?? RESOLVED);
  }

  async refresh(): Promise<void> {
    this.readAt = performance.now();
    await this.read();
  }

  of(projectId: string): readonly Transport[] {
    return this.byProject.get(projectId) ?? [];
  }

  hasOwn(projectId: string): boolean {
    return this.owners.has(projectId);
  }

  byId(id: string): Transport | null {
    if (id === SANDBOX_TRANSPORT) return this.sandbox;
    return id === DEFAULT_TRANSPORT ? this.standard : (this.rows.get(id)?.transport ?? null);
  }

  routesOf(projectId: string): Routes | null {
    return this.routes.get(projectId) ?? null;
  }

  *all(): Iterable<Transport> {
    yield this.standard;
    for (const { transport } of this.rows.values()) yield transport;
  }

  close(): void {
    for (const { transport } of this.rows.values()) transport.mailer.close();
    this.rows.clear();
    this.byProject.clear();
  }

  private async read(): Promise<void> {
    const [rows, routes] = await Promise.all([
      q.transports.inUse(this.ctx),
      q.transports.routes(this.ctx),
      pacesOf(this.ctx).refresh(),
    ]);
    const used = rows.filter(
      (row) => !row.isPaused && reasonForbidden(this.ctx, { ...row, isOwn: isOwn(row) }) === null,
    );
    const ids = new Set(used.map((row) => row.id));
    for (const [id, { transport }] of this.rows) {
      if (ids.has(id)) continue;
      this.rows.delete(id);
      transport.mailer.close();
    }
    for (const row of used) this.learn(row);
    this.owners = new Set(rows.map((row) => row.projectId));
    this.byProject = Map.groupBy(
      [...this.rows.values()].map((one) => one.transport),
      (one) => one.projectId,
    );
    this.routes = new Map(routes.map((row) => [row.projectId, routesIn(row.document)]));
    this.hasRead = true;
  }

  /** One whose address or number of connections has changed is opened again. */
  private learn(row: Row): void {
    const before = this.rows.get(row.id);
    const made = JSON.stringify([
      row.kind,
      row.url && Buffer.from(row.url).toString("base64"),
      row.connections,
    ]);
    const changing = {
      priority: row.priority,
      weight: row.weight,
      ratePerSecond: row.ratePerSecond,
      perDay: row.perDay,
      warmup:
        row.warmupLimits && row.warmupSince ? { since: row.warmupSince, limits: row.warmupLimits } : null,
      heldUntil: row.heldUntil?.getTime() ?? 0,
    };
    if (before?.made === made) {
      // With other limits there may be room left in the day.
      if (limitsOf(before.transport) !== limitsOf(changing)) before.transport.fullOn = null;
      return void Object.assign(before.transport, changing, { name: row.name });
    }
    const opened = this.open(row);
    if (!opened) return;
    before?.transport.mailer.close();
    const { id, projectId, name } = row;
    // What the earlier address was held for says nothing about this one.
    const heldUntil = row.heldUntil?.getTime() ?? 0;
    const transport = { id, projectId, name, ...opened, ...changing, heldUntil, fullOn: null };
    this.rows.set(id, { made, transport });
  }

  private open(row: Row): Pick<Transport, "kind" | "mailer" | "direct" | "writesFields"> | null {
    const kind = row.kind as TransportKind;
    const url = row.url && openUrl(this.ctx, row, row.url);
    const lost = row.url !== null && url === null;
    if (lost || !this.ctx.openMailer) {
      this.ctx.log.error(
        "a transport cannot be used: is this the SECRET_KEY that its address was encrypted with?",
        {
          transportId: row.id,
        },
      );
      return null;
    }
    const used = urlInUse(this.ctx, url, { kind, isOwn: isOwn(row) });
    const { connections } = row;
    const mailer = this.ctx.openMailer({ kind, url: used, connections, isOwn: isOwn(row) });
    return { kind, mailer, direct: directIn(used), writesFields: fieldsWrittenBy(url ?? undefined) };
  }
}

function directIn(url: string | null): Transport["direct"] {
  return url !== null && isDirect(url) ? readDirectUrl(url) : null;
}

/** Whether it is a project's, and not the installation's. */
function isOwn({ projectId }: Pick<Row, "projectId">): boolean {
  return projectId !== INSTALLATION;
}

function limitsOf({ perDay, warmup }: Pick<Transport, "perDay" | "warmup">): string {
  return JSON.stringify([perDay, warmup]);
}

function kindOfSettings({ SMTP_URL }: Context["config"]): TransportKind {
  if (SMTP_URL === undefined) return "CAPTURE";
  return isDirect(SMTP_URL) ? "DIRECT" : "SMTP";
}

/** As a transport that nobody has set limits for. */
const UNLIMITED = {
  priority: 100,
  weight: 1,
  ratePerSecond: null,
  perDay: null,
  warmup: null,
  heldUntil: 0,
  fullOn: null,
};

/** Where nothing can be opened, mails of sandboxes wait: they never take another way. */
const NO_INBOX: Mailer = {
  connections: 1,
  send: async () => ({ state: "deferred", response: "There is no inbox" }),
  reach: async () => null,
  close() {},
};

const RESOLVED = Promise.resolve();
