// How a project is doing: what is still to be set up, the figures of a period, what is in progress, and what happens now.
import { Group, SimpleGrid, Skeleton } from "@mantine/core";
import { whenIdle } from "../parts/idle.ts";
import { lazyPage } from "../parts/lazy_page.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { PeriodPicker, usePeriod } from "../parts/period.tsx";
import { useProject, useUrlState } from "../place.ts";
import { Figures } from "./overview/figures.tsx";
import { LatestActivity } from "./overview/latest_activity.tsx";
import { ReputationPanel } from "./overview/reputation.tsx";
import { SetUp } from "./overview/set_up.tsx";
import { UnderWay } from "./overview/under_way.tsx";
import { ChartSkeleton } from "./overview/chart_skeleton.tsx";
import classes from "./overview/overview.module.css";

// They are as large as all the rest, and come when that is done: who continues at once to another page does not wait for them.
const Charts = lazyPage(
  async () => {
    await whenIdle();
    return await import("./overview/charts.tsx");
  },
  <ChartSkeleton />,
);

// Beside what the page needs: most look at the figures of all mails.
const TagPicker = lazyPage(
  async () => {
    await whenIdle();
    return await import("./overview/tag_picker.tsx");
  },
  <Skeleton w={{ base: 130, xs: 190 }} height={30} />,
);

/** `/`. */
export default function OverviewPage() {
  const [period, choose] = usePeriod();
  const [{ tag }, set] = useUrlState({ tag: "" });
  const { name } = useProject();
  return (
    <div className={classes.page}>
      <PageHeader
        title="Overview"
        about={name}
        actions={
          <Group gap="xs">
            <TagPicker
              period={period}
              value={tag}
              onChange={(next) => set({ tag: next }, { replace: true })}
            />
            <PeriodPicker value={period} onChange={choose} />
          </Group>
        }
      />
      <SetUp />
      <Figures period={period} tag={tag} />
      <Charts period={period} tag={tag} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <LatestActivity />
        <div className={classes.column}>
          <UnderWay />
          <ReputationPanel />
        </div>
      </SimpleGrid>
    </div>
  );
}
