// A secret that the service tells once: it stays on the screen until somebody says that they have it.
import { Button, Group, Modal, Text } from "@mantine/core";
import { Copyable } from "../../parts/copy.tsx";

/** What is shown. */
export interface Once {
  title: string;
  value: string;
  /** What it is, such as `secret key`: for the button that copies. */
  label: string;
  /** What changes from now on. */
  about: string;
}

/** The dialog. A click outside it, or Escape, does not close it. */
export function ShownOnce({ once, close }: { once: Once | null; close: () => void }) {
  return (
    <Modal
      opened={once !== null}
      onClose={close}
      title={once?.title}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {once && (
        <>
          <Text size="sm" mb="md">
            Copy it now: it is not shown again. {once.about}
          </Text>
          <Copyable value={once.value} label={once.label} />
          <Group justify="flex-end" mt="lg">
            <Button onClick={close}>I have stored it</Button>
          </Group>
        </>
      )}
    </Modal>
  );
}
