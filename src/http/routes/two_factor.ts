// /users/@me/two-factor: the factors of the logged-in user. Bare resources. What changes them needs a recent proof.
import { Elysia, t } from "elysia";
import {
  addPasskey,
  MAX_PASSKEYS,
  registrationOptions,
  type RegistrationResponseJSON,
  removePasskey,
  renamePasskey,
} from "../../accounts/people/factors/passkeys.ts";
import { assertRecentProof } from "../../accounts/people/recent_proof.ts";
import { renewRecoveryCodes } from "../../accounts/people/factors/recovery_codes.ts";
import { beginTotp, confirmTotp, removeTotp } from "../../accounts/people/factors/totp.ts";
import { twoFactorOf } from "../../accounts/people/factors/mod.ts";
import { MAX_NAME } from "../../accounts/names.ts";
import type { Context } from "../../context.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateUser } from "../entry/authenticate.ts";
import { answers, isUuid, Nullable, PathId, Text } from "../entry/schemas.ts";
import {
  Passkey,
  PasskeyOptions,
  PasskeyRegistration,
  RecoveryCodes,
  TwoFactor,
} from "./_two_factor_schemas.ts";

const BY_SESSION = { detail: { tags: ["Account"], security: [{ session: [] }] } };
const PROOF = "Needs a recent proof: see `POST /auth/reauthenticate`.";

const Name = Text({
  minLength: 1,
  maxLength: MAX_NAME,
  description: "Your name for it.",
  examples: ["Laptop"],
});
const FirstCodes = t.Object({
  recoveryCodes: Nullable(RecoveryCodes),
});

/** The factors of an account. */
export function twoFactorRoutes(ctx: Context) {
  return new Elysia({ prefix: "/users/@me/two-factor", ...BY_SESSION })
    .use(appRoutes(ctx))
    .use(passkeyRoutes(ctx));
}

function appRoutes(ctx: Context) {
  return new Elysia()
    .use(authenticateUser(ctx))
    .get("/", async ({ user }) => await twoFactorOf(ctx, user.id), {
      response: answers(TwoFactor),
      detail: {
        operationId: "getTwoFactor",
        summary: "See the factors of your account",
        description: "Two-factor log-in is on while there is an authenticator app or a passkey.",
      },
    })
    .post(
      "/totp",
      async ({ session, user }) => {
        assertRecentProof(ctx, session);
        return await beginTotp(ctx, user);
      },
      {
        response: answers(
          t.Object({
            secret: t.String({ description: "In base32, for typing. Shown only once." }),
            uri: t.String({ description: "The same as `otpauth://…`, for a QR code." }),
          }),
        ),
        detail: {
          operationId: "beginAuthenticatorApp",
          summary: "Start adding an authenticator app",
          description: `Returns a secret for the app, which becomes active once a code confirms it, within an hour. An existing app stays active until then. The account's address must have been verified in one of its sessions. ${PROOF}`,
        },
      },
    )
    .post("/totp/confirm", async ({ user, body }) => await confirmTotp(ctx, user, body.code), {
      body: t.Object({ code: Text({ minLength: 1, maxLength: 20 }) }, { title: "ConfirmTotpBody" }),
      response: answers(FirstCodes, { refusals: [400, 409, 413, 415, 422] }),
      detail: {
        operationId: "confirmAuthenticatorApp",
        summary: "Confirm the authenticator app with its first code",
        description:
          "If it is the first factor, two-factor log-in is now on: your other sessions end, and ten recovery codes are shown once. You are notified by mail.",
      },
    })
    .delete(
      "/totp",
      async ({ session, user, set }) => {
        assertRecentProof(ctx, session);
        await removeTotp(ctx, user);
        set.status = 204;
      },
      {
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "removeAuthenticatorApp",
          summary: "Remove the authenticator app",
          description: `Without another factor, two-factor log-in is off, and the recovery codes stop working. ${PROOF}`,
        },
      },
    )
    .post(
      "/recovery-codes",
      async ({ session, user }) => {
        assertRecentProof(ctx, session);
        return { recoveryCodes: await renewRecoveryCodes(ctx, user) };
      },
      {
        response: answers(t.Object({ recoveryCodes: RecoveryCodes }), { refusals: [409] }),
        detail: {
          operationId: "renewRecoveryCodes",
          summary: "Create ten new recovery codes",
          description: `The previous ones stop working. 409 while two-factor log-in is off. ${PROOF}`,
        },
      },
    );
}

function passkeyRoutes(ctx: Context) {
  return new Elysia({ prefix: "/passkeys" })
    .use(authenticateUser(ctx))
    .post(
      "/options",
      async ({ session, user }) => {
        assertRecentProof(ctx, session);
        return await registrationOptions(ctx, user);
      },
      {
        response: answers(PasskeyOptions),
        detail: {
          operationId: "getPasskeyOptions",
          summary: "Get the WebAuthn options for creating a passkey",
          description: `For \`navigator.credentials.create\`, in the JSON form that \`PublicKeyCredential.parseCreationOptionsFromJSON\` takes. The account's address must have been verified in one of its sessions. ${PROOF}`,
        },
      },
    )
    .post(
      "/",
      async ({ user, body: { name, passkey }, set }) => {
        set.status = 201;
        return await addPasskey(ctx, user, { name, passkey: passkey as RegistrationResponseJSON });
      },
      {
        body: t.Object({ name: Name, passkey: PasskeyRegistration }, { title: "AddPasskeyBody" }),
        response: answers(t.Object({ passkey: Passkey, ...FirstCodes.properties }), {
          status: 201,
          refusals: [400, 409, 413, 415, 422],
        }),
        detail: {
          operationId: "addPasskey",
          summary: "Add the passkey that the browser has created",
          description: `If it is the first factor, two-factor log-in is now on, as with an authenticator app. Up to ${MAX_PASSKEYS}. You are notified by mail.`,
        },
      },
    )
    .patch(
      "/:id",
      async ({ user, params: { id }, body }) => await renamePasskey(ctx, user.id, passkeyId(id), body.name),
      {
        params: t.Object({ id: PathId }),
        body: t.Object({ name: Name }, { title: "PatchPasskeyBody" }),
        response: answers(Passkey, { refusals: [400, 404, 413, 415, 422] }),
        detail: {
          operationId: "renamePasskey",
          summary: "Rename a passkey",
          description: "Only its name can be changed.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ session, user, params: { id }, set }) => {
        assertRecentProof(ctx, session);
        await removePasskey(ctx, user, passkeyId(id));
        set.status = 204;
      },
      {
        params: t.Object({ id: PathId }),
        response: answers(t.Void(), { status: 204, refusals: [404] }),
        detail: {
          operationId: "removePasskey",
          summary: "Remove a passkey",
          description: `Without another factor, two-factor log-in is off, and the recovery codes stop working. ${PROOF}`,
        },
      },
    );
}

function passkeyId(id: string): string {
  if (!isUuid(id)) throw problems.notFound("passkey", id);
  return id.toLowerCase();
}
