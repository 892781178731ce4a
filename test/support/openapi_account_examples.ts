// Examples of an account in the OpenAPI document. What is a secret, or needs a device, is written down here.
import type { Noter, Teller } from "./openapi_scenario.ts";

const PASSKEY_ID = "mT3fU0aPzq8kXw1n";
const CHALLENGE = "QnokEJZmiQADl2cS4rnLcrPk";

const passkey = {
  id: "019aa8f0-1c00-7000-8000-000000000041",
  name: "Laptop",
  createdAt: "2026-11-22T08:00:00.000Z",
  lastUsedAt: null,
};
const recoveryCodes = ["4f8k-2mzt-9qwa-h3bn", "0c7d-x5rv-kp2e-6gys"];
const loggedIn = {
  success: true,
  data: { id: "019aa8f0-1c00-7000-8000-000000000025", email: "owner@example.com" },
};
const options = {
  rpId: "app.example.com",
  challenge: CHALLENGE,
  timeout: 600_000,
  userVerification: "required",
};
const assertion = {
  id: PASSKEY_ID,
  rawId: PASSKEY_ID,
  type: "public-key",
  response: {
    clientDataJSON: "eyJ0eXBlIjoi",
    authenticatorData: "SZYN5YgO",
    signature: "MEUCIQDx",
    userHandle: "AZqo8BwA",
  },
  clientExtensionResults: {},
};

/** The walk through the account of the owner, whose password is `password`. */
export async function accountWalk(tell: Teller, password: string): Promise<void> {
  const as = "person";
  await tell("updateCurrentUser", { as, body: { name: "Ada Lovelace" } });
  await tell("listSessions", { as });
  await tell("endOtherSessions", { as });
  await tell("reauthenticate", { as, body: { password } });
  await tell("changeEmail", { as, body: { email: "ada@example.org" } });
  await tell("withdrawEmailChange", { as });
  await tell("previewAccountDeletion", { as });
  await tell("getTwoFactor", { as });
}

/** What is written down. */
export function accountNotes(note: Noter): void {
  note(
    "confirmEmail",
    { success: true, data: { message: "The address of the account is ada@example.org now." } },
    {
      token: "Vb3mX0…",
    },
  );
  note(
    "lookUpAccountLink",
    {
      success: true,
      data: {
        purpose: "RESET_PASSWORD",
        email: "owner@example.com",
        newEmail: null,
        account: { verified: true, proven: true, hasPassword: true, own: false },
        invitation: null,
      },
    },
    { token: "Vb3mX0…" },
  );
  note("deleteCurrentUser", undefined);
  note("endSession", undefined);
  note("answerTwoFactor", loggedIn, { challenge: "kX9w2LrT…", code: "492039" });
  note(
    "getTwoFactorPasskeyOptions",
    { ...options, allowCredentials: [{ id: PASSKEY_ID, type: "public-key" }] },
    {
      challenge: "kX9w2LrT…",
    },
  );
  note("getReauthenticationOptions", {
    ...options,
    allowCredentials: [{ id: PASSKEY_ID, type: "public-key" }],
  });
  note("getPasskeyLogInOptions", options);
  note("logInWithPasskey", loggedIn, { passkey: assertion });
  note("beginAuthenticatorApp", {
    secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
    uri: "otpauth://totp/Postrider:owner%40example.com?issuer=Postrider&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30",
  });
  note("confirmAuthenticatorApp", { recoveryCodes }, { code: "492039" });
  note("removeAuthenticatorApp", undefined);
  note("renewRecoveryCodes", { recoveryCodes });
  note("getPasskeyOptions", {
    rp: { name: "Postrider", id: "app.example.com" },
    user: { id: "AZqo8BwA", name: "owner@example.com", displayName: "Ada Lovelace" },
    challenge: CHALLENGE,
    pubKeyCredParams: [{ alg: -7, type: "public-key" }],
    attestation: "none",
  });
  note(
    "addPasskey",
    { passkey, recoveryCodes: null },
    {
      name: "Laptop",
      passkey: {
        ...assertion,
        response: { clientDataJSON: "eyJ0eXBlIjoi", attestationObject: "o2NmbXRk", transports: ["internal"] },
      },
    },
  );
  note("renamePasskey", { ...passkey, name: "Phone" }, { name: "Phone" });
  note("removePasskey", undefined);
}
