import { readFileSync } from "node:fs";
import { isProduction } from "../config/mod.ts";
import { certificateFacts, readCertificate } from "../mail/certificate.ts";
import { type Check, failure, type Finding, ok, skipped, warning } from "./_findings.ts";

const DAY_MS = 86_400_000;
/** Renewals are due a month before the end, and often come some days later. */
const SOON_DAYS = 14;

/** Whether applications can submit mail over SMTP, as the settings say. */
export const submission: Check = {
  name: "submission",
  limitMs: 2_000,
  async look({ config, now }) {
    const { SUBMISSION_PORT, SUBMISSION_TLS_PORT, SUBMISSION_CERT_FILE, SUBMISSION_KEY_FILE } = config;
    const ports = [SUBMISSION_PORT, SUBMISSION_TLS_PORT].filter((port) => port !== undefined);
    if (ports.length === 0) return skipped("submission", "SMTP submission is off");
    if (SUBMISSION_CERT_FILE === undefined || SUBMISSION_KEY_FILE === undefined) {
      if (!config.SUBMISSION_ALLOW_PLAIN && !isProduction(config)) {
        return ok(
          "submission",
          "Applications on this machine can log in; others cannot, without a certificate",
        );
      }
      const message = config.SUBMISSION_ALLOW_PLAIN
        ? "API keys come over the network unencrypted: SUBMISSION_ALLOW_PLAIN is set, and there is no certificate"
        : "Only applications on this machine can log in: there is no certificate";
      const advice = "Set SUBMISSION_CERT_FILE and SUBMISSION_KEY_FILE to a certificate of this host.";
      return warning("submission", message, advice);
    }
    return judge(SUBMISSION_CERT_FILE, SUBMISSION_KEY_FILE, now(), ports.join(" and "));
  },
};

function judge(certFile: string, keyFile: string, now: Date, ports: string): Finding {
  const advice = `Check ${certFile} and ${keyFile}: the service reads them again within 30 seconds.`;
  try {
    const { cert } = readCertificate(readFileSync(certFile, "utf8"), readFileSync(keyFile, "utf8"));
    const { names, validTo } = certificateFacts(cert);
    const days = Math.floor((validTo.getTime() - now.getTime()) / DAY_MS);
    if (days < 0) return failure("submission", `The certificate for ${names} has expired`, advice);
    if (days < SOON_DAYS) {
      return warning("submission", `The certificate for ${names} expires in ${days} days`, advice);
    }
    return ok(
      "submission",
      `Port ${ports}, with a certificate for ${names} until ${validTo.toISOString().slice(0, 10)}`,
    );
  } catch (error) {
    return failure("submission", `The certificate cannot be used: ${(error as Error).message}`, advice);
  }
}
