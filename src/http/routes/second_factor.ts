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
  description: "`details.challenge` of the log-in that returned `TWO_FACTOR_REQUIRED`.",
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
          summary: "Send the second factor; the response sets the session cookie",
          description:
            "Takes exactly one of `code`, `recoveryCode` and `passkey`. A challenge is valid for ten minutes and one log-in; codes and recovery codes can be used once. Codes of the 30 seconds before and after are accepted too. After ten failures within 15 minutes, no factor of the account is accepted, not even the right one, and its owner is notified by mail.",
        },
      },
    )
    .post("/two-factor/passkey-options", async ({ body }) => await passkeyOptionsOf(ctx, body.challenge), {
      body: ChallengeBody,
      response: answers(PasskeyOptions, { refusals: REFUSALS }),
      detail: {
        operationId: "getTwoFactorPasskeyOptions",
        summary: "Get the WebAuthn options for a passkey as the second factor",
        description:
          "For `navigator.credentials.get`, in the JSON form that `PublicKeyCredential.parseRequestOptionsFromJSON` takes.",
      },
    })
    .post("/passkey/options", async () => await answerOptions(ctx, null), {
      response: answers(PasskeyOptions, { refusals: REFUSALS }),
      detail: {
        operationId: "getPasskeyLogInOptions",
        summary: "Get the WebAuthn options for logging in with only a passkey",
        description:
          "For `navigator.credentials.get`, also with `mediation: conditional`. No address is required: the browser offers its passkeys for this service.",
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
          summary: "Log in with only a passkey; the response sets the session cookie",
          description:
            "Needs no password and no second step: the authenticator must have asked for a fingerprint or a PIN. Each assertion can be used once.",
        },
      },
    );
}

/** As the module takes it: the library reads the JSON of a passkey itself. */
export function asAnswer(given: { code?: string; recoveryCode?: string; passkey?: unknown }) {
  return { ...given, passkey: given.passkey as AuthenticationResponseJSON | undefined };
}
