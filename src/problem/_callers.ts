// Refusals because of the caller: who they are, what they pay for and what they may do.
import { Problem } from "./answer.ts";

export const callerProblems = {
  // 401
  missingAuth: (takes: "key" | "session" = "key") =>
    new Problem(
      401,
      "MISSING_AUTH",
      "Cannot authenticate: the Authorization header is missing or malformed",
      {
        suggestion:
          takes === "key"
            ? "Send the header Authorization: Bearer <API key>"
            : "Log in with POST /auth/login, and send its cookie: API keys are not accepted here",
      },
    ),

  invalidApiKey: (expected: "public" | "secret") =>
    new Problem(401, "INVALID_API_KEY", `Cannot authenticate: a valid ${expected} API key is required`, {
      suggestion: `Use the key of your project that starts with ${expected === "public" ? "pk_" : "sk_"}`,
    }),

  unknownApiKey: (kind: "public" | "secret") =>
    new Problem(401, "INVALID_API_KEY", `Cannot authenticate: no project has this ${kind} key`, {
      suggestion: "It may have been regenerated or revoked: use a current key of the project",
    }),

  expiredApiKey: (name: string) =>
    new Problem(401, "INVALID_API_KEY", `Cannot authenticate: the key "${name}" has expired`, {
      suggestion: "Create another one, or change its expiry: PATCH /projects/:id/keys/:keyId",
    }),

  scopeMissing: (name: string, scopes: readonly string[], needed: string) =>
    new Problem(
      403,
      "FORBIDDEN",
      `Cannot do this with the key "${name}": its scopes are only ${scopes.join(", ")}`,
      {
        details: { scopes, needed },
        suggestion: `Use a key with the scope ${needed === "all" ? "all" : `${needed} or all`}`,
      },
    ),

  liveTakesAll: (what: string, scopes: readonly string[]) =>
    new Problem(403, "FORBIDDEN", `Cannot change this with the scope write: ${what}`, {
      details: { scopes, needed: "all" },
      suggestion: "Use a key with the scope all, or change it before it is live",
    }),

  /** The session of the cookie has ended, or the cookie is not ours. */
  unauthorized: () =>
    new Problem(401, "UNAUTHORIZED", "Cannot authenticate: the session has ended", {
      suggestion: "Log in again with POST /auth/login",
    }),

  sessionRequired: () =>
    new Problem(401, "INVALID_API_KEY", "Cannot do this with an API key: a session is required", {
      suggestion: "Log in with POST /auth/login, and send its cookie",
    }),

  invalidCredentials: () =>
    new Problem(401, "INVALID_CREDENTIALS", "Cannot log in: the address or the password is wrong"),

  twoFactorRequired: (details: { challenge: string; expiresAt: Date; methods: string[] }) =>
    new Problem(401, "TWO_FACTOR_REQUIRED", "Cannot log in yet: a second factor is required", {
      details,
      suggestion:
        "Answer the challenge with POST /auth/two-factor, with a code, a passkey or a recovery code, within ten minutes",
    }),

  challengeOver: () =>
    new Problem(401, "UNAUTHORIZED", "Cannot continue this log-in: it has expired or is complete", {
      suggestion: "Log in again",
    }),

  wrongFactor: () =>
    new Problem(401, "INVALID_CREDENTIALS", "Cannot accept this factor: it is wrong or was used before", {
      suggestion: "Use the next code that the app shows, another passkey, or an unused recovery code",
    }),

  wrongFirstCode: () =>
    new Problem(422, "VALIDATION_ERROR", "Cannot confirm the authenticator app: the code is wrong", {
      errors: [{ field: "code", code: "custom", message: "Not the code that the app shows now" }],
      suggestion: "Check the clock of the device, and enter the code that the app shows now",
    }),

  badPasskey: () =>
    new Problem(
      422,
      "VALIDATION_ERROR",
      "Cannot accept this passkey: its response is invalid, too old or already used",
      {
        errors: [
          { field: "passkey", code: "custom", message: "Not a response to a challenge of this account" },
        ],
        suggestion: "Request new options, and try again",
      },
    ),

  factorUnreadable: () =>
    new Problem(
      500,
      "INTERNAL_SERVER_ERROR",
      "Cannot check this code: the secret of the app was encrypted with another SECRET_KEY",
      {
        suggestion:
          "Use a recovery code or a passkey, or ask the operator to run: bun run admin user two-factor-off",
      },
    ),

  confirmInSession: () =>
    new Problem(
      401,
      "MISSING_AUTH",
      "Cannot change the address from here without the password of the account",
      {
        suggestion: "Open the link where you are logged in to the account, or send its password",
      },
    ),

  metricsClosed: () =>
    new Problem(401, "MISSING_AUTH", "Cannot show the metrics: in production a METRICS_TOKEN is required", {
      headers: { "www-authenticate": "Bearer" },
      suggestion:
        "Set METRICS_TOKEN (16 characters or more) in every process, and send the header Authorization: Bearer <METRICS_TOKEN>",
    }),

  inboxPasswordRequired: () =>
    new Problem(401, "MISSING_AUTH", "Cannot show the inbox without its password", {
      suggestion: "Sign in with any user name and the SECRET_KEY as the password",
      headers: { "www-authenticate": 'Basic realm="Postrider inbox", charset="UTF-8"' },
    }),

  // 402
  billingLimitExceeded: (details: { category: string; limit: number; usage: number; resetsAt: Date }) =>
    new Problem(402, "BILLING_LIMIT_EXCEEDED", `Cannot exceed this month's limit: ${details.category}`, {
      details,
      suggestion: `Raise it with PUT /users/@me/projects/:id/billing-limits, or wait until ${details.resetsAt.toISOString()}`,
    }),

  metricsTokenRequired: () =>
    new Problem(401, "MISSING_AUTH", "Cannot show the metrics without their token", {
      headers: { "www-authenticate": "Bearer" },
      suggestion: "Send the header Authorization: Bearer <METRICS_TOKEN>",
    }),

  // 403
  otherHost: () =>
    new Problem(403, "FORBIDDEN", "Cannot show the inbox under this host name", {
      suggestion: "Open it at localhost, or set BASE_URL to the address in use",
    }),
  otherOrigin: () =>
    new Problem(403, "FORBIDDEN", "Cannot accept changes from a page of another origin", {
      suggestion: "With a session, send the header Origin with the address of this service or of a dashboard",
    }),

  forgedNotification: (reason: string) =>
    new Problem(403, "FORBIDDEN", `Cannot accept this notification: ${reason}`),

  projectDisabled: (reason: string | null) =>
    new Problem(
      403,
      "PROJECT_DISABLED",
      "Cannot do this: the project is disabled",
      reason ? { details: { reason } } : {},
    ),

  senderDomainNotVerified: (domain: string) =>
    new Problem(
      403,
      "INTERNAL_SERVER_ERROR",
      `Cannot send from ${domain}: the domain is not verified for this project`,
      {
        details: { reason: "SENDER_DOMAIN_NOT_VERIFIED", domain },
        suggestion: `Add ${domain} to the project's domains and publish its DNS records, or send from a verified domain`,
      },
    ),

  projectAccessDenied: (projectId: string) =>
    new Problem(403, "PROJECT_ACCESS_DENIED", "Cannot access this project: you are not a member of it", {
      details: { projectId },
    }),

  roleTooLow: (has: string, needed: string) =>
    new Problem(403, "FORBIDDEN", `Cannot do this with the role ${has}`, {
      details: { role: has, needed },
      suggestion: `Ask ${needed === "OWNER" ? "an owner" : "an owner or admin"} of the project`,
    }),

  twoFactorNeededHere: (projectId: string) =>
    new Problem(
      403,
      "TWO_FACTOR_SETUP_REQUIRED",
      "Cannot access this project: its owner requires two-factor log-in",
      {
        details: { projectId },
        suggestion:
          "Add an authenticator app (POST /users/@me/two-factor/totp) or a passkey to your account, then try again",
      },
    ),

  ownTwoFactorFirst: () =>
    new Problem(
      403,
      "TWO_FACTOR_SETUP_REQUIRED",
      "Cannot require two-factor log-in of others while your own account does not use it",
      {
        suggestion: "Add an authenticator app (POST /users/@me/two-factor/totp) or a passkey first",
      },
    ),

  proveAddressForFactors: () =>
    new Problem(
      403,
      "EMAIL_VERIFICATION_REQUIRED",
      "Cannot add a factor: the address of the account has not been verified in the browser that is logged in",
      {
        suggestion:
          "Follow the link in the verification mail in the browser in which you are logged in (request a new one with POST /auth/request-verification)",
      },
    ),

  reauthenticationRequired: () =>
    new Problem(403, "REAUTHENTICATION_REQUIRED", "Cannot do this without a recent proof of your identity", {
      suggestion:
        "Send the password or a factor again to POST /auth/reauthenticate, and repeat the request within ten minutes; without either, log in again",
    }),

  emailVerificationRequired: () =>
    new Problem(
      403,
      "EMAIL_VERIFICATION_REQUIRED",
      "Cannot continue: the address of the account is not verified",
      {
        suggestion:
          "Follow the link in the verification mail, or request a new one with POST /auth/request-verification",
      },
    ),

  mustProveAddress: () =>
    new Problem(
      403,
      "EMAIL_VERIFICATION_REQUIRED",
      "Cannot send invitations: the address of the account has not been verified in the browser that is logged in",
      {
        suggestion:
          "Log in and follow the link in the verification mail in the same browser (request a new one with POST /auth/request-verification), then invite people",
      },
    ),

  signupsClosed: () =>
    new Problem(403, "FORBIDDEN", "Cannot sign up: this installation is by invitation only"),

  signInDeclined: (provider: string) =>
    new Problem(403, "FORBIDDEN", `Cannot sign you in: the request was declined at ${provider}`),

  addressNotVerifiedThere: (provider: string) =>
    new Problem(
      403,
      "FORBIDDEN",
      `Cannot sign you in: ${provider} does not confirm that your address is verified`,
      { suggestion: "Verify your main address there, and try again" },
    ),

  otherProject: (projectId: string) =>
    new Problem(403, "PROJECT_ACCESS_DENIED", "Cannot use a project other than that of the API key", {
      details: { projectId },
      suggestion: "Leave out projectId, or use the key of that project",
    }),
};
