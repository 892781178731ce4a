// A passkey authenticator in software: makes credentials and answers challenges as a device does (WebAuthn level 2, ES256).
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

interface Credential {
  id: Buffer;
  key: KeyObject;
  counter: number;
  userHandle: string;
}

/** What an answer may deviate in. */
export interface Deviation {
  origin?: string;
  rpId?: string;
  verified?: boolean;
  counter?: number;
  challenge?: string;
}

const UP = 0x01;
const UV = 0x04;
const AT = 0x40;

const sha256 = (data: Buffer | string) => createHash("sha256").update(data).digest();
const url = (data: Buffer) => data.toString("base64url");

/** A device of somebody, at this origin. */
export function createAuthenticator(origin = "http://localhost:3000", rpId = "localhost") {
  const credentials: Credential[] = [];

  const clientData = (type: string, challenge: string, at: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: at, crossOrigin: false }));

  const authenticatorData = (host: string, flags: number, counter: number, rest = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(host), Buffer.of(flags), count, rest]);
  };

  return {
    credentials,

    /** What `navigator.credentials.create` gives for these options. */
    // oxlint-disable-next-line typescript/no-explicit-any
    create(options: any, deviation: Deviation = {}) {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const id = randomBytes(32);
      credentials.push({ id, key: privateKey, counter: 0, userHandle: options.user.id });
      const { x, y } = publicKey.export({ format: "jwk" });
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      // COSE: {1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y}
      const cose = Buffer.concat([
        Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20),
        Buffer.from(x!, "base64url"),
        Buffer.of(0x22, 0x58, 0x20),
        Buffer.from(y!, "base64url"),
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cose]);
      const flags = UP | AT | (deviation.verified === false ? 0 : UV);
      const data = authenticatorData(deviation.rpId ?? rpId, flags, 0, attested);
      const size = Buffer.alloc(2);
      size.writeUInt16BE(data.length);
      // CBOR: {"fmt": "none", "attStmt": {}, "authData": …}
      const attestationObject = Buffer.concat([
        Buffer.of(0xa3, 0x63),
        Buffer.from("fmt"),
        Buffer.of(0x64),
        Buffer.from("none"),
        Buffer.of(0x67),
        Buffer.from("attStmt"),
        Buffer.of(0xa0, 0x68),
        Buffer.from("authData"),
        Buffer.of(0x59),
        size,
        data,
      ]);
      const challenge = deviation.challenge ?? options.challenge;
      return {
        id: url(id),
        rawId: url(id),
        type: "public-key",
        response: {
          clientDataJSON: url(clientData("webauthn.create", challenge, deviation.origin ?? origin)),
          attestationObject: url(attestationObject),
          transports: ["internal", "hybrid"],
        },
        clientExtensionResults: {},
      };
    },

    /** What `navigator.credentials.get` gives for these options, with the credential that was made last. */
    // oxlint-disable-next-line typescript/no-explicit-any
    get(options: any, deviation: Deviation = {}) {
      const credential = credentials.at(-1)!;
      credential.counter = deviation.counter ?? credential.counter + 1;
      const flags = UP | (deviation.verified === false ? 0 : UV);
      const data = authenticatorData(deviation.rpId ?? rpId, flags, credential.counter);
      const challenge = deviation.challenge ?? options.challenge;
      const client = clientData("webauthn.get", challenge, deviation.origin ?? origin);
      return {
        id: url(credential.id),
        rawId: url(credential.id),
        type: "public-key",
        response: {
          clientDataJSON: url(client),
          authenticatorData: url(data),
          signature: url(sign("sha256", Buffer.concat([data, sha256(client)]), credential.key)),
          userHandle: credential.userHandle,
        },
        clientExtensionResults: {},
      };
    },
  };
}
