// A look at an SMTP server: everything that comes before a mail, and no mail.
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { parseConnectionUrl } from "nodemailer/lib/shared";
import { addressed, type AddressesOf, type SessionOptions } from "./_smtp_session.ts";

/** How far one comes with a server. */
export interface SmtpProbe {
  /** The step that failed. `null`: none. */
  failedAt: "connect" | "tls" | "login" | null;
  /** The reply of the server or the system. One line. */
  words: string;
  /** The code of the system or the mail library, such as `ECONNREFUSED`. */
  code: string;
  /** From STARTTLS or from the beginning. */
  isEncrypted: boolean;
  /** Whether the server offers STARTTLS, used or not. */
  offersTls: boolean;
  /** Whether it lets clients log in. */
  offersLogin: boolean;
  /** Whether the URL has a user, who was logged in unless that failed. */
  hasLogin: boolean;
}

type ConnectionError = Error & { code?: string | undefined; command?: string | undefined };

/** Connects to the server of `url` as the mailer does: greeting, EHLO, STARTTLS, AUTH. Never throws. */
export async function probeSmtp(
  url: string,
  timeoutMs: number,
  addressesOf?: AddressesOf,
): Promise<SmtpProbe> {
  const times = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  const options = { ...parseConnectionUrl(url), ...times, addressesOf } as SessionOptions;
  try {
    return await probe(await addressed(options));
  } catch (error) {
    return {
      failedAt: "connect",
      words: line((error as Error).message),
      code: "EDNS",
      isEncrypted: false,
      offersTls: false,
      offersLogin: false,
      hasLogin: options.auth !== undefined,
    };
  }
}

function probe(options: SessionOptions): Promise<SmtpProbe> {
  const connection = new SMTPConnection(options);
  const { auth, authMethod } = options;
  return new Promise((resolve) => {
    let seen = { isEncrypted: false, offersTls: false, offersLogin: false, hasLogin: auth !== undefined };
    let isOpen = false;
    let isSettled = false;
    const settle = (error: ConnectionError | null) => {
      if (isSettled) return;
      isSettled = true;
      const failedAt = error && (isOpen ? "login" : stepOf(error));
      resolve({ ...seen, failedAt, words: line(error?.message ?? ""), code: error?.code ?? "" });
      if (error) connection.close();
      else connection.quit();
    };
    connection.on("error", settle);
    connection.once("end", () => settle(new Error("The server has closed the connection")));
    connection.connect((error) => {
      if (error) return settle(error);
      isOpen = true;
      const { secure: isEncrypted, allowsAuth: offersLogin, lastServerResponse } = connection;
      const offersTls = isEncrypted || /^250[ -]STARTTLS\b/im.test(String(lastServerResponse));
      seen = { ...seen, isEncrypted, offersTls, offersLogin };
      if (!auth || !offersLogin) settle(null);
      else connection.login({ ...auth, method: authMethod ?? false }, settle);
    });
  });
}

function stepOf({ code, command, message }: ConnectionError): "connect" | "tls" {
  const isTls = code === "ETLS" || command === "STARTTLS" || /certificate|tls|ssl/i.test(message);
  return isTls ? "tls" : "connect";
}

function line(text: string): string {
  return text
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, 300)
    .toWellFormed();
}
