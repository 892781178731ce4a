// Private members of the mail library's SMTP connection that we need: its socket, once it is logged in, and what it has
// read of an incomplete reply. `test/mail/library_connection_test.ts` fails when an update changes either.
import type { Socket } from "node:net";
import type SMTPConnection from "nodemailer/lib/smtp-connection";

/** The socket, encrypted where TLS is used; null before there is one, and after the connection was closed. */
export function socketOf(connection: SMTPConnection): Socket | null {
  return (connection as unknown as { _socket: Socket | false | null })._socket || null;
}

/** What the server has sent and the library has not taken for a reply yet: a part of a line. */
export function unreadOf(connection: SMTPConnection): string {
  return (connection as unknown as { _remainder: string })._remainder;
}
