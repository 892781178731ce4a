// How mailbox providers take the mail of a project: what is too high now, figures by provider, and their rules for a domain.
import { Alert, Button, SegmentedControl, Skeleton } from "@mantine/core";
import { Link } from "wouter";
import type { Deliverability, DeliverabilityAlert } from "../api.gen.ts";
import { BASE } from "../api.ts";
import { formatCount } from "../parts/format.ts";
import { MailIcon, WarningIcon } from "../parts/icons.tsx";
import { whenIdle } from "../parts/idle.ts";
import { lazyPage } from "../parts/lazy_page.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Panel } from "../parts/panel.tsx";
import { type Period, PeriodPicker, usePeriod } from "../parts/period.tsx";
import { Empty, Loaded, SkeletonLines } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { useUrlState } from "../place.ts";
import { useApi } from "../queries.ts";
import { FigureTable } from "./deliverability/figure_table.tsx";
import { SenderRules } from "./deliverability/sender_rules.tsx";
import { Totals } from "./deliverability/totals.tsx";
import { providerName } from "./deliverability/words.ts";
import classes from "./deliverability/deliverability.module.css";

const CHART_HEIGHT = 220;

// As large as all the rest: it comes when that is done.
const Chart = lazyPage(
  async () => {
    await whenIdle();
    return await import("./deliverability/chart.tsx");
  },
  <Skeleton height={CHART_HEIGHT} />,
);

const GROUPINGS = [
  { value: "provider", label: "Provider" },
  { value: "domain", label: "Domain" },
  { value: "transport", label: "Transport" },
] as const;

type Grouping = (typeof GROUPINGS)[number]["value"];

/** `/deliverability`. */
export default function DeliverabilityPage() {
  const [period, choose] = usePeriod();
  const [{ by }, set] = useUrlState({ by: "provider" });
  const groupBy: Grouping = GROUPINGS.find(({ value }) => value === by)?.value ?? "provider";
  const { startDate, endDate } = period;
  const figures = useApi("GET /deliverability", { query: { startDate, endDate, groupBy } });
  return (
    <div className={classes.page}>
      <PageHeader
        title="Deliverability"
        about={
          <>
            How mailbox providers take your mail, and what they ask of you.{" "}
            <a href={`${BASE}/docs/guides/deliverability`} target="_blank" rel="noreferrer">
              How it is counted, and what to do
            </a>
          </>
        }
        actions={<PeriodPicker value={period} onChange={choose} />}
      />
      <OpenAlerts />
      <Loaded query={figures} skeleton={<SkeletonLines count={8} height={24} />}>
        {(data) =>
          data.total.mails + data.total.deferred === 0 ? (
            <NoFigures period={period} showMore={() => choose("90d")} />
          ) : (
            <Figures data={data} groupBy={groupBy} period={period} group={(next) => set({ by: next })} />
          )
        }
      </Loaded>
      <SenderRules />
    </div>
  );
}

interface FiguresProps {
  data: Deliverability;
  groupBy: Grouping;
  period: Period;
  group: (by: Grouping) => void;
}

function Figures({ data, groupBy, period, group }: FiguresProps) {
  return (
    <>
      <Totals figures={data.total} days={period.days} />
      <div className={classes.part}>
        <Panel title="Each day">
          <Chart series={data.series} days={period.days} />
        </Panel>
      </div>
      <div className={classes.part}>
        <Panel
          title="Details"
          aside={
            <SegmentedControl
              size="xs"
              aria-label="Group by"
              value={groupBy}
              onChange={(next) => group(next as Grouping)}
              data={[...GROUPINGS]}
            />
          }
        >
          <FigureTable groups={data.groups} groupBy={groupBy} />
        </Panel>
      </div>
    </>
  );
}

function NoFigures({ period, showMore }: { period: Period; showMore: () => void }) {
  return (
    <Empty
      icon={MailIcon}
      title={`No mail was sent in the last ${period.days} days`}
      action={
        period.name === "90d" ? (
          <Button component={Link} href="/campaigns/new" variant="default">
            New campaign
          </Button>
        ) : (
          <Button variant="default" onClick={showMore}>
            Show 90 days
          </Button>
        )
      }
    >
      Once mail servers have taken your mail, or refused it, their answers are counted here by mailbox
      provider. Captured mails are not.
    </Empty>
  );
}

const KINDS: Record<DeliverabilityAlert["kind"], { what: string; of: string }> = {
  BOUNCES: { what: "of mails bounce", of: "mail" },
  COMPLAINTS: { what: "of mails are reported as spam", of: "mail" },
  DEFERRALS: { what: "of attempts are put off", of: "attempt" },
};

/** What is too high now; nothing where nothing is. */
function OpenAlerts() {
  const { data = [] } = useApi("GET /deliverability/alerts", { query: { open: "true" } });
  if (data.length === 0) return null;
  return (
    <Alert
      color="red"
      variant="light"
      mb="lg"
      icon={<WarningIcon />}
      title={data.length === 1 ? "A rate is too high" : `${data.length} rates are too high`}
    >
      <ul className={classes.alerts}>
        {data.map(({ id, kind, domain, provider, count, total, rate, level, openedAt }) => (
          <li key={id}>
            <b>
              {domain}
              {provider && ` at ${providerName(provider)}`}
            </b>
            : {rate} % {KINDS[kind].what} ({count.toLocaleString()} of {formatCount(total, KINDS[kind].of)}),
            more than {level} %. Since <Time at={openedAt} />.
          </li>
        ))}
      </ul>
    </Alert>
  );
}
