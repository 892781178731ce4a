// What can be done with a whole template: a copy, and its end.
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import type { TemplateUsage } from "../../api.gen.ts";
import { call, Refusal } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useHasPage, useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import classes from "./templates.module.css";

interface Named {
  id: string;
  name: string;
}

/** Makes a copy and leads to it. */
export function useDuplicate() {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ id, name }: Named) => {
    try {
      const copy = await call("POST /templates/{id}/duplicate", { path: { id } }, { projectId });
      await readAgain(cache, projectId, ["GET /templates"]);
      navigate(`/templates/${copy.id}`);
      toast.done(`This is the copy of ${name}`);
    } catch (error) {
      toast.failed(error);
    }
  };
}

/** Says where it is used, asks, and deletes it. `deleted` leads on. */
export function useRemoveTemplate(deleted?: () => void) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return async ({ id, name }: Named) => {
    try {
      const usage = await call("GET /templates/{id}/usage", { path: { id } }, { projectId });
      if (isHeld(usage)) {
        const children = (
          <>
            It can be deleted once nothing uses it any more:
            <UseList usage={usage} />
          </>
        );
        return confirm({ title: `${name} is in use`, children });
      }
      confirm({
        title: `Delete ${name}?`,
        action: "Delete",
        children: <WhatGoes usage={usage} />,
        act: async () => {
          await call("DELETE /templates/{id}", { path: { id } }, { projectId }).catch(explain);
          deleted?.();
          await readAgain(cache, projectId, ["GET /templates"]);
          toast.done(`${name} was deleted`);
        },
      });
    } catch (error) {
      toast.failed(error);
    }
  };
}

function explain(refusal: unknown): never {
  if (!(refusal instanceof Refusal) || refusal.status !== 409) throw refusal;
  throw new Error("It is still used. Choose another template there first.", { cause: refusal });
}

/** Whether anything keeps a template from being deleted. */
export function isHeld({ campaigns, workflowSteps }: TemplateUsage): boolean {
  return workflowSteps.length > 0 || campaigns.some(isOpen);
}

/** A campaign that is still to be sent. */
export const isOpen = ({ status }: TemplateUsage["campaigns"][number]) =>
  status === "DRAFT" || status === "SCHEDULED" || status === "SENDING";

function WhatGoes({ usage: { emailsSent } }: { usage: TemplateUsage }) {
  return (
    <>
      Nothing uses it.{" "}
      {emailsSent > 0 && `The ${formatCount(emailsSent, "mail")} made from it stay as they are. `}
      All of its versions are deleted with it. This cannot be taken back.
    </>
  );
}

/** What uses it now: campaigns that are to be sent, and steps of workflows. */
export function UseList({ usage }: { usage: TemplateUsage }) {
  const hasCampaigns = useHasPage("/campaigns/:id");
  const hasWorkflows = useHasPage("/workflows/:id");
  return (
    <ul className={classes.uses}>
      {usage.workflowSteps.map(({ id, name, workflowId, workflowName }) => (
        <li key={id}>
          The step {name} of the workflow{" "}
          {hasWorkflows ? <Link href={`/workflows/${workflowId}`}>{workflowName}</Link> : workflowName}
        </li>
      ))}
      {usage.campaigns.filter(isOpen).map(({ id, name }) => (
        <li key={id}>The campaign {hasCampaigns ? <Link href={`/campaigns/${id}`}>{name}</Link> : name}</li>
      ))}
    </ul>
  );
}
