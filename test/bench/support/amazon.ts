// Amazon SNS for a service that is not told of it: its certificate comes through a proxy, from a server of our own that
// has the right name, and an authority that the service is told to trust. Its own rules hold as they are.
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { makeCertificate } from "../../support/certificates.ts";

const HOST = "sns.eu-west-1.amazonaws.com";
const PATH = "/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem";

/** A running stand-in. */
export interface Amazon {
  certificateUrl: string;
  /** Signs, as SNS does. */
  key: CryptoKey;
  /** What a service needs to reach it. */
  environment: Record<string, string>;
  stop(): Promise<void>;
}

/** Starts a stand-in, which leaves the certificate of its authority in `dir`. */
export async function startAmazon(dir: string): Promise<Amazon> {
  const authority = { name: "Bench authority", ...makeCertificate({ name: "Bench authority" }) };
  const own = makeCertificate({ name: HOST, hosts: [HOST], issuer: authority });
  const signer = makeCertificate({ name: "sns.amazonaws.com", issuer: authority });
  const authorityFile = join(dir, "authority.pem");
  writeFileSync(authorityFile, authority.certificate);
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: own.certificate, key: own.key },
    fetch: () => new Response(signer.certificate),
  });
  const proxy = createServer((socket) => {
    socket.once("data", () => {
      const upstream = connect(server.port!, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on("error", () => socket.destroy());
      socket.on("error", () => upstream.destroy());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as { port: number };
  const pkcs8 = signer.privateKey.export({ type: "pkcs8", format: "der" });
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  return {
    certificateUrl: `https://${HOST}${PATH}`,
    key: await crypto.subtle.importKey("pkcs8", pkcs8, rsa, false, ["sign"]),
    environment: { HTTPS_PROXY: `http://127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: authorityFile },
    async stop() {
      proxy.close();
      await server.stop(true);
    },
  };
}
