// /auth: how a person gets a session, and how it ends. In the success envelope.
import { Elysia } from "elysia";
import { changeEmail } from "../../accounts/people/email_change.ts";
import {
  changePassword,
  logIn,
  reauthenticate,
  requestPasswordReset,
  resetPassword,
} from "../../accounts/people/log_in.ts";
import { lookUpLink } from "../../accounts/people/links.ts";
import { answerOptions } from "../../accounts/people/factors/passkeys.ts";
import { endSession, findSession } from "../../accounts/people/sessions.ts";
import { requestVerification, signUp, verifyEmail } from "../../accounts/people/sign_up.ts";
import type { Context } from "../../context.ts";
import { parseAddress } from "../../mail/address.ts";
import { problems } from "../../problem/mod.ts";
import { authenticateUser } from "../entry/authenticate.ts";
import { authPageRoutes } from "../pages/auth_forms.ts";
import { assertOneProof, PasskeyOptions } from "./_two_factor_schemas.ts";
import {
  AccountLink,
  ChangeBody,
  ChangeEmailBody,
  Credentials,
  EmailBody,
  LoggedInAnswer,
  MessageAnswer,
  ReauthenticateBody,
  SessionAnswer,
  ResetBody,
  SignUpBody,
  SuccessAnswer,
  TokenBody,
  VerificationBody,
} from "./_auth_schemas.ts";
import { clientNetwork } from "../entry/client_network.ts";
import { openRoutes, giveSession } from "./_open_routes.ts";
import { asAnswer, secondFactorRoutes } from "./second_factor.ts";
import { answers } from "../entry/schemas.ts";
import { assertOwnPage, clearSessionCookie } from "../entry/session.ts";

const REFUSALS = [400, 413, 415, 422];

/** The endpoints of accounts, in the order of the specification's table. */
export function authRoutes(ctx: Context) {
  return new Elysia({ detail: { tags: ["Account"] } })
    .use(sessionRoutes(ctx))
    .use(currentSessionRoutes(ctx))
    .use(secondFactorRoutes(ctx))
    .use(mailRoutes(ctx))
    .use(passwordRoutes(ctx))
    .use(authPageRoutes(ctx));
}

function sessionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/auth", detail: { security: [] } })
    .use(openRoutes(ctx))
    .post(
      "/login",
      async ({ body, visitor, set }) => {
        return await giveSession(ctx, set, await logIn(ctx, credentialsOf(body), visitor));
      },
      {
        body: Credentials,
        response: answers(LoggedInAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "logIn",
          summary: "Log in; the answer sets the session cookie",
          description:
            "With two-factor log-in the answer is 401 `TWO_FACTOR_REQUIRED` and no cookie: `details.challenge` is answered with `POST /auth/two-factor`, by one of `details.methods`. Failures are counted for the address and for the network. Beyond the limit both are locked for up to 15 minutes, even for the right password.",
        },
      },
    )
    .post(
      "/signup",
      async ({ body, visitor, set }) => {
        const origin = { ...visitor, invitationToken: body.invitation };
        return await giveSession(ctx, set, await signUp(ctx, credentialsOf(body), origin));
      },
      {
        body: SignUpBody,
        response: answers(LoggedInAnswer, { refusals: [...REFUSALS, 409] }),
        detail: {
          operationId: "signUp",
          summary: "Sign up; the answer sets the session cookie",
          description:
            "A mail asks whether the address is yours. With the token of an invitation it counts as proven, and you join the project. Where an account was made with the address before, in a session of which it was never verified, `password` has to be that of the account.",
        },
      },
    )
    .get(
      "/logout",
      async ({ sessionId, set }) => {
        if (sessionId !== null) await endSession(ctx, sessionId);
        clearSessionCookie(ctx, set);
        return { success: true as const };
      },
      {
        response: answers(SuccessAnswer),
        detail: {
          operationId: "logOut",
          summary: "End the session, and clear its cookie",
          description: "The session ends on the server too. Without a session nothing happens.",
        },
      },
    );
}

/** Who is logged in, for pages that show themselves to strangers too. */
function currentSessionRoutes(ctx: Context) {
  return new Elysia({ prefix: "/auth", detail: { security: [] } }).use(openRoutes(ctx)).get(
    "/session",
    async ({ sessionId }) => {
      const session = sessionId === null ? null : await findSession(ctx, sessionId, null);
      if (!session) return { user: null };
      const { id, email, name, emailVerified, twoFactor } = session.user;
      return { user: { id, email, name, emailVerified, twoFactor }, expiresAt: session.expiresAt };
    },
    {
      response: answers(SessionAnswer, { refusals: [400, 429] }),
      detail: {
        operationId: "getSession",
        summary: "Who is logged in, if anybody",
        description: "200 in either case: `user` is null without a session, or where it has ended.",
      },
    },
  );
}

function mailRoutes(ctx: Context) {
  return new Elysia({ prefix: "/auth", detail: { security: [] } })
    .use(openRoutes(ctx))
    .post(
      "/link",
      async ({ body: { token }, sessionId }) => ({
        success: true as const,
        data: await lookUpLink(ctx, token, sessionId),
      }),
      {
        body: TokenBody,
        response: answers(AccountLink, { refusals: REFUSALS }),
        detail: {
          operationId: "lookUpAccountLink",
          summary: "See what the link of an account mail is about",
          description:
            "With the token of a verification, a password reset, a change of address, “This was not me” or an invitation, which stays as good as it is. 400 for one that was used or has expired: then ask for another mail.",
        },
      },
    )
    .post(
      "/verify-email",
      async ({ body: { token }, sessionId }) => {
        await verifyEmail(ctx, token, sessionId);
        return said("Your address is verified.");
      },
      {
        body: TokenBody,
        response: answers(MessageAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "verifyAccount",
          summary: "Verify an address with the token of the mail",
          description:
            "It ends no session and changes no password. The token stays good for its hour until it is used with a session of the account. With a session of that account it also joins the projects that the address is invited to. Without one somebody else may have made the account: it is asked for its password first, or for a new one by mail.",
        },
      },
    )
    .post(
      "/change-email",
      async ({ body: { token, password }, sessionId, network }) => {
        const { email } = await changeEmail(ctx, token, { sessionId, password, network });
        return said(`The address of the account is ${email} now.`);
      },
      {
        body: ChangeEmailBody,
        response: answers(MessageAnswer, { refusals: [...REFUSALS, 409] }),
        detail: {
          operationId: "confirmEmail",
          summary: "Give an account its new address, with the token of the mail",
          description:
            "In a session of the account the token is enough. Without one the password is needed too: nobody lends their address to the account of somebody else by following a link. The new address counts as proven, so invitations to it are accepted, and what was mailed to the old one is void. 409 where the new address has an account by now.",
        },
      },
    )
    .post(
      "/request-verification",
      async ({ body, sessionId, network, request }) => {
        const email =
          body.email === undefined ? await ownAddress(ctx, sessionId, request) : addressOf(body.email);
        await requestVerification(ctx, email, network);
        return said(
          "If there is an account with this address that was not verified in a session of its own yet, a mail is on its way. The address may be verified already: with its link, opened where you are logged in, it is also known that the account is yours.",
        );
      },
      {
        body: VerificationBody,
        response: answers(MessageAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "requestVerification",
          summary: "Send the verification mail again",
          description:
            "Also where the address was verified in another browser: the link, opened in a session of the account, proves that the account belongs to who reads its mail. Then they may invite people, and join.",
        },
      },
    )
    .post(
      "/request-password-reset",
      async ({ body, network }) => {
        await requestPasswordReset(ctx, addressOf(body.email), network);
        return said("If there is an account with this address, a mail is on its way.");
      },
      {
        body: EmailBody,
        response: answers(MessageAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "requestPasswordReset",
          summary: "Send a mail with a link to set a new password",
          description: "The answer is the same whether or not there is such an account.",
        },
      },
    )
    .post(
      "/reset-password",
      async ({ body, network, set }) => {
        await resetPassword(ctx, body, network);
        clearSessionCookie(ctx, set);
        return said("Your password has been changed: log in with it.");
      },
      {
        body: ResetBody,
        response: answers(MessageAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "resetPassword",
          summary: "Set a new password with the token of the mail; every session ends",
          description: "The token is good for an hour, once. It proves the address too.",
        },
      },
    );
}

function passwordRoutes(ctx: Context) {
  return new Elysia({ prefix: "/auth", detail: { security: [{ session: [] }] } })
    .use(authenticateUser(ctx, { unverified: true }))
    .post(
      "/change-password",
      async ({ user, body, request, server }) => {
        await changePassword(ctx, user, body, clientNetwork(ctx, request, server));
        return said("Your password has been changed, and your other sessions have ended.");
      },
      {
        body: ChangeBody,
        response: answers(MessageAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "changePassword",
          summary: "Change the password; every other session ends",
          description: "The session that asks for it stays. The old password is needed.",
        },
      },
    )
    .post("/reauthenticate/passkey-options", async ({ user }) => await answerOptions(ctx, user.id), {
      response: answers(PasskeyOptions),
      detail: {
        operationId: "getReauthenticationOptions",
        summary: "What a browser needs to reauthenticate with a passkey",
        description:
          "For `navigator.credentials.get`, in the JSON of `PublicKeyCredential.parseRequestOptionsFromJSON`.",
      },
    })
    .post(
      "/reauthenticate",
      async ({ user, body, request, server }) => {
        assertOneProof(body);
        const { password, ...factor } = body;
        const proof = { password, ...asAnswer(factor) };
        await reauthenticate(ctx, user, proof, clientNetwork(ctx, request, server));
        return said("It is known that it is you, for ten minutes.");
      },
      {
        body: ReauthenticateBody,
        response: answers(MessageAnswer, { refusals: REFUSALS }),
        detail: {
          operationId: "reauthenticate",
          summary: "Show again that it is you who is logged in",
          description:
            "With the password of the account, or with one of its factors: a code of the app, a recovery code or a passkey. For ten minutes the session may then do what an open browser alone may not: change the address, change how people log in, or delete the account. Those answer 403 `REAUTHENTICATION_REQUIRED` where it is too long ago; having just logged in counts too, except for deleting the account. Failures are counted as those of a log-in.",
        },
      },
    );
}

async function ownAddress(ctx: Context, sessionId: string | null, request: Request): Promise<string> {
  if (sessionId === null) throw problems.missingAuth("session");
  const session = await findSession(ctx, sessionId, null);
  if (!session) throw problems.unauthorized();
  assertOwnPage(ctx, request);
  return session.user.email;
}

function said(message: string) {
  return { success: true as const, data: { message } };
}

function credentialsOf({ email, password }: { email: string; password: string }) {
  return { email: addressOf(email), password };
}

function addressOf(email: string): string {
  return parseAddress(email)!.email;
}
