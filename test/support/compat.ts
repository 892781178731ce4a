// For tests of other providers' SDKs.
import PostalMime, { type Email } from "postal-mime";
import type { TestService } from "./service.ts";

/** The one mail that somebody has received, once all jobs are done. */
export async function mailOf(service: TestService, to: string): Promise<Email> {
  await service.runJobs();
  const mails = service.smtp.received.filter((mail) => mail.to.includes(to));
  if (mails.length !== 1) throw new Error(`${to} has ${mails.length} mails`);
  return await PostalMime.parse(mails[0]!.source);
}
