// Who submits: an API key that may send, looked up again for each message, as for each request.
import { takeAttempt } from "../../accounts/people/login_limits.ts";
import { takeRequest } from "../../accounts/limits.ts";
import { assertUnexpired, projectByKey } from "../../accounts/projects/keys.ts";
import { assertScope } from "../../accounts/projects/scopes.ts";
import type { Context } from "../../context.ts";
import { smtpReply } from "../../mail/smtp_reply.ts";
import { Problem, problems } from "../../problem/mod.ts";

/** Somebody who has logged in. */
export interface Submitter {
  projectId: string;
  key: string;
}

/**
 * Logs in with a key. A wrong one counts against its network, as a failed log-in does: when there were too many, the connection is
 * ended. A right one is never locked out: nobody can guess a key, and neighbours share networks.
 */
export async function logInByKey(ctx: Context, password: string, network: string): Promise<Submitter> {
  const key = password.trim();
  try {
    return { key, projectId: await projectOf(ctx, key) };
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw loginReply(error);
    await takeAttempt(ctx, { keysFrom: network }).catch((locked: unknown) => {
      if (locked instanceof Problem) throw smtpReply(421, "4.7.0", "Too many wrong keys from your network");
      throw locked;
    });
    throw loginReply(error);
  }
}

/** Whether the key may send a message now. Takes one request from the minute of the project. */
export async function admitMessage(ctx: Context, { key }: Submitter): Promise<void> {
  await takeRequest(ctx, await projectOf(ctx, key));
}

async function projectOf(ctx: Context, key: string): Promise<string> {
  const { id, named, disabled, disabledReason } = await projectByKey(ctx, "secret", key);
  if (named) assertUnexpired(ctx, named);
  if (named) assertScope(named.name, named.scopes, "POST", "/v1/send");
  if (disabled) throw problems.projectDisabled(disabledReason);
  return id;
}

/** A key that may not do this is, to a client, a login that is not accepted. */
function loginReply(error: unknown): unknown {
  return error instanceof Problem && (error.status === 401 || error.status === 403)
    ? smtpReply(
        535,
        "5.7.8",
        `${error.message.replace(/[^ -~]+/g, "?")}. The password is an API key with the scope send`,
      )
    : error;
}
