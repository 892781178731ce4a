// What happens: as it happens, by the names of events, and what comes next.
import { Tabs } from "@mantine/core";
import { PageHeader } from "../parts/page_header.tsx";
import { useUrlState } from "../place.ts";
import { Feed } from "./events/feed.tsx";
import { Names } from "./events/names.tsx";
import { OneName } from "./events/one_name.tsx";
import { Upcoming } from "./events/upcoming.tsx";
import classes from "./events/events.module.css";

const TABS = [
  ["live", "Live feed", Feed],
  ["names", "By name", Names],
  ["upcoming", "Upcoming", Upcoming],
] as const;

/** `/events`: with `?name=…` one event. */
export default function EventsPage() {
  const [{ tab, name }, set] = useUrlState({ tab: "live", name: "" });
  if (name !== "") return <OneName key={name} name={name} />;
  const known = TABS.some(([value]) => value === tab) ? tab : "live";
  return (
    <div className={classes.page}>
      <PageHeader
        title="Events"
        about="What your application tracks, and what happens to contacts and mails."
      />
      <Tabs
        className={classes.tabs!}
        value={known}
        onChange={(next) => set({ tab: next ?? "live" })}
        keepMounted={false}
      >
        <Tabs.List>
          {TABS.map(([value, label]) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {TABS.map(([value, , Shown]) => (
          <Tabs.Panel key={value} value={value} className={classes.panel!}>
            <Shown />
          </Tabs.Panel>
        ))}
      </Tabs>
    </div>
  );
}
