// The settings of a project, and what takes all of it away.
import { PageHeader } from "../parts/page_header.tsx";
import { Sections } from "../parts/section.tsx";
import { useProject } from "../place.ts";
import { Danger } from "./settings/danger.tsx";
import { SettingsForm } from "./settings/form.tsx";

/** `/settings`. */
export default function SettingsPage() {
  const project = useProject();
  return (
    <>
      <PageHeader title="Settings" about={`Of the project ${project.name}.`} />
      <Sections>
        <SettingsForm project={project} />
        <Danger />
      </Sections>
    </>
  );
}
