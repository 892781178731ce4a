// Bringing an earlier version back, with a way to undo it.
import { Button } from "@mantine/core";
import { confirm } from "../confirm.tsx";
import { UndoIcon } from "../icons.tsx";
import { toast } from "../toast.tsx";

interface Props {
  version: number;
  newest: number;
  /** The tag of what is stored now: where somebody was faster, nothing is changed. */
  tag: string | undefined;
  /** Whether something would be discarded, and what it is, such as `Unsaved changes are discarded.` */
  isUnsaved: boolean | undefined;
  discards: string;
  /** Restores a version of what has this tag, and answers the new tag. */
  bring: (version: number, tag: string | undefined) => Promise<string | undefined>;
  className: string;
}

/** The button: asks where unsaved words would go, and offers the way back afterwards. */
export function RestoreVersion({ version, newest, tag, isUnsaved, discards, bring, className }: Props) {
  const act = async () => {
    const seen = await bring(version, tag);
    const undo = async () => {
      await bring(newest, seen);
      toast.done("It is as it was before");
    };
    toast.done(`Version ${version} was restored`, { undo });
  };
  const ask = () => {
    if (!isUnsaved) return void act().catch((error: unknown) => toast.failed(error));
    confirm({
      title: `Restore version ${version}?`,
      children: discards,
      action: "Discard and restore",
      act,
    });
  };
  return (
    <Button
      variant="default"
      size="xs"
      className={className}
      leftSection={<UndoIcon size={14} />}
      onClick={ask}
    >
      Restore this version
    </Button>
  );
}
