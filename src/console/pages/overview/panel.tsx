// A part of the overview, in a frame with its name.
import { Skeleton } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./overview.module.css";

interface Props {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
}

export function Panel({ title, aside, children }: Props) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <header className={classes.panelHead}>
        <h2 className={classes.panelTitle} id={id}>
          {title}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** What stands where the charts will be, in their size. */
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
