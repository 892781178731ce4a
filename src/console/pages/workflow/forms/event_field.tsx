// The name of an event, with those that were seen offered.
import { Autocomplete, type AutocompleteProps } from "@mantine/core";
import type { KnownNames } from "../../../parts/canvas/drawn.ts";

interface Props extends Pick<AutocompleteProps, "label" | "description" | "value" | "onChange" | "error"> {
  names: KnownNames;
}

/** Any name can be written: the event may never have happened yet. */
export function EventField({ names, ...others }: Props) {
  return (
    <Autocomplete
      {...others}
      placeholder="ordered"
      data={[...new Set([...(names.vocabulary?.events ?? []), ...OWN])]}
      maxLength={255}
      limit={50}
    />
  );
}

/** What the service itself emits. */
const OWN = ["contact.subscribed", "contact.unsubscribed", "email.opened", "email.clicked"];
