// What a new project still needs. Goes away when all of it is done.
import { Anchor, Progress } from "@mantine/core";
import type { SetupState } from "../../api.gen.ts";
import { BASE } from "../../api.ts";
import { DoneIcon, ToDoIcon } from "../../parts/icons.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useHasPage, useProjectId } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { Link } from "wouter";
import classes from "./overview.module.css";

interface Step {
  title: string;
  about: string;
  isDone: boolean;
  /** The page where it is done, and the guide if there is no page. */
  page: string;
  guide: string;
  action: string;
}

const stepsOf = (state: SetupState): Step[] => [
  {
    title: "Verify a domain",
    about: "So that mail is sent from your own domain, and signed.",
    isDone: state.hasVerifiedDomain,
    page: "/domains",
    guide: "domains",
    action: "Add a domain",
  },
  {
    title: "Add the first contact",
    about: "By hand, from a file, or with an event from your application.",
    isDone: state.contactCount > 0,
    page: "/contacts",
    guide: "contacts",
    action: "Add contacts",
  },
  {
    title: "Send the first mail",
    about: "A campaign to many, or one mail through the API.",
    isDone: state.hasMail || state.lastCampaignSentAt !== null,
    page: "/campaigns",
    guide: "sending",
    action: "Write a campaign",
  },
  {
    title: "Enable a workflow",
    about: "A series of mails that starts with an event.",
    isDone: state.hasEnabledWorkflow,
    page: "/workflows",
    guide: "workflows",
    action: "Create a workflow",
  },
];

export function SetUp() {
  const id = useProjectId();
  const { data } = useApi("GET /projects/{id}/setup-state", { path: { id } });
  if (!data) return null;
  const steps = stepsOf(data.data);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (done === steps.length) return null;
  return (
    <div style={{ marginBottom: "1.25rem" }}>
      <Panel
        title="Set up"
        aside={<span className={classes.aside}>{`${done} of ${steps.length} done`}</span>}
      >
        <Progress value={(done / steps.length) * 100} size={4} mb="sm" aria-label="How much is set up" />
        <ul className={classes.steps}>
          {steps.map((step) => (
            <li key={step.title} className={classes.step} data-done={step.isDone || undefined}>
              {step.isDone ? <DoneIcon color="var(--fine)" /> : <ToDoIcon color="var(--faded)" />}
              <div className={classes.stepWords}>
                {step.title}
                {step.isDone ? (
                  <span className="for-readers">: done</span>
                ) : (
                  <div className={classes.stepAbout}>{step.about}</div>
                )}
              </div>
              {!step.isDone && <Action step={step} />}
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

function Action({ step: { page, guide, action } }: { step: Step }) {
  const hasPage = useHasPage(page);
  if (hasPage) {
    return (
      <Anchor component={Link} href={page} size="sm">
        {action}
      </Anchor>
    );
  }
  return (
    <Anchor href={`${BASE}/docs/guides/${guide}`} target="_blank" rel="noreferrer" size="sm">
      Read how
    </Anchor>
  );
}
