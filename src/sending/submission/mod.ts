// Mail from applications that speak SMTP: a password that is an API key, a message that stays as it is, and a 250 once it is
// committed. Everything else is as with `POST /v1/send`.
import { watch } from "./_certificate.ts";
import { inboundHost } from "../../config/mod.ts";
import type { Context } from "../../context.ts";
import { newFairLine } from "../../fair_line.ts";
import { parseAddress } from "../../mail/address.ts";
import {
  type GivenMessage,
  startSubmissionSmtp,
  type SubmissionLimits,
  type SubmissionServer,
} from "../../mail/submission_smtp.ts";
import { problems } from "../../problem/mod.ts";
import { admitMessage, logInByKey, type Submitter } from "./_caller.ts";
import { inReplies } from "./_replies.ts";
import { takeMessage } from "./_message.ts";
import { tracedSubmission } from "./_traced.ts";

/** The ports that it listens on. */
export interface SubmissionPorts {
  submissionPort?: number;
  submissionTlsPort?: number;
}

/** The running servers. */
export interface Submission {
  ports: SubmissionPorts;
  /** Accepts no more messages, and resolves when those in progress are stored. */
  stop(): Promise<void>;
}

/** Of large messages so many are held at once, and so many of one project. */
const LARGE = { maxAtOnce: 6, maxOfOne: 2, maxWaiting: 300, maxWaitingOfOne: 100 };
/** Texts, and what is around the files. */
const TEXT_BYTES = 3 * 1_048_576;
/** Base64 with its line ends. */
const ENCODED = 1.37;

/** The largest message, in bytes: what the limit of attachments becomes in a message, and its texts. */
export function maxMessageBytes({ MAX_ATTACHMENT_SIZE_MB }: Context["config"]): number {
  return Math.ceil(MAX_ATTACHMENT_SIZE_MB * 1_048_576 * ENCODED) + TEXT_BYTES;
}

/**
 * Accepts messages on `SUBMISSION_PORT` and `SUBMISSION_TLS_PORT` until it is stopped. Rejects where it cannot listen, with
 * the name of the setting in `setting`, or where the certificate cannot be used.
 */
export async function listenForSubmissions(
  ctx: Context,
  limits: Partial<SubmissionLimits> = {},
): Promise<Submission> {
  const { config } = ctx;
  const certificate = watch(ctx);
  const servers: SubmissionServer[] = [];
  const ports: SubmissionPorts = {};
  const listen = async (setting: "SUBMISSION_PORT" | "SUBMISSION_TLS_PORT") => {
    const port = config[setting];
    if (port === undefined) return undefined;
    const server = await startSubmissionSmtp(
      partsOf(ctx),
      {
        host: config.HOST,
        port,
        isSecure: setting === "SUBMISSION_TLS_PORT",
        certificate: certificate.current ?? undefined,
        allowPlain: config.SUBMISSION_ALLOW_PLAIN,
      },
      { messageBytes: maxMessageBytes(config), ...limits },
    ).catch((error: Error) => {
      throw Object.assign(error, { setting });
    });
    servers.push(server);
    certificate.onChange((renewed) => server.renew(renewed));
    return server.port;
  };
  const stop = async () => {
    certificate.stop();
    await Promise.all(servers.map((server) => server.stop()));
  };
  try {
    const [submissionPort, submissionTlsPort] = [
      await listen("SUBMISSION_PORT"),
      await listen("SUBMISSION_TLS_PORT"),
    ];
    if (submissionPort !== undefined) ports.submissionPort = submissionPort;
    if (submissionTlsPort !== undefined) ports.submissionTlsPort = submissionTlsPort;
  } catch (error) {
    await stop();
    throw error;
  }
  return { ports, stop };
}

function partsOf(ctx: Context) {
  const line = newFairLine(LARGE, {
    ofAll: () => problems.busy("accept a large message"),
    ofOne: () => problems.busy("accept a large message", "of yours"),
  });
  const hostname = inboundHost(ctx.config) ?? new URL(ctx.config.BASE_URL).hostname;
  return {
    hostname,
    logIn: (password: string, network: string) => inReplies(ctx, () => logInByKey(ctx, password, network)),
    begin: (caller: Submitter) => inReplies(ctx, () => admitMessage(ctx, caller)),
    addressOf: (recipient: string) => parseAddress(recipient)?.email ?? null,
    inTurn: <T>(caller: Submitter, work: () => Promise<T>) =>
      inReplies(ctx, () => line(caller.projectId, work)),
    take: (given: GivenMessage<Submitter>) =>
      inReplies(ctx, () => tracedSubmission(given, () => takeMessage(ctx, hostname, given))),
  };
}
