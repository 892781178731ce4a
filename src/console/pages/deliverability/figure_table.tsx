// The figures of each provider, domain or transport, below each other to be compared.
import { Table } from "@mantine/core";
import type { DeliverabilityGroup } from "../../api.gen.ts";
import { formatNumber } from "../../parts/format.ts";
import { formatSeconds, LEVELS, providerName } from "./words.ts";
import classes from "./deliverability.module.css";

interface Props {
  groups: DeliverabilityGroup[];
  groupBy: "provider" | "domain" | "transport";
}

const HEADS = { provider: "Provider", domain: "Domain", transport: "Transport" };

export function FigureTable({ groups, groupBy }: Props) {
  const most = Math.max(...groups.map(({ mails }) => mails), 1);
  return (
    <Table
      fz="sm"
      horizontalSpacing="xs"
      aria-label={`Figures by ${HEADS[groupBy].toLowerCase()}`}
      className={classes.table!}
    >
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{HEADS[groupBy]}</Table.Th>
          <Table.Th ta="right">Deferred</Table.Th>
          <Table.Th ta="right">Bounced</Table.Th>
          <Table.Th ta="right">Spam</Table.Th>
          <Table.Th ta="right" className={classes.wide!}>
            TLS
          </Table.Th>
          <Table.Th ta="right" className={classes.wide!}>
            50 % within
          </Table.Th>
          <Table.Th ta="right" className={classes.wide!}>
            95 % within
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {groups.map((group) => (
          <GroupRow
            key={group.key}
            group={group}
            name={groupBy === "provider" ? providerName(group.name) : group.name}
            share={group.mails / most}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function GroupRow({ group, name, share }: { group: DeliverabilityGroup; name: string; share: number }) {
  const { mails, tlsRate, timeToAcceptance: time } = group;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={450}>
        <span className={classes.name}>{name}</span>
        <span className={classes.mails}>
          <span className={classes.bar} style={{ width: `${Math.max(share * 100, 2)}%` }} />
          {formatNumber(mails)}
        </span>
      </Table.Th>
      <Rate rate={group.deferralRate} count={group.deferred} level={LEVELS.deferralRate} />
      <Rate rate={group.bounceRate} count={group.bounced} level={LEVELS.bounceRate} />
      <Rate rate={group.complaintRate} count={group.complained} level={LEVELS.complaintRate} />
      <Table.Td ta="right" className={classes.wide!}>
        {tlsRate === null ? <span className={classes.none}>unknown</span> : `${formatNumber(tlsRate)} %`}
      </Table.Td>
      <Table.Td ta="right" className={classes.wide!}>
        {time ? formatSeconds(time.p50) : "–"}
      </Table.Td>
      <Table.Td ta="right" className={classes.wide!}>
        {time ? formatSeconds(time.p95) : "–"}
      </Table.Td>
    </Table.Tr>
  );
}

function Rate({ rate, count, level }: { rate: number; count: number; level: number }) {
  return (
    <Table.Td ta="right">
      <span className={classes.rate} data-bad={rate > level || undefined}>
        {formatNumber(rate)} %
      </span>
      <span className={classes.count}>{formatNumber(count)}</span>
    </Table.Td>
  );
}
