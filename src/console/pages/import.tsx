// One import: how far it is, what happened to it, and the way back.
import { Alert, Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link, useParams } from "wouter";
import type { ContactImport } from "../api.gen.ts";
import { confirm } from "../parts/confirm.tsx";
import { formatCount, formatDay, formatNumber } from "../parts/format.ts";
import { InfoIcon, UndoIcon, WarningIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useProjectId } from "../place.ts";
import { readAgain, useChange } from "../queries.ts";
import { Counts, Refused } from "./imports/counts.tsx";
import { ImportProgress } from "./imports/import_progress.tsx";
import { canUndo, isCancelled, isMoving, stateOf } from "./imports/state.ts";
import { useImport } from "./imports/trial.tsx";
import classes from "./imports/imports.module.css";

const BACK = { label: "Imports", to: "/imports" };

/** `/imports/:id`. */
export default function ImportPage() {
  const { id } = useParams<{ id: string }>();
  const query = useImport(id);
  useReadContactsAfter(query.data);
  return (
    <div className={classes.page}>
      <Loaded query={query}>{(one) => <ImportView one={one} />}</Loaded>
    </div>
  );
}

/** What was read of contacts is not so any more once an import, or its undoing, is over. */
function useReadContactsAfter(one: ContactImport | undefined): void {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const wasMoving = useRef(false);
  const moves = one ? isMoving(one) : false;
  useEffect(() => {
    if (wasMoving.current && !moves) {
      void readAgain(cache, projectId, ["GET /contacts", "GET /segments"]);
    }
    wasMoving.current = moves;
  }, [moves, cache, projectId]);
}

function ImportView({ one }: { one: ContactImport }) {
  const { fileName, createdAt, createdBy, result, failedReason, progress, dryRun } = one;
  const state = stateOf(one);
  return (
    <>
      <PageHeader
        title={fileName ?? "Import"}
        back={BACK}
        badge={<Status status={state.status}>{state.label}</Status>}
        about={
          <>
            <Time at={createdAt} />
            {createdBy && ` by ${createdBy}`}
            {dryRun && " · a dry run, which changed nothing"}
          </>
        }
        actions={
          <>
            {(one.state === "waiting" || one.state === "active") && <StopButton one={one} />}
            {canUndo(one) && <UndoButton one={one} />}
            {result && result.successCount > 0 && !dryRun && (
              <Button component={Link} href="/contacts?sort=updatedAt" variant="default">
                See the contacts
              </Button>
            )}
          </>
        }
      />
      {!result && !failedReason && <ImportProgress label="Importing" progress={progress} />}
      {isCancelled(one) && (
        <Alert
          color="gray"
          variant="light"
          icon={<InfoIcon size={16} />}
          title="This import was stopped"
          mb="md"
        >
          {canUndo(one)
            ? "The contacts below were imported before. They stay unless you undo the import."
            : "Nothing more of this file is imported."}
        </Alert>
      )}
      {failedReason && !isCancelled(one) && (
        <Alert color="red" variant="light" icon={<WarningIcon />} title={failedReason} mb="md">
          Nothing more of this file is imported. Fix the file and import it again: no contact is created
          twice.
        </Alert>
      )}
      <Undone one={one} />
      {result && (
        <>
          <Counts result={result} />
          <Refused result={result} />
        </>
      )}
    </>
  );
}

function StopButton({ one: { id, dryRun } }: { one: ContactImport }) {
  const stop = useChange("POST /contacts/imports/{jobId}/cancel", {
    reads: ["GET /contacts/imports"],
    showsErrors: true,
  });
  const ask = () =>
    confirm({
      title: "Stop this import?",
      children: dryRun
        ? "It is a trial, which changes nothing."
        : "Contacts that have been imported by then stay, and you can undo them. The rest of the file is not imported.",
      action: "Stop the import",
      stay: "Go on importing",
      act: () => stop.mutateAsync({ path: { jobId: id } }),
    });
  return (
    <Button variant="default" onClick={ask}>
      Stop
    </Button>
  );
}

function UndoButton({ one: { id, result, undo } }: { one: ContactImport }) {
  const start = useChange("POST /contacts/imports/{jobId}/undo", {
    reads: ["GET /contacts/imports"],
    showsErrors: true,
  });
  const ask = () =>
    confirm({
      title: "Undo this import?",
      children: (
        <>
          The {formatCount(result?.createdCount ?? 0, "contact")} that it made{" "}
          {result?.createdCount === 1 ? "is" : "are"} deleted, and {formatNumber(result?.updatedCount ?? 0)}{" "}
          that it changed get their old values back. What somebody has changed since stays. It can be done
          until {formatDay(undo!.until)}, and once.
        </>
      ),
      action: "Undo the import",
      act: () => start.mutateAsync({ path: { jobId: id } }),
    });
  return (
    <Button variant="default" leftSection={<UndoIcon size={15} />} onClick={ask}>
      Undo
    </Button>
  );
}

function Undone({ one: { undo } }: { one: ContactImport }) {
  if (!undo || undo.state === null) return null;
  if (undo.state !== "completed" && undo.state !== "failed") {
    return <ImportProgress label="Undoing the import" progress={0} />;
  }
  return (
    <Alert
      color={undo.state === "failed" ? "red" : "gray"}
      variant="light"
      icon={<InfoIcon size={16} />}
      title={undo.state === "failed" ? "Undo failed" : "This import was undone"}
      mb="md"
    >
      {formatCount(undo.deletedCount, "contact")} deleted, {formatNumber(undo.restoredCount)} restored
      {undo.keptCount > 0 &&
        `, ${formatNumber(undo.keptCount)} kept because they were changed since, or needed nothing`}
      .
    </Alert>
  );
}
