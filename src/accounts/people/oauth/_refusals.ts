// What goes wrong at a provider, as a refusal for people and in words for the log.
import { AuthorizationResponseError, ResponseBodyError } from "openid-client";
import { type Problem, problems } from "../../../problem/mod.ts";
import type { Provider } from "./providers.ts";

/** What providers call a code that was used before, is too old or was made up. */
const USED_CODE = ["invalid_grant", "bad_verification_code"];

const MAX_CAUSES = 4;

/** Does what needs the provider; any failure becomes a refusal. Its cause is for the log. */
export async function told<T>(provider: Provider, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const word = wordOf(error);
    const refusal = refusalFor(provider, error, word);
    refusal.cause = new Error(
      `${provider.name}: ${[...messagesOf(error), ...(word ? [word] : [])].join(": ")}`,
    );
    throw refusal;
  }
}

function refusalFor({ title }: Provider, error: unknown, word: string | null): Problem {
  if (error instanceof AuthorizationResponseError && word === "access_denied") {
    return problems.signInDeclined(title);
  }
  return USED_CODE.includes(word ?? "") ? problems.signInStale() : problems.signInFailed(title);
}

/** The provider's own word for what is wrong, such as `invalid_client`. GitHub sends it with status 200. */
function wordOf(error: unknown): string | null {
  for (const cause of causesOf(error)) {
    const { body } = (cause.cause ?? {}) as { body?: { error?: unknown } };
    const isAnswer = cause instanceof AuthorizationResponseError || cause instanceof ResponseBodyError;
    const word = isAnswer ? cause.error : body?.error;
    if (typeof word === "string" && /^[\w.-]{1,60}$/.test(word)) return word;
  }
  return null;
}

function messagesOf(error: unknown): string[] {
  const causes = causesOf(error);
  // A parser's message may quote a response, which does not belong in a log.
  return causes.map((cause) => (cause instanceof SyntaxError ? cause.name : cause.message));
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let next = error; next instanceof Error && causes.length < MAX_CAUSES; next = next.cause)
    causes.push(next);
  return causes;
}
