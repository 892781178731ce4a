// The files of a move: dropped here, uploaded one after the other, and removed again.
import { Alert, Button, CloseButton, Loader, Select, Text } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useLocation } from "wouter";
import type { Move } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { formatBytes } from "../../parts/format.ts";
import { FormError } from "../../parts/form.tsx";
import { Gate } from "../../parts/gate.tsx";
import { UploadIcon, WarningIcon } from "../../parts/icons.tsx";
import { toast } from "../../parts/toast.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";
import { useProjectId } from "../../place.ts";
import { readAgain, useChange } from "../../queries.ts";
import { inUtf8 } from "../imports/encoding.ts";
import { type Source, SOURCES } from "./sources.ts";
import classes from "./move_in.module.css";

/** Before there is a move: the first file begins it. */
export function NewFiles({ source }: { source: Source }) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const uploads = useUploads(async () => {
    const { id } = await call("POST /moves", { body: { from: source } }, { projectId });
    return id;
  });
  const upload = async (files: File[]) => {
    const { id, refusal } = await uploads.upload(files);
    if (id === null) return;
    // The rest is given there: a second move would be refused.
    if (refusal !== null) toast.failed(refusal);
    navigate(`/move-in/${id}`);
    // Not before: this page says of a move that there is that it has not ended.
    await readAgain(cache, projectId, ["GET /moves"]);
  };
  return (
    <>
      <Gate role="ADMIN">
        <Drop source={source} upload={upload} disabled={uploads.names.length > 0} />
      </Gate>
      <Underway uploads={uploads} />
    </>
  );
}

const STATES = [
  { value: "subscribed", label: "They have subscribed" },
  { value: "unsubscribed", label: "They have unsubscribed" },
  { value: "bounced", label: "Their addresses have bounced" },
  { value: "complained", label: "They have complained" },
  { value: "blocked", label: "They must never get mail" },
];

/** Of a move that waits for files. */
export function Files({ move }: { move: Move }) {
  const { id, from, files, failedReason } = move;
  const [as, setAs] = useState<string | null>(move.as);
  const projectId = useProjectId();
  const cache = useQueryClient();
  const uploads = useUploads(
    async () => id,
    () => readAgain(cache, projectId, ["GET /moves"]),
  );
  const check = useChange("POST /moves/{id}/check", { reads: ["GET /moves"], showsErrors: true });
  const remove = useChange("DELETE /moves/{id}/files/{fileId}", { reads: ["GET /moves"] });
  const start = () =>
    check.mutate({ path: { id }, body: as === null ? {} : { as: as as NonNullable<Move["as"]> } });
  return (
    <>
      {failedReason && (
        <Alert
          color="yellow"
          variant="light"
          icon={<WarningIcon />}
          title={failedReason}
          mb="md"
          role="alert"
        >
          Add the file that says it, remove a file, or say below what its contacts are.
        </Alert>
      )}
      <ul className={classes.list} aria-label="Files">
        {files.map((file) => (
          <li key={file.id} className={classes.item}>
            <span className={classes.itemWords}>{file.name}</span>
            <span className={classes.when}>{formatBytes(file.bytes)}</span>
            <CloseButton
              aria-label={`Remove ${file.name}`}
              disabled={remove.isPending}
              onClick={() => remove.mutate({ path: { id, fileId: file.id } })}
            />
          </li>
        ))}
      </ul>
      <Underway uploads={uploads} />
      <Drop source={from} upload={(given) => uploads.upload(given)} isSmall={files.length > 0} />
      {(failedReason !== null || as !== null) && (
        <Select
          mt="md"
          maw="24rem"
          label="Contacts of files that do not say whether they have subscribed"
          description="Only say that they have where each of them has asked for your mails."
          placeholder="Choose what they are"
          data={STATES}
          value={as}
          onChange={setAs}
          clearable
          clearButtonProps={{ "aria-label": "Clear" }}
        />
      )}
      <FormError error={check.error} />
      <Button
        mt="lg"
        onClick={start}
        loading={check.isPending}
        disabled={files.length === 0 || uploads.names.length > 0}
      >
        See what would come
      </Button>
    </>
  );
}

interface Uploads {
  /** What is on its way, the first one now. */
  names: string[];
  error: unknown;
  /** The id of the move, null if there is none; and why the upload has ended early. */
  upload(files: File[]): Promise<{ id: string | null; refusal: unknown }>;
}

/** Uploads files one after the other, each followed by `uploaded`. What has been uploaded stays when one of them fails. */
function useUploads(moveId: () => Promise<string>, uploaded?: () => Promise<void>): Uploads {
  const projectId = useProjectId();
  const [names, setNames] = useState<string[]>([]);
  const [error, setError] = useState<unknown>(null);
  // It is over before the page is drawn again, and leads on then.
  const isOnItsWay = useRef(false);
  useUnsaved(() => isOnItsWay.current);
  const upload = async (files: File[]) => {
    setError(null);
    setNames(files.map(({ name }) => name));
    isOnItsWay.current = true;
    let id: string | null = null;
    let refusal: unknown = null;
    try {
      id = await moveId();
      for (const given of files) {
        const isZip = /\.zip$/i.test(given.name);
        const file = isZip ? given : (await inUtf8(given)).file;
        const query = { fileName: file.name.slice(-255) };
        const body = new Blob([file], { type: "application/octet-stream" });
        await call("POST /moves/{id}/files", { path: { id }, query, body }, { projectId });
        await uploaded?.();
        setNames((left) => left.slice(1));
      }
    } catch (failure) {
      refusal = failure;
      setError(failure);
    }
    isOnItsWay.current = false;
    setNames([]);
    return { id, refusal };
  };
  return { names, error, upload };
}

function Underway({ uploads: { names, error } }: { uploads: Uploads }) {
  return (
    <>
      <ul className={classes.list} aria-label="Uploading" role="status">
        {names.map((name, n) => (
          <li key={name} className={classes.item}>
            {n === 0 && <Loader size={14} />}
            <span className={classes.itemWords}>{name}</span>
            <span className={classes.when}>{n === 0 ? "Uploading…" : "Waiting"}</span>
          </li>
        ))}
      </ul>
      <FormError error={error} />
    </>
  );
}

interface DropProps {
  source: Source;
  upload: (files: File[]) => unknown;
  isSmall?: boolean;
  disabled?: boolean;
}

function Drop({ source, upload, isSmall = false, disabled = false }: DropProps) {
  const open = useRef<() => void>(null);
  const { name } = SOURCES[source];
  return (
    <Dropzone
      openRef={open}
      onDrop={(files) => void upload(files)}
      disabled={disabled}
      activateOnClick={false}
      activateOnKeyboard={false}
      className={classes.drop!}
      data-small={isSmall || undefined}
      aria-label="Drop files here"
      inputProps={{ "aria-label": "Files" }}
    >
      <div className={classes.dropWords}>
        <UploadIcon size={26} />
        <Text fw={550}>{isSmall ? "Drop more files here" : `Drop the files of ${name} here`}</Text>
        {!isSmall && (
          <Text size="sm" c="dimmed" maw="30rem" ta="center">
            CSV files, or a zip of them, up to 200 MB each. They are deleted when the move ends.
          </Text>
        )}
        <Button variant="default" mt="xs" disabled={disabled} onClick={() => open.current?.()}>
          Choose files
        </Button>
      </div>
    </Dropzone>
  );
}
