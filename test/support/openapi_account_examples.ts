// Examples of an account in the OpenAPI document: what a person does with it, an app and a passkey included. What comes in a
// mail is written down here.
import { Secret, TOTP } from "otpauth";
import { createAuthenticator } from "./authenticator.ts";
import type { Noter, Teller } from "./openapi_scenario.ts";
import type { TestService } from "./service.ts";

const STEP_MS = 30_000;

/** The account of the owner. */
interface Account {
  email: string;
  password: string;
}

/** The walk through the account of the owner. */
export async function accountWalk(tell: Teller, service: TestService, account: Account): Promise<void> {
  const as = "person";
  await tell("updateCurrentUser", { as, body: { name: "Ada Lovelace" } });
  await tell("listSessions", { as });
  await tell("endOtherSessions", { as });
  await tell("reauthenticate", { as, body: { password: account.password } });
  await tell("changeEmail", { as, body: { email: "ada@example.org" } });
  await tell("withdrawEmailChange", { as });
  await tell("previewAccountDeletion", { as });
  await factors(tell, service, account);
  const { sessions } = await tell("listSessions", { as });
  const other = sessions.find(({ current }: { current: boolean }) => !current);
  await tell("endSession", { as, path: { id: other.id } });
}

/** An app and a passkey are added, used and taken away again. */
async function factors(tell: Teller, service: TestService, account: Account): Promise<void> {
  const as = "person";
  const device = createAuthenticator();
  const { secret } = await tell("beginAuthenticatorApp", { as });
  // A code works once, and that of the next step is taken already.
  const codeIn = (ms: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: service.now().getTime() + ms });
  await tell("confirmAuthenticatorApp", { as, body: { code: codeIn(0) } });
  await tell("renewRecoveryCodes", { as });
  const created = device.create(await tell("getPasskeyOptions", { as }));
  const { passkey } = await tell("addPasskey", { as, body: { name: "Laptop", passkey: created } });
  await tell("renamePasskey", { as, path: { id: passkey.id }, body: { name: "Phone" } });
  await tell("getReauthenticationOptions", { as });
  await tell("getTwoFactor", { as });
  const nobody = { as: "nobody" } as const;
  const login = await service.request("POST", "/auth/login", { body: account });
  const { challenge } = login.body.error.details;
  await tell("getTwoFactorPasskeyOptions", { ...nobody, body: { challenge } });
  await tell("answerTwoFactor", { ...nobody, body: { challenge, code: codeIn(STEP_MS) } });
  const assertion = device.get(await tell("getPasskeyLogInOptions", nobody));
  await tell("logInWithPasskey", { ...nobody, body: { passkey: assertion } });
  await tell("removePasskey", { as, path: { id: passkey.id } });
  await tell("removeAuthenticatorApp", { as });
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
}
