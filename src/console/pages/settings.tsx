// The settings of a project, and what takes all of it away.
import { Button } from "@mantine/core";
import { useLocation } from "wouter";
import { Gate } from "../parts/gate.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Section, Sections } from "../parts/section.tsx";
import { useProject } from "../place.ts";
import { Danger } from "./settings/danger.tsx";
import { SettingsForm } from "./settings/form.tsx";

/** `/settings`. */
export default function SettingsPage() {
  const project = useProject();
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Settings" about={`Of the project ${project.name}.`} />
      <Sections>
        <SettingsForm project={project} />
        <Section
          title="Move in"
          about="Brings contacts, segments, templates, campaigns and workflows from Plunk, listmonk, Mailchimp, Brevo, SendGrid or another Postrider."
          actions={
            <Gate role="ADMIN">
              <Button variant="default" onClick={() => navigate("/move-in")}>
                Move in from another service
              </Button>
            </Gate>
          }
        />
        <Danger />
      </Sections>
    </>
  );
}
