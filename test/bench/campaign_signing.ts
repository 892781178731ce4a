// What signatures cost a campaign: the same delivery from a domain that signs and from one that does not, in turns.
import { availableParallelism } from "node:os";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import { type DkimKey, dkimKeyOf, makeDkimKey } from "../../src/sending/dkim_keys.ts";
import { type CampaignDelivery, deliverAlone, deliverCampaign, recipientsOf } from "./campaign_delivery.ts";
import { addContacts } from "./support/campaigns.ts";
import { atLeast, type BenchOptions, exactly, median, type Report } from "./support/report.ts";
import { measureSignatures } from "./support/signatures_alone.ts";
import { startSinkProcess } from "./support/smtp_sink.ts";
import { DOMAIN, onStage, type Stage } from "./support/stage.ts";

/** 20,000 mails of 10 KB, as without signatures; RSA keys of 2,048 bits. */
export async function measureSigning(report: Report, options: BenchOptions): Promise<void> {
  const recipients = recipientsOf(options);
  const sink = await startSinkProcess();
  const [unsigned, signed]: CampaignDelivery[][] = [[], []];
  const alone: { rate: number; processorMs: number }[] = [];
  const bare: number[] = [];
  try {
    await onStage(async (stage) => {
      await addContacts(stage, recipients);
      const domainId = await makeKey(stage);
      for (let round = 0; round < options.rounds; round++) {
        await setSigning(stage, domainId, false);
        unsigned!.push(await deliverCampaign(stage, sink, recipients));
        const key = await setSigning(stage, domainId, true);
        signed!.push(await deliverCampaign(stage, sink, recipients));
        alone.push(await deliverAlone(sink, key!));
        bare.push(await measureSignatures());
      }
    });
  } finally {
    sink.stop();
  }
  const middle = <T>(results: T[], figure: (result: T) => number) => median(results.map(figure));
  const rates = (results: { rate: number }[]) => results.map(({ rate }) => Math.round(rate));
  const rate = middle(signed!, (result) => result.rate);
  const unsignedRate = middle(unsigned!, (result) => result.rate);
  const signaturesAlone = median(bare);
  report.line("campaign with signatures", rate, "mails/s", {
    ceiling: unsignedRate,
    note: { rounds: rates(signed!), unsigned: rates(unsigned!) },
  });
  report.line("the same, against what mails and signatures take one after the other", rate, "mails/s", {
    ceiling: 1 / (1 / unsignedRate + 1 / signaturesAlone),
    goal: atLeast(0.9),
    note: {
      signaturesAlone: Math.round(signaturesAlone),
      ofOneProcessor: Math.round(signaturesAlone / availableParallelism()),
    },
  });
  report.line("the same, against the mail library signing alone", rate, "mails/s", {
    ceiling: middle(alone, (result) => result.rate),
    note: { alone: rates(alone) },
  });
  report.line(
    "processor time a signed mail",
    middle(signed!, (result) => result.processorMs),
    "ms",
    {
      ceiling: middle(unsigned!, (result) => result.processorMs),
    },
  );
  report.line("not in the counters", Math.max(...signed!.map((result) => result.uncounted)), "mails", {
    goal: exactly(0),
  });
}

async function makeKey({ ctx, project }: Stage): Promise<string> {
  const { domainId } = await addVerifiedDomain(ctx, project.id, DOMAIN);
  await makeDkimKey(ctx, project.id, domainId);
  return domainId;
}

/** A domain signs once the DNS has been seen to hold its key. */
async function setSigning({ ctx, project }: Stage, domainId: string, isOn: boolean): Promise<DkimKey | null> {
  const seenAt = isOn ? new Date() : null;
  await ctx.pool`update domains set verified_at = ${seenAt} where id = ${domainId}`;
  const key = await dkimKeyOf(ctx, project.id, DOMAIN);
  if ((key !== null) !== isOn) throw new Error("Cannot turn signing on or off");
  return key;
}
