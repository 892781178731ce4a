// What the endpoints of an account take and answer.
import { t } from "elysia";
import { PASSWORD_LENGTH } from "../../accounts/people/passwords.ts";
import { documented } from "../entry/document.ts";
import { withRules } from "../entry/field_errors.ts";
import { exactlyOneProof, FactorFields, oneProofOf } from "./_two_factor_schemas.ts";
import { EmailAddress, Nullable, Text, Uuid, Timestamp, Words } from "../entry/schemas.ts";

const { min, max } = PASSWORD_LENGTH;

const Password = Text({ minLength: min, maxLength: max, description: `${min} to ${max} characters.` });
const Token = Text({ minLength: 1, maxLength: 200, description: "From the link in the mail." });

/** Address and password. */
export const Credentials = t.Object({ email: EmailAddress, password: Password }, { title: "Credentials" });

export const SignUpBody = t.Object(
  {
    ...Credentials.properties,
    invitation: t.Optional(
      Text({
        maxLength: 200,
        description: "The token of an invitation mail: it proves that the address is yours.",
      }),
    ),
  },
  { title: "SignUpBody" },
);

export const EmailBody = t.Object({ email: EmailAddress }, { title: "EmailBody" });

export const TokenBody = t.Object({ token: Token }, { title: "TokenBody" });

export const ResetBody = t.Object({ token: Token, newPassword: Password }, { title: "ResetPasswordBody" });

export const ChangeBody = t.Object(
  { password: Text({ maxLength: max }), newPassword: Password },
  { title: "ChangePasswordBody" },
);

export const VerificationBody = t.Object(
  {
    email: t.Optional(
      t.String({
        format: "email",
        description: "Default: the address of the session, which is then required.",
      }),
    ),
  },
  { title: "VerificationBody" },
);

export const ChangeEmailBody = t.Object(
  {
    token: Token,
    password: t.Optional(
      Text({
        maxLength: max,
        description: "The account's password; required unless the request has a session of the account.",
      }),
    ),
  },
  { title: "ChangeEmailBody" },
);

const Proofs = { password: t.Optional(Text({ maxLength: max })), ...FactorFields };

export const ReauthenticateBody = documented(
  withRules(t.Object(Proofs), exactlyOneProof),
  oneProofOf("ReauthenticateBody", Proofs),
);

/** Get the logged-in user now. */
export const LoggedInAnswer = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({ id: Uuid, email: t.String() }),
  },
  { title: "LoggedInAnswer" },
);

/** Who is logged in. */
export const SessionAnswer = t.Object(
  {
    user: t.Union([
      t.Object(
        {
          id: Uuid,
          email: t.String(),
          name: Nullable(t.String()),
          emailVerified: t.Boolean(),
          twoFactor: t.Boolean({ description: "Log-in requires a second factor." }),
        },
        { title: "SessionUser" },
      ),
      t.Null(),
    ]),
    expiresAt: t.Optional(Timestamp),
  },
  { title: "Session" },
);

/** What a link of a mail is about. */
export const AccountLink = t.Object(
  {
    success: t.Literal(true),
    data: t.Object(
      {
        purpose: Words(["VERIFY_EMAIL", "RESET_PASSWORD", "REMOVE_ACCOUNT", "CHANGE_EMAIL", "INVITATION"]),
        email: t.String({ description: "The address of the account, or the invited one." }),
        newEmail: Nullable(t.String({ description: "The new address, for `CHANGE_EMAIL`." })),
        account: Nullable(
          t.Object(
            {
              verified: t.Boolean(),
              proven: t.Boolean({ description: "The same as the user's `emailProven`." }),
              hasPassword: t.Boolean(),
              own: t.Boolean({ description: "The request has a session of this account." }),
            },
            { description: "Null for an invitation to an address without an account." },
          ),
        ),
        invitation: Nullable(
          t.Object({
            projectId: Uuid,
            project: t.String({ description: "Its name." }),
            role: Words(["OWNER", "ADMIN", "MEMBER"]),
          }),
        ),
      },
      { title: "AccountLink" },
    ),
  },
  { title: "AccountLinkAnswer" },
);

export const MessageAnswer = t.Object(
  {
    success: t.Literal(true),
    data: t.Object({ message: t.String() }),
  },
  { title: "Done" },
);

export const SuccessAnswer = t.Object({ success: t.Literal(true) }, { title: "SuccessAnswer" });
