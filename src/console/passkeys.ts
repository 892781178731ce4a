// Passkeys, as the browser has them (WebAuthn): made, and asked for.
import type { PasskeyAssertion, PasskeyOptions, PasskeyRegistration } from "./api.gen.ts";

/** Whether the browser has them, and reads the JSON of the service. */
export const canUsePasskeys =
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

/** Has the browser make a passkey. Throws an error with a sentence for people if there is none. */
export async function makePasskey(options: PasskeyOptions): Promise<PasskeyRegistration> {
  const json = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  return await told(json.rp.id, async () => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(json);
    return await navigator.credentials.create({ publicKey });
  });
}

/** Has the browser answer with a passkey. Throws as {@linkcode makePasskey} does. */
export async function answerWithPasskey(options: PasskeyOptions): Promise<PasskeyAssertion> {
  const json = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  return await told(json.rpId, async () => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
    return await navigator.credentials.get({ publicKey });
  });
}

async function told<T>(host: string | undefined, ask: () => Promise<Credential | null>): Promise<T> {
  try {
    const credential = (await ask()) as PublicKeyCredential;
    return credential.toJSON() as T;
  } catch (error) {
    throw new Error(reasonOf(error, host), { cause: error });
  }
}

function reasonOf(error: unknown, host = ""): string {
  const { name, message } = error as Error;
  // The browser does not say which of the two it was.
  if (name === "NotAllowedError" || name === "AbortError")
    return "No passkey was given: it was cancelled, or took too long";
  if (name === "InvalidStateError") return "This device already has a passkey for your account";
  if (name === "SecurityError") return `Passkeys belong to ${host}: open the console there`;
  if (name === "NotSupportedError") return "This device cannot create the required kind of passkey";
  return message;
}
