// What mailbox providers think of a project: bounces and complaints, with the levels that stop it.
import { Alert, Table } from "@mantine/core";
import type { Reputation, ReputationRates, ReputationThreshold } from "../api.gen.ts";
import { formatNumber } from "../parts/format.ts";
import { DoneIcon, WarningIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Row, Rows, Section, Sections } from "../parts/section.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status, type Tone } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useProject } from "../place.ts";
import { useApi } from "../queries.ts";

/** `/security`. */
export default function SecurityPage() {
  const { id } = useProject();
  const reputation = useApi("GET /projects/{id}/security", { path: { id } });
  return (
    <>
      <PageHeader
        title="Reputation"
        about="Mailbox providers watch how much of your mail bounces or is reported as spam. So does Postrider, and it can stop a project before they do."
      />
      <Loaded query={reputation}>{({ data }) => <Shown reputation={data} />}</Loaded>
    </>
  );
}

function Shown({ reputation }: { reputation: Reputation }) {
  const { status, levels, suspensions } = reputation;
  return (
    <Sections>
      <Standing reputation={reputation} />
      <Section
        title="Bounces and complaints"
        about={`The levels apply once there are ${formatNumber(levels.minimumMails)} mails.`}
      >
        <Table fz="sm" aria-label="Rates" layout="fixed" horizontalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th w="46%">Of all mails</Table.Th>
              <Table.Th ta="right">Last 7 days</Table.Th>
              <Table.Th ta="right">All time</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            <Table.Tr>
              <Table.Th scope="row" fw={450}>
                Mails
              </Table.Th>
              <Table.Td ta="right">{formatNumber(status.sevenDay.total)}</Table.Td>
              <Table.Td ta="right">{formatNumber(status.allTime.total)}</Table.Td>
            </Table.Tr>
            <RateRow name="Bounced" of="bounce" status={status} levels={levels} />
            <RateRow name="Reported as spam" of="complaint" status={status} levels={levels} />
          </Table.Tbody>
        </Table>
      </Section>
      <Section title="Suspensions" about={suspensions.length === 0 ? "There has been none." : undefined}>
        {suspensions.length > 0 && (
          <Rows label="Suspensions">
            {suspensions.map(({ at, reason, liftedAt }) => (
              <Row
                key={at}
                name={<Time at={at} />}
                badge={
                  <Status status="suspension" tone={liftedAt ? "quiet" : "bad"}>
                    {liftedAt ? "Lifted" : "In force"}
                  </Status>
                }
                about={
                  <>
                    {reason ?? "No reason was given."}
                    {liftedAt && (
                      <>
                        {" "}
                        Lifted <Time at={liftedAt} />.
                      </>
                    )}
                  </>
                }
              />
            ))}
          </Rows>
        )}
      </Section>
    </Sections>
  );
}

/** The verdict, in a sentence, and what to do. */
function Standing({ reputation: { status, isDisabled } }: { reputation: Reputation }) {
  const { disabledReason } = useProject();
  if (isDisabled) {
    return (
      <Alert color="red" variant="light" icon={<WarningIcon />} title="This project is suspended">
        {disabledReason && `${disabledReason}. `}Its requests are refused and its mail is held. The operator
        of this service can lift it.
      </Alert>
    );
  }
  if (status.violations.length > 0 || status.warnings.length > 0) {
    const isBad = status.violations.length > 0;
    return (
      <Alert
        color={isBad ? "red" : "yellow"}
        variant="light"
        icon={<WarningIcon />}
        title={isBad ? "Too high: the project may be stopped" : "Close to the limit"}
      >
        {[...status.violations, ...status.warnings].join(". ")}. Write only to people who asked for your mail,
        and remove addresses that nobody has opened a mail at for a long time.
      </Alert>
    );
  }
  return (
    <Alert color="green" variant="light" icon={<DoneIcon />}>
      No rate is near a limit.
    </Alert>
  );
}

interface RateRowProps {
  name: string;
  of: "bounce" | "complaint";
  status: Reputation["status"];
  levels: Reputation["levels"];
}

function RateRow({ name, of, status, levels }: RateRowProps) {
  const level = levels[`${of}Rate`];
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={450}>
        {name}
        <div style={{ color: "var(--faded)", fontSize: "0.75rem" }}>
          Warning at {formatNumber(level.warning)} %, stopped at {formatNumber(level.critical)} %
        </div>
      </Table.Th>
      {[status.sevenDay, status.allTime].map((rates, i) => (
        <Table.Td key={i} ta="right">
          <Rate rates={rates} of={of} level={level} minimum={levels.minimumMails} />
        </Table.Td>
      ))}
    </Table.Tr>
  );
}

interface RateProps {
  rates: ReputationRates;
  of: "bounce" | "complaint";
  level: ReputationThreshold;
  minimum: number;
}

function Rate({ rates, of, level, minimum }: RateProps) {
  const rate = rates[`${of}Rate`];
  const count = of === "bounce" ? rates.bounces : rates.complaints;
  return (
    <>
      <Status status={of} tone={rates.total < minimum ? "quiet" : toneOf(rate, level)}>
        {formatNumber(rate)} %
      </Status>
      <div style={{ color: "var(--faded)", fontSize: "0.75rem" }}>{formatNumber(count)}</div>
    </>
  );
}

function toneOf(rate: number, { warning, critical }: ReputationThreshold): Tone {
  if (rate >= critical) return "bad";
  return rate >= warning ? "warn" : "fine";
}
