// Recovery codes, shown once: they stay on the screen until somebody says that they have them.
import { Button, Group, Modal, Text } from "@mantine/core";
import { CopyTextButton } from "../../parts/copy.tsx";
import { DownloadIcon } from "../../parts/icons.tsx";
import classes from "./account.module.css";

interface Props {
  codes: string[] | null;
  email: string;
  close: () => void;
}

/** The dialog. A click outside it, or Escape, does not close it. */
export function RecoveryCodes({ codes, email, close }: Props) {
  return (
    <Modal
      opened={codes !== null}
      onClose={close}
      title="Your recovery codes"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {codes && (
        <>
          <Text size="sm" mb="md">
            Keep them somewhere you can reach without your phone, such as a password manager or on paper. Each
            works once, when you have neither app nor passkey. They are not shown again.
          </Text>
          <ul className={classes.codes} aria-label="Recovery codes">
            {codes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
          <Group gap="xs" mt="md">
            <CopyTextButton value={codes.join("\n")} label="the codes" />
            <Button
              variant="default"
              size="xs"
              leftSection={<DownloadIcon size={14} />}
              onClick={() => download(codes, email)}
            >
              Download
            </Button>
          </Group>
          <Button fullWidth mt="lg" onClick={close} data-autofocus>
            I have kept them
          </Button>
        </>
      )}
    </Modal>
  );
}

function download(codes: string[], email: string): void {
  const text = `Recovery codes of ${email} for Postrider (${window.location.host})\nEach works once.\n\n${codes.join("\n")}\n`;
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = "postrider-recovery-codes.txt";
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}
