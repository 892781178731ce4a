// /auth: the second step of a log-in, and logging in with a passkey alone. In the success envelope; options of WebAuthn are as
// browsers take them.
import { Elysia, t } from "elysia";
import { answerChallenge, logInWithPasskey, passkeyOptionsOf } from "../../accounts/people/admission.ts";
import { answerOptions, type AuthenticationResponseJSON } from "../../accounts/people/factors/passkeys.ts";
import type { Context } from "../../context.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { answers, Text } from "../entry/schemas.ts";
import { LoggedInAnswer } from "./_auth_schemas.ts";
import { openRoutes, giveSession } from "./_open_routes.ts";
import {
  assertOneFactor,
  exactlyOneFactor,
  FactorFields,
  oneProofOf,
  PasskeyAssertion,
  PasskeyOptions,
} from "./_two_factor_schemas.ts";

const REFUSALS = [400, 401, 413, 415, 422, 429];

const Challenge = Text({
  minLength: 1,
  maxLength: 200,
  description: "`details.challenge` of the log-in that was answered with `TWO_FACTOR_REQUIRED`.",
});

const ChallengeBody = t.Object({ challenge: Challenge }, { title: "ChallengeBody" });

const SecondFactorBody = documented(
  withRules(t.Object({ challenge: Challenge, ...FactorFields }), exactlyOneFactor),
  oneProofOf("SecondFactorBody", FactorFields, { challenge: Challenge }),
);

const PasskeyBody = t.Object({ passkey: PasskeyAssertion }, { title: "PasskeyLogInBody" });

/** The second half of a log-in: one factor has been shown. */
export function secondFactorRoutes(ctx: Context) {
  return new Elysia({ prefix: "/auth", detail: { security: [] } })
    .use(openRoutes(ctx))
    .post(
      "/two-factor",
      async ({ body: { challenge, ...answer }, visitor, set }) => {
        assertOneFactor(answer);
        return await giveSession(ctx, set, await answerChallenge(ctx, challenge, asAnswer(answer), visitor));
      },
      {
        body: SecondFactorBody,
        response: answers(LoggedInAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "answerTwoFactor",
          summary: "Give the second factor; the answer sets the session cookie",
          description:
            "With exactly one of `code`, `recoveryCode` and `passkey`. A challenge is good for ten minutes and one log-in; a code and a recovery code for one use. Codes of the 30 seconds before and after are taken too. After ten failures within 15 minutes no factor of the account is taken, not even the right one, and a mail tells its owner.",
        },
      },
    )
    .post("/two-factor/passkey-options", async ({ body }) => await passkeyOptionsOf(ctx, body.challenge), {
      body: ChallengeBody,
      response: answers(PasskeyOptions, { refusals: REFUSALS }),
      detail: {
        operationId: "getTwoFactorPasskeyOptions",
        summary: "What a browser needs to give a passkey as the second factor",
        description:
          "For `navigator.credentials.get`, in the JSON of `PublicKeyCredential.parseRequestOptionsFromJSON`.",
      },
    })
    .post("/passkey/options", async () => await answerOptions(ctx, null), {
      response: answers(PasskeyOptions, { refusals: REFUSALS }),
      detail: {
        operationId: "getPasskeyLogInOptions",
        summary: "What a browser needs to log in with a passkey alone",
        description:
          "For `navigator.credentials.get`, also with `mediation: conditional`. No address is needed: the browser offers the passkeys that it has for this service.",
      },
    })
    .post(
      "/passkey",
      async ({ body: { passkey }, visitor, set }) =>
        await giveSession(
          ctx,
          set,
          await logInWithPasskey(ctx, passkey as AuthenticationResponseJSON, visitor),
        ),
      {
        body: PasskeyBody,
        response: answers(LoggedInAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "logInWithPasskey",
          summary: "Log in with a passkey alone; the answer sets the session cookie",
          description:
            "Without a password, and without a second step: the authenticator has to have asked for a fingerprint or a PIN. Each answer counts once.",
        },
      },
    );
}

/** As the module takes it: the library reads the JSON of a passkey itself. */
export function asAnswer(given: { code?: string; recoveryCode?: string; passkey?: unknown }) {
  return { ...given, passkey: given.passkey as AuthenticationResponseJSON | undefined };
}
