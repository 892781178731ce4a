// What stands where the charts will be, in their size.
import { Skeleton } from "@mantine/core";
import { Panel } from "../../parts/panel.tsx";
import classes from "./overview.module.css";

export function ChartSkeleton() {
  return (
    <div className={classes.charts}>
      {["Mails", "Contacts"].map((title) => (
        <Panel key={title} title={title}>
          <Skeleton height={220} />
        </Panel>
      ))}
    </div>
  );
}
