// A passkey is added, or gets another name.
import { Button, Group, Modal, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Passkey } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, type ServerForm, useServerForm } from "../../parts/form.tsx";
import { withProof } from "../../parts/proof.tsx";
import { toast } from "../../parts/toast.tsx";
import { makePasskey } from "../../passkeys.ts";
import { readAgain, useAccountApi } from "../../queries.ts";

interface AddProps {
  isOpen: boolean;
  close: () => void;
  added: (recoveryCodes: string[] | null) => Promise<void>;
}

export function AddPasskeyDialog({ isOpen, ...props }: AddProps) {
  return (
    <Modal opened={isOpen} onClose={props.close} title="Add a passkey">
      {isOpen && <Add {...props} />}
    </Modal>
  );
}

function Add({ close, added }: Omit<AddProps, "isOpen">) {
  const { data } = useAccountApi("GET /users/@me/sessions", {});
  const device = data?.sessions.find(({ current }) => current)?.device ?? "";
  const state = useServerForm({ initialValues: { name: device }, validate }, async ({ name }) => {
    const options = await withProof(() => call("POST /users/@me/two-factor/passkeys/options", {}));
    const passkey = await makePasskey(options);
    const { recoveryCodes } = await call("POST /users/@me/two-factor/passkeys", {
      body: { name: name.trim(), passkey },
    });
    toast.done(`The passkey “${name.trim()}” was added`);
    await added(recoveryCodes);
  });
  return (
    <NameForm state={state} close={close} button="Go on">
      <Text size="sm" mb="md">
        Your browser then asks where to keep it: on this device, on a phone, or on a security key.
      </Text>
    </NameForm>
  );
}

export function RenamePasskeyDialog({ passkey, close }: { passkey: Passkey | null; close: () => void }) {
  return (
    <Modal opened={passkey !== null} onClose={close} title="Rename the passkey">
      {passkey && <Rename passkey={passkey} close={close} />}
    </Modal>
  );
}

function Rename({ passkey: { id, name: before }, close }: { passkey: Passkey; close: () => void }) {
  const cache = useQueryClient();
  const state = useServerForm({ initialValues: { name: before }, validate }, async ({ name }) => {
    await call("PATCH /users/@me/two-factor/passkeys/{id}", { path: { id }, body: { name: name.trim() } });
    await readAgain(cache, null, ["GET /users/@me/two-factor"]);
    close();
  });
  return <NameForm state={state} close={close} button="Rename" />;
}

const validate = {
  name: (name: string) => (name.trim() ? null : "Give it a name, to tell your passkeys apart"),
};

interface NameFormProps {
  state: ServerForm<{ name: string }>;
  close: () => void;
  button: string;
  children?: React.ReactNode;
}

function NameForm({ state: { form, submit, isSending, error }, close, button, children }: NameFormProps) {
  return (
    <form onSubmit={submit} noValidate>
      {children}
      <TextInput
        label="Name"
        description="To tell your passkeys apart."
        autoComplete="off"
        data-autofocus
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <FormError error={error} />
      <Group justify="flex-end" mt="lg" gap="xs">
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" loading={isSending}>
          {button}
        </Button>
      </Group>
    </form>
  );
}
