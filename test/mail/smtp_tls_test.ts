// Mail over TLS, and behind a password.
import { describe, expect, test } from "bun:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { large, ready, sendMany, statesOf, useSmtp } from "./smtp_stage.ts";

const { mailerOf, after } = useSmtp();

describe("TLS and passwords", () => {
  interface Taken {
    secure: boolean;
    user: unknown;
    source: string;
  }

  /** A server that asks for `ada` and her password; `cut` after a message. */
  async function serveSecurely(options: SMTPServerOptions & { cut?: boolean }) {
    const taken: Taken[] = [];
    const server = new SMTPServer({
      disableReverseLookup: true,
      logger: false,
      closeTimeout: 50,
      onAuth: ({ username, password }, _, done) =>
        username === "ada@acme.test" && password === "p:w/d"
          ? done(null, { user: username })
          : done(new Error("No")),
      async onData(stream, session, done) {
        const source = await new Response(stream as unknown as ReadableStream).text();
        taken.push({ secure: session.secure, user: session.user, source });
        if (!options.cut) return done();
        for (const { _socket } of server.connections as Iterable<{ _socket: { destroy(): void } }>)
          _socket.destroy();
      },
      ...options,
    });
    server.on("error", () => {});
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    after(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.server.address() as { port: number };
    return { taken, address: `127.0.0.1:${port}` };
  }

  const login = "ada%40acme.test:p%3Aw%2Fd@";
  const trusting = "tls.rejectUnauthorized=false";
  const kinds = [
    ["STARTTLS", "smtp", {}],
    ["smtps", "smtps", { secure: true }],
  ] as const;

  test.each(kinds)("%s: mails leave encrypted, after a login", async (_, scheme, options) => {
    const { taken, address } = await serveSecurely(options);
    const mailer = mailerOf(`${scheme}://${login}${address}?${trusting}&maxConnections=2`);
    const handovers = await sendMany(mailer, 10);

    expect(statesOf(handovers)).toEqual({ accepted: 10 });
    expect(taken.map(({ secure, user }) => [secure, user])).toEqual(Array(10).fill([true, "ada@acme.test"]));
    expect(taken.map(({ source }) => source)).toContain(String(ready({ text: "mail 3" }).source));
  });

  test.each(kinds)("%s: a large mail arrives whole", async (_, scheme, options) => {
    const { taken, address } = await serveSecurely(options);
    const mail = large();
    const { state } = await mailerOf(`${scheme}://${login}${address}?${trusting}`).send(mail);

    expect(state).toBe("accepted");
    expect(taken[0]!.source === String(mail.source)).toBe(true);
  });

  test.each(kinds)(
    "%s: a large mail is given up when the server takes nothing more of it",
    async (_, scheme, options) => {
      const { address } = await serveSecurely({ ...options, onData: () => {} });
      const { state } = await mailerOf(`${scheme}://${login}${address}?${trusting}&socketTimeout=500`).send(
        large(),
      );

      expect(state).toBe("deferred");
    },
  );

  test.each(kinds)(
    "%s: a connection that is lost after a message leaves it in doubt",
    async (_, scheme, options) => {
      const { taken, address } = await serveSecurely({ ...options, cut: true });
      const { state } = await mailerOf(`${scheme}://${login}${address}?${trusting}`).send(ready());

      expect(state).toBe("in_doubt");
      expect(taken).toHaveLength(1);
    },
  );

  test.each(kinds)(
    "%s: a certificate that nobody vouches for says nothing about the mail",
    async (_, scheme, options) => {
      const { taken, address } = await serveSecurely(options);

      expect((await mailerOf(`${scheme}://${login}${address}`).send(ready())).state).toBe("unreached");
      expect(taken).toEqual([]);
    },
  );

  test("without STARTTLS a mail stays as it is where TLS is required", async () => {
    const { taken, address } = await serveSecurely({ disabledCommands: ["STARTTLS"], authOptional: true });
    const mailer = mailerOf(`smtp://${address}?requireTLS=true`);

    expect((await mailer.send(ready())).state).toBe("unreached");
    expect(taken).toEqual([]);
  });

  test.each(["PLAIN", "LOGIN", "CRAM-MD5"])(
    "a wrong password (%s) says nothing about the mail",
    async (authMethod) => {
      const { taken, address } = await serveSecurely({ authMethods: [authMethod] });
      const mailer = mailerOf(`smtp://ada%40acme.test:wrong@${address}?${trusting}&authMethod=${authMethod}`);

      expect((await mailer.send(ready())).state).toBe("unreached");
      expect(taken).toEqual([]);
    },
  );
});
