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
          summary: "Log in; the response sets the session cookie",
          description:
            "With two-factor log-in, the response is 401 `TWO_FACTOR_REQUIRED` without a cookie: send `details.challenge` to `POST /auth/two-factor` with one of `details.methods`. Failures are counted per address and per network. Beyond the limit, the address or network is locked for up to 15 minutes, even for the right password.",
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
          summary: "Sign up; the response sets the session cookie",
          description:
            "A mail is sent to verify the address. With the token of an invitation the address counts as verified, and you join the project. If an account with this address exists but was never verified in one of its sessions, `password` must be the password of that account.",
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
          description: "The session ends on the server, too. Without a session, nothing happens.",
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
        description: "Always 200: `user` is null without a session, or if it has ended.",
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
          summary: "See what the link in an account mail is for",
          description:
            "Takes the token of a verification, a password reset, a change of address, “This was not me” or an invitation, without using it up. 400 if it was used or has expired: then request another mail.",
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
          summary: "Verify an address with the token from the mail",
          description:
            "This ends no session and changes no password. With a session of the account, it also joins the projects that the address is invited to, and uses up the token. Without one, the token stays valid for its hour; since somebody else may have created the account, the password, or a password reset by mail, is required before invitations are accepted.",
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
          summary: "Confirm a new address with the token from the mail",
          description:
            "With a session of the account, the token is enough. Without one, the password is required too, so that following a link cannot give one's address to somebody else's account. The new address counts as verified, so invitations to it are accepted, and links mailed to the old one stop working. 409 if the new address has an account by now.",
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
            "Also works if the address was verified in another browser: opening the link in a session of the account proves that the account belongs to the reader of the mail, who may then invite people and join projects.",
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
          summary: "Send a mail with a link for setting a new password",
          description: "The response is the same whether or not there is such an account.",
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
          summary: "Set a new password with the token from the mail; every session ends",
          description: "The token works once, within an hour. It also verifies the address.",
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
          description: "This session is kept. The old password is required.",
        },
      },
    )
    .post("/reauthenticate/passkey-options", async ({ user }) => await answerOptions(ctx, user.id), {
      response: answers(PasskeyOptions),
      detail: {
        operationId: "getReauthenticationOptions",
        summary: "Get the WebAuthn options for reauthenticating with a passkey",
        description:
          "For `navigator.credentials.get`, in the JSON form that `PublicKeyCredential.parseRequestOptionsFromJSON` takes.",
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
          summary: "Prove again that you are the holder of the account",
          description:
            "Takes the password, or one of the factors: a code of the app, a recovery code or a passkey. For ten minutes, the session may then change the address, change the ways to log in, or delete the account. Without a recent proof, these return 403 `REAUTHENTICATION_REQUIRED`; a recent log-in counts too, except for deleting the account. Failures count like those of a log-in.",
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
