// One image: its address, and where it is shown.
import { Button, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Image, ImageUse } from "../api.gen.ts";
import { call } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { Copyable } from "../parts/copy.tsx";
import { formatBytes, formatCount } from "../parts/format.ts";
import { DeleteIcon } from "../parts/icons.tsx";
import { Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { useHasPage, useProjectId } from "../place.ts";
import { readAgain, useApi } from "../queries.ts";
import { pathOf } from "../parts/image_address.ts";
import classes from "./images.module.css";

export function OneImage({ image, close }: { image: Image; close: () => void }) {
  const { key, url, size, createdAt } = image;
  const usage = useApi("GET /uploads/{key}/usage", { path: { key } });
  const remove = useRemove(image, close);
  return (
    <>
      <div className={classes.large}>
        <img src={pathOf(url)} alt={`The image ${key}`} />
      </div>
      <Text size="sm" c="dimmed" mt="sm">
        {formatBytes(size)}, uploaded <Time at={createdAt} />
      </Text>
      <Text size="sm" fw={550} mt="md" mb={4}>
        Address
      </Text>
      <Copyable value={url} label="address" />
      <Text size="sm" fw={550} mt="md" mb={4}>
        Shown in
      </Text>
      <Loaded query={usage}>{({ uses }) => <Uses uses={uses} />}</Loaded>
      <Group justify="flex-end" mt="lg">
        <Button
          variant="default"
          leftSection={<DeleteIcon size={16} />}
          disabled={usage.data === undefined}
          onClick={() => remove(usage.data?.uses ?? [])}
        >
          Delete
        </Button>
      </Group>
    </>
  );
}

function Uses({ uses }: { uses: ImageUse[] }) {
  if (uses.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No template and no campaign. Mails that were sent may show it.
      </Text>
    );
  }
  return (
    <ul className={classes.uses}>
      {uses.map((use) => (
        <li key={use.id}>
          <Use use={use} />
        </li>
      ))}
    </ul>
  );
}

function Use({ use: { noun, id, name } }: { use: ImageUse }) {
  const page = `/${noun}s/:id`;
  const words = `${noun === "template" ? "Template" : "Campaign"} ${name}`;
  return useHasPage(page) ? <Link href={`/${noun}s/${id}`}>{words}</Link> : <>{words}</>;
}

function useRemove({ key }: Image, close: () => void) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return (uses: ImageUse[]) =>
    confirm({
      title: "Delete this image?",
      action: "Delete",
      children:
        uses.length === 0 ? (
          <>No template and no campaign shows it. In mails that were sent it is missing from now on.</>
        ) : (
          <>
            {formatCount(uses.length, "template or campaign shows", "templates and campaigns show")} it, and
            mails that were sent: it is missing there from now on.
          </>
        ),
      act: async () => {
        const force = uses.length > 0 ? ({ force: "true" } as const) : {};
        await call("DELETE /uploads/{key}", { path: { key }, query: force }, { projectId });
        close();
        await readAgain(cache, projectId, ["GET /uploads"]);
        toast.done("The image was deleted");
      },
    });
}
