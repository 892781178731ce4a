// The pictures of mails: uploaded once, shown in templates and campaigns.
import { Button, FileButton, Modal, Progress, Text } from "@mantine/core";
import type { Image } from "../api.gen.ts";
import { formatBytes } from "../parts/format.ts";
import { ImagesIcon, UploadIcon } from "../parts/icons.tsx";
import { More } from "../parts/more.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Failed, LoadingPage } from "../parts/states.tsx";
import { IMAGE_TYPES, useUpload } from "../parts/upload_images.ts";
import { useUrlState } from "../place.ts";
import { useApiPages } from "../queries.ts";
import { pathOf } from "../parts/image_address.ts";
import { OneImage } from "./one_image.tsx";
import classes from "./images.module.css";

/** `/images`. */
export default function ImagesPage() {
  const list = useApiPages("GET /uploads", { query: { limit: 60 } });
  const images = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const first = list.data?.pages[0];
  const [{ open }, set] = useUrlState({ open: "" });
  const { upload, isUploading } = useUpload();
  const opened = images.find(({ key }) => key === open);
  const button = (
    <FileButton onChange={(files) => void upload(files)} accept={IMAGE_TYPES} multiple>
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
      <More query={list}>Show more</More>
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
