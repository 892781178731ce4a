// One move: what was found, how far it is, and what came of it.
import { Alert, Button, Progress } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { Link, useParams } from "wouter";
import type { Move } from "../api.gen.ts";
import { confirm } from "../parts/confirm.tsx";
import { formatNumber } from "../parts/format.ts";
import { FormError } from "../parts/form.tsx";
import { Gate } from "../parts/gate.tsx";
import { InfoIcon, WarningIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useProjectId } from "../place.ts";
import { readAgain, useApi, useChange } from "../queries.ts";
import { Files } from "./move_in/files.tsx";
import { Found } from "./move_in/found.tsx";
import { LeftOut } from "./move_in/left_out.tsx";
import { named, SOURCES } from "./move_in/sources.ts";
import { isAtWork, isNothing, isOpen, percentOf, stateOf, stepOf } from "./move_in/state.ts";
import { Steps } from "./move_in/steps.tsx";
import classes from "./move_in/move_in.module.css";

const BACK = { label: "Move in", to: "/move-in" };
const ASK_MS = 700;
/** What a move writes. */
const WRITTEN = ["contacts", "segments", "templates", "campaigns", "workflows", "suppressions"];

/** `/move-in/:id`. */
export default function MovePage() {
  const { id } = useParams<{ id: string }>();
  const query = useApi(
    "GET /moves/{id}",
    { path: { id } },
    { refetchInterval: ({ state }) => (state.data && !isAtWork(state.data) ? false : ASK_MS) },
  );
  useReadAfter(query.data);
  return (
    <div className={classes.page}>
      <Loaded query={query}>{(move) => <MoveView move={move} />}</Loaded>
    </div>
  );
}

/** What was read of the project before is not so any more once the move is over. */
function useReadAfter(move: Move | undefined): void {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const before = useRef<Move["state"] | undefined>(undefined);
  const state = move?.state;
  useEffect(() => {
    const hasEnded = before.current === "RUNNING" && state !== "RUNNING";
    if (hasEnded)
      void readAgain(
        cache,
        projectId,
        WRITTEN.map((noun) => `GET /${noun}`),
      );
    // What is left out is another list then.
    if (before.current !== undefined && before.current !== state)
      void readAgain(cache, projectId, ["GET /moves/{id}/left-out", "GET /moves"]);
    before.current = state;
  }, [state, cache, projectId]);
}

const AT = { UPLOADING: 0, CHECKING: 1, READY: 1, RUNNING: 2, DONE: 3, FAILED: 1, CANCELLED: 1 } as const;

function MoveView({ move }: { move: Move }) {
  const { from, state, createdAt, createdBy, startedAt } = move;
  const { status, label } = stateOf(move);
  return (
    <>
      <PageHeader
        title={`Move in from ${named(from)}`}
        back={BACK}
        badge={<Status status={status}>{label}</Status>}
        about={
          <>
            <Time at={createdAt} /> by {createdBy}
            {move.url && <> · {move.url}</>}
          </>
        }
        actions={isOpen(move) && <CancelButton move={move} />}
      />
      <Steps at={startedAt !== null && state !== "DONE" ? 2 : AT[state]} />
      <Ended move={move} />
      {state === "UPLOADING" && <Files move={move} />}
      {isAtWork(move) && <AtWork move={move} />}
      {state === "READY" && <Ready move={move} />}
      {(move.moved ?? move.found) !== null && state !== "UPLOADING" && (
        <Found move={move} counts={move.moved ?? move.found} />
      )}
      {state !== "UPLOADING" && !isAtWork(move) && move.leftOutTotal > 0 && <LeftOut move={move} />}
    </>
  );
}

function AtWork({ move }: { move: Move }) {
  const percent = percentOf(move);
  const counts = move.state === "RUNNING" ? move.moved : move.found;
  const label = move.state === "RUNNING" ? "Moving in" : "Looking what there is";
  return (
    <div className={classes.progress}>
      <div role="status">
        {stepOf(move)}…{counts && ` ${formatNumber(counts.contacts.read)} contacts so far`}
      </div>
      <Progress value={percent ?? 100} animated size="md" aria-label={label} />
      <div className={classes.faded}>
        {percent !== null && `${percent} %. `}
        You may close this page: it goes on by itself.
      </div>
      {move.isWaiting && (
        <Alert
          color="yellow"
          variant="light"
          icon={<WarningIcon />}
          title={`${SOURCES[move.from].name} does not answer now`}
        >
          It is asked again by itself, for half an hour.
        </Alert>
      )}
    </div>
  );
}

function Ready({ move }: { move: Move }) {
  const { id, found } = move;
  const start = useChange("POST /moves/{id}/start", { reads: ["GET /moves"], showsErrors: true });
  const check = useChange("POST /moves/{id}/check", { reads: ["GET /moves"], showsErrors: true });
  return (
    <div className={classes.ready}>
      <p className={classes.quiet}>
        {isNothing(found)
          ? "There is nothing to bring. Check the address and the key, or what the key may read."
          : "Nothing has changed yet. This is what would come:"}
      </p>
      <div className={classes.buttons}>
        <Gate role="ADMIN">
          <Button
            onClick={() => start.mutate({ path: { id } })}
            loading={start.isPending}
            disabled={isNothing(found)}
          >
            Move in
          </Button>
        </Gate>
        <Button
          variant="default"
          onClick={() => check.mutate({ path: { id }, body: {} })}
          loading={check.isPending}
        >
          Look again
        </Button>
      </div>
      <FormError error={start.error ?? check.error} />
    </div>
  );
}

function Ended({ move: { state, from, failedReason, startedAt } }: { move: Move }) {
  const again = (
    <Button component={Link} href={`/move-in?from=${from}`} size="xs" variant="default">
      {state === "FAILED" ? "Try again" : "Begin again"}
    </Button>
  );
  const stays =
    startedAt === null
      ? "Nothing was changed."
      : "What has come in stays. Begin again for the rest: nothing comes twice.";
  if (state === "FAILED") {
    return (
      <Alert
        color="red"
        variant="light"
        icon={<WarningIcon />}
        title={failedReason ?? "It has failed"}
        mb="md"
        role="alert"
      >
        <p className={classes.alertWords}>{stays}</p>
        {again}
      </Alert>
    );
  }
  if (state !== "CANCELLED") return null;
  return (
    <Alert
      color="gray"
      variant="light"
      icon={<InfoIcon size={16} />}
      title={failedReason ?? "This move was cancelled"}
      mb="md"
    >
      <p className={classes.alertWords}>{stays}</p>
      {again}
    </Alert>
  );
}

function CancelButton({ move: { id, state } }: { move: Move }) {
  const cancel = useChange("POST /moves/{id}/cancel", { reads: ["GET /moves"], showsErrors: true });
  const ask = () =>
    confirm({
      title: "Cancel this move?",
      children:
        state === "RUNNING"
          ? "What has come in by then stays. The key and the files are deleted; begin another move for the rest."
          : "Nothing has been changed. The key and the files are deleted.",
      action: "Cancel the move",
      stay: "Go on",
      act: () => cancel.mutateAsync({ path: { id } }),
    });
  return (
    <Gate role="ADMIN">
      <Button variant="default" onClick={ask}>
        Cancel
      </Button>
    </Gate>
  );
}
