// The transports of the installation, as its projects see them: by name, without addresses, limits and reasons.
import type { Context } from "../../context.ts";
import { q } from "../../db/queries.ts";
import { transportsOf } from "./known.ts";
import { listTransports, type TransportState } from "./records.ts";
import { getRoutes } from "./route_documents.ts";
import type { TransportKind } from "./transport.ts";
import { DEFAULT_TRANSPORT, INSTALLATION } from "./routes.ts";

/** A transport that belongs to nobody in particular. */
export interface SharedTransport {
  /** What a rule calls it: `default` for the mail server of the settings. */
  id: string;
  name: string;
  kind: TransportKind;
  /** Null for `default`: each process knows by itself whether it reaches its mail server. */
  state: TransportState | null;
  /** Whether mails of this project may take it. */
  inUse: boolean;
}

/** Those that a project may name in its routes; without transports of its own, its mails take them anyway. */
export async function listSharedTransports(ctx: Context, projectId: string): Promise<SharedTransport[]> {
  const [all, own, { rules }] = await Promise.all([
    listTransports(ctx, INSTALLATION),
    q.transportSettings.list(ctx, { projectId, transportId: null, now: ctx.now() }),
    getRoutes(ctx, projectId),
  ]);
  const standard = transportsOf(ctx).standard;
  const named = new Set(rules.flatMap((rule) => rule.transports.map(({ id }) => id)));
  const hasOwn = own.length > 0;
  const isIdle = standard.kind === "CAPTURE" && all.length > 0;
  const shown = [
    {
      id: DEFAULT_TRANSPORT,
      name: standard.name,
      kind: standard.kind,
      state: null,
      inUse: !hasOwn && !isIdle,
    },
    ...all.map(({ id, name, kind, state }) => ({ id, name, kind, state, inUse: !hasOwn })),
  ];
  return shown.map((one) => ({ ...one, inUse: one.inUse || named.has(one.id) }));
}
