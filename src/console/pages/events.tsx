// What happens: as it happens, by the names of events, and what comes next.
import { Tabs } from "@mantine/core";
import { PageHeader } from "../parts/page_header.tsx";
import { PageTabs } from "../parts/page_tabs.tsx";
import { useUrlState } from "../place.ts";
import { Feed } from "./events/feed.tsx";
import { Names } from "./events/names.tsx";
import { OneName } from "./events/one_name.tsx";
import { Upcoming } from "./events/upcoming.tsx";
import classes from "./events/events.module.css";

const TABS = [
  { value: "live", label: "Live feed", Shown: Feed },
  { value: "names", label: "By name", Shown: Names },
  { value: "upcoming", label: "Upcoming", Shown: Upcoming },
];

/** `/events`: with `?name=…` one event. */
export default function EventsPage() {
  const [{ name }] = useUrlState({ name: "" });
  if (name !== "") return <OneName key={name} name={name} />;
  return (
    <div className={classes.page}>
      <PageHeader
        title="Events"
        about="What your application tracks, and what happens to contacts and mails."
      />
      <PageTabs tabs={TABS} className={classes.tabs}>
        {TABS.map(({ value, Shown }) => (
          <Tabs.Panel key={value} value={value} className={classes.panel!}>
            <Shown />
          </Tabs.Panel>
        ))}
      </PageTabs>
    </div>
  );
}
