// What is asked before many contacts are changed.
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import type { Operation } from "./bulk_work.ts";

interface Question {
  operation: Operation;
  count: number;
  /** All that match: also those that nobody has seen. */
  isAll: boolean;
  segment?: { name: string } | undefined;
  act: () => Promise<unknown>;
}

/** Does it at once where a button takes it back; asks first where it cannot be, or where it is about all. */
export function askFirst({ operation, count, isAll, segment, act }: Question): Promise<unknown> | void {
  if (!isAll && operation !== "delete") return act();
  const contacts = formatCount(count, "contact");
  const { title, action, about } = words(operation, contacts, segment?.name ?? "");
  confirm({
    title,
    action,
    children: about,
    ...(operation === "delete" && isAll && { typed: "delete" }),
    act,
  });
}

function words(operation: Operation, contacts: string, segment: string) {
  switch (operation) {
    case "delete":
      return {
        title: `Delete ${contacts}?`,
        action: "Delete",
        about:
          "Their fields and events are deleted with them, they leave their segments, and their workflows end. Mails that were sent to them stay counted, without the address. This cannot be undone.",
      };
    case "subscribe":
      return {
        title: `Subscribe ${contacts}?`,
        action: "Subscribe",
        about:
          "They receive marketing mails from then on. Subscribe only people who have asked for them. Those who are already subscribed stay as they are.",
      };
    case "unsubscribe":
      return {
        title: `Unsubscribe ${contacts}?`,
        action: "Unsubscribe",
        about: "They receive no more marketing mails. Transactional mails still reach them.",
      };
    case "add":
      return {
        title: `Add ${contacts} to “${segment}”?`,
        action: "Add",
        about: "Those who are already in it stay in it.",
      };
    case "remove":
      return {
        title: `Remove ${contacts} from “${segment}”?`,
        action: "Remove",
        about: "The contacts themselves stay.",
      };
  }
}
