// Short words at the edge of the window, about what has just been done.
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Refusal } from "../api.ts";

const SHOWN_MS = 5_000;
/** Time to read, think, and press. */
const UNDO_MS = 10_000;

/** What can be taken back now, the latest last. */
const undoable = new Map<string, () => void>();

/** Takes back what was done last, as long as its toast is shown: what the key does. */
export function undoLast(): void {
  [...undoable.values()].at(-1)?.();
}

/** The toast of each refusal that is shown now, by its words: the same is not said twice. */
const refused = new Map<string, string>();

/** The toast about each thing that is shown now. */
const about = new Map<string, string>();

interface Done {
  undo?: () => void | Promise<unknown>;
  /** The id of what was changed: the toast before about it goes, with its undo, since neither is true any more. */
  of?: string;
}

export const toast = {
  /** Something was done. With `undo`, a button takes it back. */
  done(message: string, { undo, of }: Done = {}): void {
    const id = crypto.randomUUID();
    if (of !== undefined) {
      const before = about.get(of);
      if (before !== undefined) notifications.hide(before);
      about.set(of, id);
    }
    const takeBack = () => {
      if (!undoable.delete(id)) return;
      notifications.hide(id);
      void Promise.resolve(undo?.()).catch((error: unknown) => toast.failed(error));
    };
    if (undo) undoable.set(id, takeBack);
    notifications.show({
      id,
      color: "green",
      onClose() {
        undoable.delete(id);
        if (of !== undefined && about.get(of) === id) about.delete(of);
      },
      autoClose: undo ? UNDO_MS : SHOWN_MS,
      message: undo ? (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm" style={{ minWidth: 0, overflowWrap: "anywhere" }}>
            {message}
          </Text>
          <Button variant="subtle" size="compact-sm" flex="none" onClick={takeBack} aria-keyshortcuts="z">
            Undo
          </Button>
        </Group>
      ) : (
        message
      ),
      ...CLOSE,
    });
  },

  /** Something was refused, or did not arrive: in the words of the service. */
  failed(error: unknown): void {
    const { message } = error as Error;
    const advice = error instanceof Refusal ? error.suggestion : null;
    const requestId = error instanceof Refusal && error.status >= 500 ? error.requestId : null;
    const id = crypto.randomUUID();
    const before = refused.get(message);
    if (before !== undefined) notifications.hide(before);
    refused.set(message, id);
    notifications.show({
      id,
      color: "red",
      onClose() {
        if (refused.get(message) === id) refused.delete(message);
      },
      autoClose: UNDO_MS,
      title: message,
      message: [advice, requestId && `Request ${requestId}`].filter(Boolean).join(" · "),
      ...CLOSE,
    });
  },
};

const CLOSE = { closeButtonProps: { "aria-label": "Close" } };
