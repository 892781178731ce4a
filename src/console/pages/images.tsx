// The pictures of mails: uploaded once, shown in templates and campaigns.
import { Button, FileButton, Modal, Progress, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Image } from "../api.gen.ts";
import { call, Refusal } from "../api.ts";
import { formatBytes } from "../parts/format.ts";
import { ImagesIcon, UploadIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Failed, LoadingPage } from "../parts/states.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId, useUrlState } from "../place.ts";
import { readAgain, useApiPages } from "../queries.ts";
import { pathOf } from "./images/address.ts";
import { OneImage } from "./images/one_image.tsx";
import classes from "./images/images.module.css";

const TYPES = "image/png,image/jpeg,image/gif,image/webp";

/** `/images`. */
export default function ImagesPage() {
  const list = useApiPages("GET /uploads", { query: { limit: 60 } });
  const images = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const first = list.data?.pages[0];
  const [{ open }, set] = useUrlState({ open: "" });
  const { upload, isUploading } = useUpload();
  const opened = images.find(({ key }) => key === open);
  const button = (
    <FileButton onChange={upload} accept={TYPES} multiple>
      {({ onClick }) => (
        <Button leftSection={<UploadIcon size={16} />} onClick={onClick} loading={isUploading}>
          Upload images
        </Button>
      )}
    </FileButton>
  );
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void upload([...event.dataTransfer.files]);
      }}
    >
      <PageHeader
        title="Images"
        count={first?.total}
        about={first && <Space bytes={first.bytes} limitBytes={first.limitBytes} />}
        actions={images.length > 0 ? button : null}
      />
      {list.isPending && <LoadingPage />}
      {list.isError && images.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && images.length === 0 && (
        <Empty icon={ImagesIcon} title="No images yet" action={button}>
          Upload the pictures of your mails, or drop them here. PNG, JPEG, GIF and WebP; what a camera has
          written into them is removed.
        </Empty>
      )}
      <ul className={classes.grid} aria-label="Images">
        {images.map((image) => (
          <Tile key={image.key} image={image} open={() => set({ open: image.key })} />
        ))}
      </ul>
      {list.hasNextPage && (
        <Button
          variant="default"
          mt="lg"
          onClick={() => void list.fetchNextPage()}
          loading={list.isFetchingNextPage}
        >
          Show more
        </Button>
      )}
      <Modal opened={opened !== undefined} onClose={() => set({ open: "" })} title="Image" size="lg">
        {opened && <OneImage image={opened} close={() => set({ open: "" })} />}
      </Modal>
    </div>
  );
}

function Space({ bytes, limitBytes }: { bytes: number; limitBytes: number }) {
  return (
    <span className={classes.space}>
      {formatBytes(bytes)} of {formatBytes(limitBytes)} used
      <Progress value={(bytes / limitBytes) * 100} size="sm" w={120} aria-label="Space used" />
    </span>
  );
}

function Tile({ image: { key, url, size, contentType }, open }: { image: Image; open: () => void }) {
  const kind = contentType.replace("image/", "").toUpperCase();
  return (
    <li>
      <button type="button" className={classes.tile} onClick={open}>
        <span className="for-readers">Image {key}</span>
        <span className={classes.picture}>
          <img src={pathOf(url)} alt="" loading="lazy" />
        </span>
        <Text span size="xs" c="dimmed">
          {kind} · {formatBytes(size)}
        </Text>
      </button>
    </li>
  );
}

function useUpload() {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [isUploading, setUploading] = useState(false);
  const upload = async (files: File[]) => {
    if (files.length === 0) return;
    setUploading(true);
    let done = 0;
    // One after the other: decoding a large picture is work.
    for (const file of files) {
      const body = new FormData();
      body.append("image", file);
      try {
        await call("POST /uploads/image", { body }, { projectId });
        done++;
      } catch (error) {
        toast.failed(new Error(`${file.name}: ${messageOf(error)}`));
      }
    }
    setUploading(false);
    await readAgain(cache, projectId, ["GET /uploads"]);
    if (done > 0) toast.done(done === 1 ? "The image is here" : `${done} images are here`);
  };
  return { upload, isUploading };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Refusal)) return (error as Error).message;
  return [error.message, error.suggestion].filter(Boolean).join(". ");
}
