// The settings of the servers that mail comes in by: reports from others, and messages of applications.
import { Type as t } from "@sinclair/typebox";

/** A name with a dot in it, as the DNS has it. */
export const HOST_PATTERN =
  "^([A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$";

const PORTS = { minimum: 0, maximum: 65535 };

/** A part of `Settings`. */
export const MailServerSettings = {
  INBOUND_HOST: t.Optional(
    t.String({
      pattern: HOST_PATTERN,
      expected: "a host name such as mail.example.com",
      description:
        "Host name at which other mail servers reach this installation: bounces are sent there. Left out: the host of `BASE_URL`.",
    }),
  ),
  INBOUND_SMTP_PORT: t.Optional(
    t.Integer({
      ...PORTS,
      description:
        "Port at which bounces and complaint reports are accepted as mail; the same in every process. Left out: they are not accepted, and go to the sender's own address.",
    }),
  ),
  SUBMISSION_PORT: t.Optional(
    t.Integer({
      ...PORTS,
      description:
        "Port at which applications submit mail over SMTP, usually 587: STARTTLS with the certificate below, the password is an API key. Left out: SMTP submission is off.",
    }),
  ),
  SUBMISSION_TLS_PORT: t.Optional(
    t.Integer({
      ...PORTS,
      description:
        "The same with TLS from the first byte, usually 465. It needs the certificate. Left out: there is no such port.",
    }),
  ),
  SUBMISSION_CERT_FILE: t.Optional(
    t.String({
      minLength: 1,
      description:
        "File with the certificate for both ports and its chain, in PEM. It is read again within 30 seconds when it changes.",
    }),
  ),
  SUBMISSION_KEY_FILE: t.Optional(
    t.String({ minLength: 1, description: "File with the private key of this certificate, in PEM." }),
  ),
  SUBMISSION_ALLOW_PLAIN: t.Boolean({
    default: false,
    description:
      "Whether other machines may log in at `SUBMISSION_PORT` without TLS, for a network that nobody else can listen to. If `false`, only this machine may.",
  }),
};
