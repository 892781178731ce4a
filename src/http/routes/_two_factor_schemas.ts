// What factors look like in requests and answers.
import { type TProperties, Type } from "@sinclair/typebox";
import { t } from "elysia";
import { type FieldError, problems } from "../../problem/mod.ts";
import { Data, Nullable, Text, Timestamp, Uuid, Words } from "../entry/schemas.ts";

/** The fields of a WebAuthn answer are base64url. */
const Encoded = Text({ maxLength: 20_000 });
const CredentialId = Text({ minLength: 1, maxLength: 1_400 });
const Kind = Words(["public-key"]);

/** What `navigator.credentials.get` has given, as its `toJSON` writes it. */
export const PasskeyAssertion = t.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: Kind,
    response: t.Object({
      clientDataJSON: Encoded,
      authenticatorData: Encoded,
      signature: Encoded,
      userHandle: t.Optional(Nullable(Encoded)),
    }),
    clientExtensionResults: t.Optional(Data),
    authenticatorAttachment: t.Optional(Nullable(Text({ maxLength: 100 }))),
  },
  {
    title: "PasskeyAssertion",
    description: "A `PublicKeyCredential` of `navigator.credentials.get`, as JSON.",
  },
);

/** What `navigator.credentials.create` has given. */
export const PasskeyRegistration = t.Object(
  {
    id: CredentialId,
    rawId: CredentialId,
    type: Kind,
    response: t.Object({
      clientDataJSON: Encoded,
      attestationObject: Encoded,
      transports: t.Optional(t.Array(Text({ maxLength: 100 }), { maxItems: 20 })),
    }),
    clientExtensionResults: t.Optional(Data),
    authenticatorAttachment: t.Optional(Nullable(Text({ maxLength: 100 }))),
  },
  {
    title: "PasskeyRegistration",
    description: "A `PublicKeyCredential` of `navigator.credentials.create`, as JSON.",
  },
);

/** One of these is given. */
export const FactorFields = {
  code: t.Optional(Text({ maxLength: 20, description: "Six digits of the authenticator app." })),
  recoveryCode: t.Optional(
    Text({ maxLength: 100, description: "One of the recovery codes; it works once." }),
  ),
  passkey: t.Optional(PasskeyAssertion),
};

/** For the document: an object with exactly one of these proofs, each a kind of its own. */
export function oneProofOf<T extends TProperties>(title: string, proofs: T, beside: TProperties = {}) {
  const kinds = Object.entries(Type.Required(t.Object(proofs)).properties as TProperties).map(
    ([name, proof]) =>
      t.Object({ ...beside, [name]: proof }, { title: title + name[0]!.toUpperCase() + name.slice(1) }),
  );
  return { title, oneOf: kinds };
}

/** What shows that it is you. */
type Proof = "password" | keyof typeof FactorFields;
type Proofs = Partial<Record<Proof, unknown>>;

/** What a second factor can be. */
const FACTORS = Object.keys(FactorFields) as Proof[];
/** What shows again who is logged in. */
const ALL_PROOFS: Proof[] = ["password", ...FACTORS];

/** The error where not exactly one of these proofs is given; one that its schema has refused was given. */
function exactlyOneOf(proofs: Proof[]) {
  return (body: Proofs, refused: ReadonlySet<string> = new Set()): FieldError[] => {
    const given = proofs.filter((proof) => body[proof] !== undefined || refused.has(proof));
    if (given.length === 1) return [];
    const message = `Expected exactly one of ${proofs.slice(0, -1).join(", ")} and ${proofs.at(-1)}`;
    return [{ field: given[1] ?? "code", code: given.length === 0 ? "required" : "custom", message }];
  };
}

export const exactlyOneFactor = exactlyOneOf(FACTORS);
export const exactlyOneProof = exactlyOneOf(ALL_PROOFS);

/** Throws 422 if not exactly one factor is given. */
export function assertOneFactor(body: Proofs): void {
  const errors = exactlyOneFactor(body);
  if (errors.length > 0) throw problems.invalid(errors);
}

/** Throws 422 if not exactly one proof is given. */
export function assertOneProof(body: Proofs): void {
  const errors = exactlyOneProof(body);
  if (errors.length > 0) throw problems.invalid(errors);
}

/** Options of WebAuthn, as JSON. What they consist of is for the browser. */
export const PasskeyOptions = t.Unsafe<object>({
  ...Data,
  title: "PasskeyOptions",
  description: "WebAuthn options for the browser, as JSON.",
});

export const Passkey = t.Object(
  { id: Uuid, name: t.String(), createdAt: Timestamp, lastUsedAt: Nullable(Timestamp) },
  { title: "Passkey" },
);

export const TwoFactor = t.Object(
  {
    enabled: t.Boolean({ description: "Log-in requires a second factor, because there is one." }),
    totp: Nullable(t.Object({ since: Timestamp })),
    passkeys: t.Array(Passkey),
    recoveryCodesLeft: t.Integer(),
    requiredBy: t.Array(t.Object({ id: Uuid, name: t.String() }), {
      description: "Your projects that require it.",
    }),
  },
  { title: "TwoFactor" },
);

export const RecoveryCodes = t.Array(t.String(), {
  description: "Each works once, in place of a factor. They are shown only in this response.",
});
