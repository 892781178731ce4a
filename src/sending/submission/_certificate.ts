// The certificate of the server. The files are read again when they have changed: whatever renews them need not know about us.
import { readFileSync, statSync } from "node:fs";
import type { Context } from "../../context.ts";
import { describeError } from "../../log.ts";
import type { Certificate } from "../../mail/submission_smtp.ts";
import { readCertificate } from "../../mail/certificate.ts";

/** A certificate, and who is told when it is another one. */
interface WatchedCertificate {
  /** Null where there is none. */
  current: Certificate | null;
  onChange(tell: (certificate: Certificate) => void): void;
  stop(): void;
}

const LOOK_MS = 30_000;

/** Reads the files of the settings, and then looks at them every 30 seconds. Throws where they cannot be used. */
export function watch({ config, log }: Context, lookMs = LOOK_MS): WatchedCertificate {
  const { SUBMISSION_CERT_FILE: certFile, SUBMISSION_KEY_FILE: keyFile } = config;
  if (certFile === undefined || keyFile === undefined) {
    return { current: null, onChange() {}, stop() {} };
  }
  const files = [certFile, keyFile];
  const listeners: ((certificate: Certificate) => void)[] = [];
  const changed = () =>
    files.map((file) => statSync(file)).map(({ mtimeMs, size, ino }) => `${mtimeMs} ${size} ${ino}`);
  let seen = changed().join(" ");
  const current = readCertificate(readFileSync(certFile, "utf8"), readFileSync(keyFile, "utf8"));
  const look = () => {
    try {
      const now = changed().join(" ");
      if (now === seen) return;
      const renewed = readCertificate(readFileSync(certFile, "utf8"), readFileSync(keyFile, "utf8"));
      for (const tell of listeners) tell(renewed);
      seen = now;
      log.info("the certificate of the submission server was read again");
    } catch (error) {
      // One of the two files may not be there yet, or not whole: the old ones are good until then.
      log.warn("the certificate of the submission server cannot be read again", describeError(error));
    }
  };
  const timer = setInterval(look, lookMs);
  timer.unref();
  return {
    current,
    onChange: (tell) => void listeners.push(tell),
    stop: () => clearInterval(timer),
  };
}
