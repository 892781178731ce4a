// The settings of a project, and what takes all of it away.
import { Button } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { Gate } from "../parts/gate.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Section, Sections } from "../parts/section.tsx";
import { placeOf, useProject } from "../place.ts";
import { Danger } from "./settings/danger.tsx";
import { SettingsForm } from "./settings/form.tsx";

/** `/settings`. */
export default function SettingsPage() {
  const project = useProject();
  if (project.sandboxOf) return <TestSettings name={project.name} projectId={project.sandboxOf} />;
  return (
    <>
      <PageHeader title="Settings" about={`Of the project ${project.name}.`} />
      <Sections>
        <SettingsForm project={project} />
        <MoveIn isTest={false} />
        <Danger />
      </Sections>
    </>
  );
}

/** The settings of a sandbox are those of its project. */
function TestSettings({ name, projectId }: { name: string; projectId: string }) {
  return (
    <>
      <PageHeader
        title="Settings"
        about={
          <>
            Test mode has the settings and members of {name}.{" "}
            <Link href={`~${placeOf(projectId, "/settings")}`}>Change them there</Link>.
          </>
        }
      />
      <Sections>
        <MoveIn isTest />
        <Danger />
      </Sections>
    </>
  );
}

function MoveIn({ isTest }: { isTest: boolean }) {
  const [, navigate] = useLocation();
  const services = "Plunk, listmonk, Mailchimp, Brevo, SendGrid or another Postrider";
  return (
    <Section
      title="Move in"
      about={`Brings contacts, segments, templates, campaigns and workflows from ${services}${isTest ? " into test mode: the project itself stays as it is" : ""}.`}
      actions={
        <Gate role="ADMIN">
          <Button variant="default" onClick={() => navigate("/move-in")}>
            Move in from another service
          </Button>
        </Gate>
      }
    />
  );
}
