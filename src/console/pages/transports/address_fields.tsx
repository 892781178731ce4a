// Where a mail server is, and how one logs in: in fields, or as a URL that is pasted into the first.
import { PasswordInput, Select, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type Address, portOf, readAddress } from "./address.ts";
import type { TransportValues } from "./values.ts";
import classes from "./transports.module.css";

interface Props {
  form: UseFormReturnType<TransportValues>;
  /** Whether it has a password that stays if none is given. */
  isKnown: boolean;
}

export function AddressFields({ form, isKnown }: Props) {
  const paste = (event: React.ClipboardEvent) => {
    const address = readAddress(event.clipboardData.getData("text"));
    if (!address) return;
    event.preventDefault();
    form.setValues({ ...address });
  };
  const encrypt = (encryption: string | null) => {
    const chosen = encryption as Address["encryption"];
    const isUsual = form.values.port === portOf(form.values.encryption);
    form.setValues({ encryption: chosen, ...(isUsual && { port: portOf(chosen) }) });
  };
  return (
    <>
      <div className={classes.pair}>
        <TextInput
          mt="md"
          label="Server"
          placeholder="smtp.example.com"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onPaste={paste}
          {...form.getInputProps("host")}
        />
        <TextInput mt="md" label="Port" inputMode="numeric" maxLength={5} {...form.getInputProps("port")} />
      </div>
      <Select
        mt="md"
        label="Encryption"
        allowDeselect={false}
        data={[
          { value: "starttls", label: "STARTTLS, usually port 587" },
          { value: "tls", label: "TLS from the beginning, usually port 465" },
        ]}
        {...form.getInputProps("encryption")}
        onChange={encrypt}
      />
      <div className={classes.halves}>
        <TextInput
          mt="md"
          label="User"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps("user")}
        />
        <PasswordInput
          mt="md"
          label="Password"
          placeholder={isKnown ? "Unchanged" : ""}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
          {...form.getInputProps("password")}
        />
      </div>
    </>
  );
}
