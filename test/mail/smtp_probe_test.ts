// How far one comes with an SMTP server, without a mail.
import { describe, expect, test } from "bun:test";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { probeSmtp } from "../../src/mail/smtp_probe.ts";
import { CUT, SILENCE } from "./scripted_server.ts";
import { useSmtp } from "./smtp_stage.ts";

const { serve, after } = useSmtp();
const LONG_MS = 10_000;
const SHORT_MS = 200;

async function serveSecurely(options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({ disableReverseLookup: true, logger: false, closeTimeout: 50, ...options });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return (server.server.address() as { port: number }).port;
}

describe("a probe", () => {
  test("says goodbye before any mail", async () => {
    const { url, steps } = await serve();
    const probe = await probeSmtp(url, LONG_MS);
    while (!steps.includes("QUIT" as never)) await Bun.sleep(5);

    expect(probe).toEqual({
      failedAt: null,
      words: "",
      code: "",
      isEncrypted: false,
      offersTls: false,
      offersLogin: false,
      hasLogin: false,
    });
    expect(steps.filter((step) => ["MAIL", "RCPT", "DATA"].includes(step))).toEqual([]);
  });

  test("logs in over STARTTLS, and over TLS from the beginning", async () => {
    const users: string[] = [];
    const onAuth: SMTPServerOptions["onAuth"] = ({ username }, _, done) => {
      users.push(username!);
      done(null, { user: username });
    };
    const trusting = "tls.rejectUnauthorized=false";
    const [later, first] = [await serveSecurely({ onAuth }), await serveSecurely({ onAuth, secure: true })];
    const probes = [
      await probeSmtp(`smtp://ada:x@127.0.0.1:${later}?${trusting}`, LONG_MS),
      await probeSmtp(`smtps://ada:x@127.0.0.1:${first}?${trusting}`, LONG_MS),
    ];

    const all = { failedAt: null, isEncrypted: true, offersTls: true, offersLogin: true, hasLogin: true };
    expect(probes).toEqual([expect.objectContaining(all), expect.objectContaining(all)]);
    expect(users).toEqual(["ada", "ada"]);
  });

  test.each([
    ["keeps silent", { greeting: SILENCE }, "connect"],
    ["hangs up", { greeting: CUT }, "connect"],
    ["refuses everybody", { greeting: "554 5.7.1 Go away" }, "connect"],
    ["cannot encrypt after all", { EHLO: "250-hi\r\n250 STARTTLS", STAR: "454 4.7.0 Not now" }, "tls"],
    ["refuses the login", { EHLO: "250-hi\r\n250 AUTH PLAIN", AUTH: "535 5.7.8 No" }, "login"],
    ["hangs up at the login", { EHLO: "250-hi\r\n250 AUTH PLAIN", AUTH: CUT }, "login"],
  ])("of a server that %s ends there, with its words", async (_, script, failedAt) => {
    const { url } = await serve(script as never);
    const probe = await probeSmtp(url.replace("//", "//ada:pw@"), SHORT_MS);

    expect(probe.failedAt).toBe(failedAt as never);
    expect(probe.words).not.toBe("");
    expect(probe.words).not.toContain("pw");
  });

  test("that speaks plainly to a server that expects TLS ends in time", async () => {
    const port = await serveSecurely({ secure: true });

    expect(await probeSmtp(`smtp://127.0.0.1:${port}`, SHORT_MS)).toMatchObject({ failedAt: "connect" });
  });
});
