// Direct delivery: as who this machine sends, and from which of its addresses.
import { TagsInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { TransportValues } from "./values.ts";

/** More than a transport has. */
const MAX_ADDRESSES = 20;

interface Props {
  form: UseFormReturnType<TransportValues>;
  /** Whether it has a name already: it may be changed, and not taken away. */
  isKnown: boolean;
  /** Those that the operator allows; null: any of the machine. */
  allowed: string[] | null;
}

export function DirectFields({ form, isKnown, allowed }: Props) {
  // The API names the address that it does not take: `bindAddresses.1`.
  const wrong = Object.entries(form.errors).find(([field]) => field.startsWith("bindAddresses."));
  const addresses = form.values.bindAddresses;
  const error = wrong && `${addresses[Number(wrong[0].split(".")[1])] ?? ""}: ${String(wrong[1])}`;
  const field = form.getInputProps("bindAddresses");
  return (
    <>
      <TextInput
        mt="md"
        label="Name of this machine"
        description={`The reverse names of its addresses have to lead to it.${isKnown ? "" : " Left out: that of the installation."}`}
        placeholder="mail.example.com"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={253}
        {...form.getInputProps("heloName")}
      />
      <TagsInput
        mt="md"
        label="Sends from"
        description={`Addresses of this machine, in turn. Left out: ${allowed ? "all of those offered" : "the system chooses"}.`}
        placeholder={addresses.length > 0 ? "" : (allowed?.[0] ?? "203.0.113.7")}
        data={allowed ?? []}
        maxTags={MAX_ADDRESSES}
        {...field}
        error={error ?? field.error}
      />
    </>
  );
}
