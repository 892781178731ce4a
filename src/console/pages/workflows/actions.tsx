// What can be done with a whole workflow: a copy, and its end.
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

interface Named {
  id: string;
  name: string;
}

/** Makes a copy, which is disabled, and leads to it. */
export function useDuplicateWorkflow() {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return async ({ id, name }: Named) => {
    try {
      const copy = await call("POST /workflows/{id}/duplicate", { path: { id } }, { projectId });
      await readAgain(cache, projectId, ["GET /workflows"]);
      navigate(`/workflows/${copy.id}`);
      toast.done(`This is the copy of ${name}. It is disabled`);
    } catch (error) {
      toast.failed(error);
    }
  };
}

/** Says what goes with it, asks, and deletes it. Who is in it goes no further. `deleted` leads on. */
export function useRemoveWorkflow(deleted?: () => void) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return async ({ id, name }: Named) => {
    const path = { id };
    const count = async (status?: "RUNNING" | "WAITING") => {
      const query = { pageSize: 1, ...(status && { status }) };
      return (await call("GET /workflows/{id}/executions", { path, query }, { projectId })).total;
    };
    try {
      const [all, running, waiting] = await Promise.all([count(), count("RUNNING"), count("WAITING")]);
      const active = running + waiting;
      confirm({
        title: `Delete ${name}?`,
        action: active > 0 ? `Cancel ${formatNumber(active)} and delete` : "Delete",
        children: <WhatGoes all={all} active={active} />,
        ...(active > 0 && { typed: name }),
        act: async () => {
          if (active > 0) await call("POST /workflows/{id}/executions/cancel-all", { path }, { projectId });
          await call("DELETE /workflows/{id}", { path }, { projectId });
          deleted?.();
          await readAgain(cache, projectId, ["GET /workflows"]);
          toast.done(`${name} was deleted`);
        },
      });
    } catch (error) {
      toast.failed(error);
    }
  };
}

function WhatGoes({ all, active }: { all: number; active: number }) {
  return (
    <>
      {active > 0 && (
        <>
          {formatCount(active, "contact is", "contacts are")} in it now and {active === 1 ? "goes" : "go"} no
          further.{" "}
        </>
      )}
      {all === 0
        ? "Nobody has gone through it. "
        : `The history of ${formatCount(all, "execution")} is deleted with it; the mails stay. `}
      This cannot be taken back.
    </>
  );
}
