// Applications that submit mail over SMTP to a service under test.
import { afterEach } from "bun:test";
import nodemailer, { type SendMailOptions } from "nodemailer";
import type { Context } from "../../src/context.ts";
import type { SubmissionLimits } from "../../src/mail/submission_smtp.ts";
import { listenForSubmissions, type Submission } from "../../src/sending/submission/mod.ts";
import type { TestService } from "./service.ts";
import { connectSmtp, type SmtpClient } from "./smtp_client.ts";

/** What a client was told: the whole last reply. */
export type Told = string;

/** Servers and clients of a test; both end with it. */
export function useSubmission(service: TestService) {
  const running: Submission[] = [];
  const talking: SmtpClient[] = [];

  afterEach(async () => {
    for (const client of talking.splice(0)) client.end();
    await Promise.all(running.splice(0).map((server) => server.stop()));
  });

  const stage = {
    /** The ports of a server. */
    async listen(limits: Partial<SubmissionLimits> = {}, more: Partial<Context["config"]> = {}) {
      const config = { ...service.config, SUBMISSION_PORT: 0, ...more };
      const server = await listenForSubmissions({ ...service, config }, { goodbyeMs: 50, ...limits });
      running.push(server);
      return { port: server.ports.submissionPort!, tlsPort: server.ports.submissionTlsPort! };
    },
    /** Sends as the mail library does, in a connection of its own. */
    async send(port: number, key: string, message: SendMailOptions, options: object = {}): Promise<Told> {
      const transport = nodemailer.createTransport({
        host: "127.0.0.1",
        port,
        ignoreTLS: true,
        auth: { user: "postrider", pass: key },
        ...options,
      });
      try {
        return (await transport.sendMail(message)).response;
      } catch (error) {
        return (error as { response?: string }).response ?? String(error);
      } finally {
        transport.close();
      }
    },
    /** A connection, command by command, after its greeting. */
    async talk(port: number, host?: string): Promise<SmtpClient> {
      const client = connectSmtp(port, host);
      talking.push(client);
      await client.reply();
      await client.say("EHLO app.shop.example");
      return client;
    },
    /** The same, logged in. */
    async loggedIn(port: number, key: string): Promise<SmtpClient> {
      const client = await stage.talk(port);
      await client.say(`AUTH PLAIN ${Buffer.from(`\0any\0${key}`).toString("base64")}`);
      return client;
    },
  };
  return stage;
}
