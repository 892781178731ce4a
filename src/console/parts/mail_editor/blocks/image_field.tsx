// A picture: chosen from those of the project, uploaded just now, or by its address.
import { Button, FileButton, Group, Modal } from "@mantine/core";
import { useState } from "react";
import type { Image } from "../../../api.gen.ts";
import { pathOf } from "../../image_address.ts";
import { ImagesIcon, UploadIcon } from "../../icons.tsx";
import { Empty, Failed, SkeletonLines } from "../../states.tsx";
import { IMAGE_TYPES, useUpload } from "../../upload_images.ts";
import { useApiPages } from "../../../queries.ts";
import classes from "./blocks.module.css";
import { type AttributeProps, TextField, useAttribute } from "./field.tsx";

/** The address of a picture, with a button that leads to the pictures of the project. */
export function ImageField(props: AttributeProps) {
  const { set } = useAttribute(props);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className={classes.imageField}>
      <TextField {...props} placeholder="https://…" />
      <Button
        variant="default"
        size="xs"
        leftSection={<ImagesIcon size={14} />}
        onClick={() => setOpen(true)}
      >
        Choose
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title="Choose a picture" size="lg">
        <Picker
          choose={(url) => {
            setOpen(false);
            set(url);
          }}
        />
      </Modal>
    </div>
  );
}

function Picker({ choose }: { choose: (url: string) => void }) {
  const list = useApiPages("GET /uploads", { query: { limit: 60 } });
  const { upload, isUploading } = useUpload();
  const images = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const add = async (files: File[]) => {
    const [first] = await upload(files);
    if (first) choose(first.url);
  };
  const button = (
    <FileButton onChange={(file) => void add(file ? [file] : [])} accept={IMAGE_TYPES}>
      {({ onClick }) => (
        <Button size="xs" leftSection={<UploadIcon size={14} />} onClick={onClick} loading={isUploading}>
          Upload a picture
        </Button>
      )}
    </FileButton>
  );
  if (list.isPending) return <SkeletonLines count={5} />;
  if (list.isError) return <Failed error={list.error} retry={list.refetch} />;
  if (images.length === 0) {
    return (
      <Empty icon={ImagesIcon} title="No pictures yet" action={button}>
        Upload one: PNG, JPEG, GIF or WebP.
      </Empty>
    );
  }
  return (
    <>
      <Group justify="space-between" mb="sm">
        {button}
      </Group>
      <ul className={classes.pictures} aria-label="Pictures">
        {images.map((image) => (
          <li key={image.key}>
            <Choice image={image} choose={choose} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button
          variant="default"
          size="xs"
          mt="md"
          onClick={() => void list.fetchNextPage()}
          loading={list.isFetchingNextPage}
        >
          Show more
        </Button>
      )}
    </>
  );
}

function Choice({ image: { url, key }, choose }: { image: Image; choose: (url: string) => void }) {
  return (
    <button type="button" className={classes.picture} onClick={() => choose(url)}>
      <img src={pathOf(url)} alt={`The picture ${key}`} loading="lazy" />
    </button>
  );
}
