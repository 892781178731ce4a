// What is done with the mails that were chosen in the inbox.
import { Button } from "@mantine/core";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { CloseIcon, DeleteIcon, MailOpenIcon } from "../../parts/icons.tsx";
import { toast } from "../../parts/toast.tsx";
import { useChange } from "../../queries.ts";
import classes from "./inbox.module.css";

interface Props {
  mails: { id: string; readAt: string | null }[];
  /** Chooses none any more. */
  clear: () => void;
}

/** In place of the search, while there are any. */
export function Chosen({ mails, clear }: Props) {
  const reads = ["GET /inbox"];
  const ids = mails.map(({ id }) => id);
  const count = formatCount(mails.length, "mail");
  // Like Gmail: what is all read can only be made unread.
  const read = mails.some(({ readAt }) => readAt === null);
  const mark = useChange("PATCH /inbox/mails", {
    reads,
    onSuccess: () => {
      toast.done(`${count} marked as ${read ? "read" : "unread"}`);
      clear();
    },
  });
  const remove = useChange("POST /inbox/mails/delete", { reads, showsErrors: true });
  const ask = () =>
    confirm({
      title: `Delete ${count} from the inbox?`,
      children:
        "Only what the inbox shows, for everybody who sees it. In the list of sent mails they stay as captured. This cannot be undone.",
      action: `Delete ${count}`,
      act: async () => {
        const { deleted } = await remove.mutateAsync({ body: { ids } });
        toast.done(`${formatCount(deleted, "mail")} deleted`);
        clear();
      },
    });
  return (
    <div className={classes.toolbar} role="toolbar" aria-label="Chosen mails">
      <span className={classes.chosen} role="status">
        {count} chosen
      </span>
      <Button
        variant="default"
        size="xs"
        leftSection={<MailOpenIcon size={14} />}
        loading={mark.isPending}
        onClick={() => mark.mutate({ body: { read, ids } })}
      >
        {read ? "Mark as read" : "Mark as unread"}
      </Button>
      <Button variant="default" size="xs" leftSection={<DeleteIcon size={14} />} onClick={ask}>
        Delete…
      </Button>
      <Button variant="subtle" color="gray" size="xs" leftSection={<CloseIcon size={13} />} onClick={clear}>
        Clear
      </Button>
    </div>
  );
}
