// Where a file is dropped, or chosen.
import { Alert, Button, Text } from "@mantine/core";
import { Dropzone } from "@mantine/dropzone";
import { useRef } from "react";
import { UploadIcon, WarningIcon } from "../../parts/icons.tsx";
import classes from "./imports.module.css";

interface Props {
  choose: (file: File) => unknown;
  error: string | null;
  fail: (message: string) => void;
}

export function DropZone({ choose, error, fail }: Props) {
  const open = useRef<() => void>(null);
  return (
    <>
      <Dropzone
        openRef={open}
        onDrop={([file]) => file && choose(file)}
        onReject={() => fail("Drop one file: a table saved as CSV.")}
        multiple={false}
        activateOnClick={false}
        activateOnKeyboard={false}
        className={classes.drop!}
        aria-label="Drop a CSV file here"
        inputProps={{ "aria-label": "CSV file" }}
      >
        <div className={classes.dropWords}>
          <UploadIcon size={26} />
          <Text fw={550}>Drop a CSV file here</Text>
          <Text size="sm" c="dimmed" maw="30rem" ta="center">
            The first row names the columns; one of them has the addresses. Up to 200 MB. Contacts that exist
            are updated, and nothing happens before you have seen what will.
          </Text>
          <Button variant="default" mt="xs" onClick={() => open.current?.()}>
            Choose a file
          </Button>
        </div>
      </Dropzone>
      {error && (
        <Alert color="red" variant="light" icon={<WarningIcon />} title={error} mt="md" role="alert" />
      )}
    </>
  );
}
