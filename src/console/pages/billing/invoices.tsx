// What was billed.
import { Anchor } from "@mantine/core";
import type { Invoice } from "../../api.gen.ts";
import { formatDay } from "../../parts/format.ts";
import { More } from "../../parts/more.tsx";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Failed, SkeletonLines } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { useProjectId } from "../../place.ts";
import { useApiPages } from "../../queries.ts";

export function Invoices() {
  const id = useProjectId();
  const list = useApiPages("GET /users/@me/projects/{id}/billing-invoices", {
    path: { id },
    query: { limit: 12 },
  });
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section title="Invoices" about={list.isSuccess && rows.length === 0 ? "There is none yet." : undefined}>
      {list.isPending && <SkeletonLines count={2} />}
      {list.isError && rows.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {rows.length > 0 && (
        <Rows label="Invoices">
          {rows.map((invoice) => (
            <InvoiceRow key={invoice.id} invoice={invoice} />
          ))}
        </Rows>
      )}
      <More query={list}>Show older ones</More>
    </Section>
  );
}

function InvoiceRow({ invoice }: { invoice: Invoice }) {
  const { number, status, amountDue, currency, createdAt, hostedUrl, pdfUrl } = invoice;
  const name = number ?? formatDay(createdAt);
  return (
    <Row
      name={name}
      badge={status && <Status status={status} tone={status === "paid" ? "fine" : "warn"} />}
      about={`${formatDay(createdAt)} · ${moneyOf(amountDue, currency)}`}
      actions={
        <>
          {hostedUrl && (
            <Anchor size="sm" href={hostedUrl} target="_blank" rel="noreferrer" aria-label={`Open ${name}`}>
              Open
            </Anchor>
          )}
          {pdfUrl && (
            <Anchor size="sm" href={pdfUrl} target="_blank" rel="noreferrer" aria-label={`${name} as PDF`}>
              PDF
            </Anchor>
          )}
        </>
      }
    />
  );
}

/** Amounts come in the smallest unit of the currency: cents, or yen. */
function moneyOf(amount: number, currency: string): string {
  const format = new Intl.NumberFormat(undefined, { style: "currency", currency: currency.toUpperCase() });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
}
