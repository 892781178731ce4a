// From a file to contacts: what each column is, a trial that changes nothing, and then the import itself.
import { Button, Group, Stepper, Switch } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../api.ts";
import { leave } from "../../leaving.ts";
import { formatBytes } from "../../parts/format.ts";
import { FormError } from "../../parts/form.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { Recognised } from "./recognised.tsx";
import { faultsOf, Mapping } from "./mapping.tsx";
import type { FilePreview, Target } from "./preview.ts";
import { Trial } from "./trial.tsx";
import classes from "./imports.module.css";

interface Props {
  preview: FilePreview;
  /** Back to the choice of a file. */
  chooseAnother: () => void;
}

const ENCODINGS = {
  "windows-1252": "Western European (Windows-1252)",
  "utf-16le": "UTF-16",
  "utf-16be": "UTF-16",
};

export function Wizard({ preview: { file, encoding, columns }, chooseAnother }: Props) {
  const guesses = columns.map(({ guess }) => guess);
  const [targets, setTargets] = useState<Target[]>(guesses);
  const [subscribes, setSubscribes] = useState(true);
  const [trialId, setTrialId] = useState<string | null>(null);
  /** Whether the trial has found something to import; null until it has ended. */
  const [isUsable, setUsable] = useState<boolean | null>(null);
  const [, navigate] = useLocation();
  const projectId = useProjectId();
  const cache = useQueryClient();
  const faults = faultsOf(targets);
  const send = useMutation({
    mutationFn: (dryRun: boolean) =>
      call(
        "POST /contacts/imports",
        {
          query: {
            dryRun: dryRun ? "true" : "false",
            subscribed: subscribes ? "true" : "false",
            fileName: file.name.slice(0, 255),
            mapping: JSON.stringify(mappingOf(columns, targets)),
          },
          // Of no other type than the service takes, whatever the system calls it.
          body: new Blob([file], { type: "text/csv" }),
        },
        { projectId },
      ),
    meta: { isShown: true },
    onSuccess: async ({ jobId }, dryRun) => {
      if (dryRun) return setTrialId(jobId);
      await readAgain(cache, projectId, ["GET /contacts/imports"]);
      navigate(`/imports/${jobId}`);
    },
  });
  const back = () => {
    send.reset();
    setUsable(null);
    if (!trialId) return leave(chooseAnother);
    // Nobody waits for it any more. That it has just ended is no concern.
    if (isUsable === null) {
      const path = { jobId: trialId };
      call("POST /contacts/imports/{jobId}/cancel", { path }, { projectId }).catch(() => {});
    }
    setTrialId(null);
  };
  const isMapped = !subscribes || targets.some((target, index) => target !== guesses[index]);
  // Once it is sent, it leads on by itself.
  useUnsaved(isMapped && !send.isPending);
  // What was pressed has gone with the step before.
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus({ preventScroll: true }), [trialId]);
  return (
    <div>
      <h2 className={classes.file} tabIndex={-1} ref={head}>
        <strong>{file.name}</strong>{" "}
        <span className={classes.faded}>
          {formatBytes(file.size)}
          {encoding && `, read as ${ENCODINGS[encoding]}`}
        </span>
      </h2>
      <Stepper
        active={trialId ? 1 : 0}
        size="sm"
        mb="lg"
        allowNextStepsSelect={false}
        className={classes.steps!}
      >
        <Stepper.Step label="Columns" />
        <Stepper.Step label="Trial" />
        <Stepper.Step label="Import" />
      </Stepper>
      {!trialId && <Recognised columns={columns} targets={targets} change={setTargets} />}
      {trialId ? (
        <Trial id={trialId} onEnd={setUsable} />
      ) : (
        <>
          <Mapping columns={columns} targets={targets} faults={faults} change={setTargets} />
          {!targets.includes("subscribed") && (
            <Switch
              mt="lg"
              checked={subscribes}
              onChange={(event) => setSubscribes(event.currentTarget.checked)}
              label="New contacts are subscribed to marketing mails"
              description="Only people who have asked for them. Contacts that exist stay as they are."
            />
          )}
        </>
      )}
      <FormError error={send.error} />
      <Group justify="space-between" mt="lg" className={classes.foot!}>
        <Button variant="default" onClick={back} disabled={send.isPending}>
          {trialId ? "Back to the columns" : "Another file"}
        </Button>
        {trialId ? (
          <Button onClick={() => send.mutate(false)} loading={send.isPending} disabled={!isUsable}>
            Import now
          </Button>
        ) : (
          <Button onClick={() => send.mutate(true)} loading={send.isPending} disabled={faults.size > 0}>
            See what will happen
          </Button>
        )}
      </Group>
    </div>
  );
}

function mappingOf(columns: FilePreview["columns"], targets: Target[]): Record<string, Target> {
  const named = columns.flatMap(({ name }, index) => (name === "" ? [] : [[name, targets[index]!] as const]));
  return Object.fromEntries(named);
}
