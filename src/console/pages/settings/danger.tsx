// What takes all of a project away: reset and deletion.
import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Project } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { Gate } from "../../parts/gate.tsx";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { ProjectContext, useProject } from "../../place.ts";
import { readAgain, useApi } from "../../queries.ts";
import { useIsTest, useLeaveProject } from "../../session.ts";

export function Danger() {
  // Read before it is asked for.
  useTouched();
  const reset = useReset();
  const remove = useDelete();
  const isTest = useIsTest();
  return (
    <Section title="Danger" about={isTest ? "This cannot be undone." : "Neither can be undone."} isDanger>
      <Rows label="Danger">
        <Deed
          name={isTest ? "Delete all test data" : "Reset the project"}
          about={
            isTest
              ? "Deletes the contents of the sandbox. Its keys stay, and so does everything of the project."
              : "Deletes its contents. Members, domains, keys and settings stay."
          }
          action={isTest ? "Delete" : "Reset"}
          act={reset}
        />
        {!isTest && (
          <Deed
            name="Delete the project"
            about="Deletes it with everything in it, for all members."
            action="Delete"
            act={remove}
          />
        )}
      </Rows>
    </Section>
  );
}

interface DeedProps {
  name: string;
  about: string;
  action: string;
  act: () => void;
}

function Deed({ name, about, action, act }: DeedProps) {
  const button = (
    <Button variant="outline" color="red" size="xs" onClick={act}>
      {action}
    </Button>
  );
  return <Row name={name} about={about} actions={<Gate role="OWNER">{button}</Gate>} />;
}

const ONE = { query: { limit: 1 } };

/** `12,034 contacts, 3 templates, 1 campaign and 0 workflows`, once all of it is known. */
function useTouched(): string {
  const contacts = useApi("GET /contacts", ONE).data?.total;
  const templates = useApi("GET /templates", ONE).data?.total;
  const campaigns = useApi("GET /campaigns", ONE).data?.total;
  const workflows = useApi("GET /workflows", ONE).data?.total;
  if (
    contacts === undefined ||
    templates === undefined ||
    campaigns === undefined ||
    workflows === undefined
  ) {
    return "everything";
  }
  return new Intl.ListFormat("en").format([
    formatCount(contacts, "contact"),
    formatCount(templates, "template"),
    formatCount(campaigns, "campaign"),
    formatCount(workflows, "workflow"),
  ]);
}

/** In a question, which stands outside of the page: it may be asked before all is counted. */
function Touched({ project }: { project: Project }) {
  return (
    <ProjectContext value={project}>
      <Counted />
    </ProjectContext>
  );
}

const Counted = () => useTouched();

function useReset() {
  const project = useProject();
  const { id, name } = project;
  const isTest = useIsTest();
  const cache = useQueryClient();
  return () =>
    confirm({
      title: isTest ? "Delete all test data?" : `Reset ${name}?`,
      action: isTest ? "Delete" : "Reset",
      ...(!isTest && { typed: name }),
      children: (
        <>
          This deletes <Touched project={project} />, with all segments, events, mails, images and
          suppressions
          {isTest ? " of test mode" : ""}. Nothing that waits to be sent goes out.{" "}
          {isTest ? "Test keys stay." : "Members, domains, keys and settings stay."}
        </>
      ),
      act: async () => {
        await call("POST /users/@me/projects/{id}/reset", { path: { id } });
        await readAgain(cache, id, ["GET "]);
        toast.done(isTest ? "Test data is being deleted" : `${name} is being reset`);
      },
    });
}

function useDelete() {
  const project = useProject();
  const { id, name } = project;
  const left = useLeaveProject();
  return () =>
    confirm({
      title: `Delete ${name}?`,
      action: "Delete",
      typed: name,
      children: (
        <>
          This deletes <Touched project={project} />, with all segments, events, mails, images, domains, keys
          and members. Its keys stop working at once, and nothing that waits to be sent goes out.
        </>
      ),
      act: async () => {
        await call("DELETE /users/@me/projects/{id}", { path: { id } });
        await left(id);
        toast.done(`${name} was deleted`);
      },
    });
}
