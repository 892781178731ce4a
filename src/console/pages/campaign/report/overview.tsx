// The report at a glance: from the audience to the clicks, when it happened, what did not arrive, and how others did.
import { Skeleton } from "@mantine/core";
import type { Campaign } from "../../../api.gen.ts";
import { lazyPage } from "../../../parts/lazy_page.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { Comparison } from "./comparison.tsx";
import { Funnel } from "./funnel.tsx";
import { Reasons } from "./reasons.tsx";
import classes from "./report.module.css";

// The charts are as large as all the rest.
const Hours = lazyPage<{ campaign: Campaign }>(
  () => import("./hours.tsx"),
  <Panel title="When">
    <Skeleton height={220} />
  </Panel>,
);

export function Overview({ campaign }: { campaign: Campaign }) {
  return (
    <div className={classes.overview}>
      <Funnel campaign={campaign} />
      <Hours campaign={campaign} />
      <div className={classes.columns}>
        <Reasons campaign={campaign} />
        <Comparison campaign={campaign} />
      </div>
    </div>
  );
}
