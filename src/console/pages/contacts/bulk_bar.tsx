// What can be done with the contacts that are chosen: some, or all that match the filter.
import { ActionIcon, Button, Menu, Tooltip } from "@mantine/core";
import { formatCount, formatNumber } from "../../parts/format.ts";
import { CloseIcon, DeleteIcon, SegmentsIcon } from "../../parts/icons.tsx";
import { MenuButton } from "../../parts/menu_button.tsx";
import { useShortcut } from "../../parts/shortcuts.ts";
import { useApi } from "../../queries.ts";
import type { Operation } from "./bulk_work.ts";
import classes from "./contacts.module.css";

interface Props {
  /** How many are chosen. */
  count: number;
  /** How many match the filter. */
  total: number;
  isFiltered: boolean;
  /** All that match are chosen, also those that are not loaded. */
  isAll: boolean;
  chooseAll: () => void;
  clear: () => void;
  act: (operation: Operation, segment?: { id: string; name: string }) => void;
}

export function BulkBar({ count, total, isFiltered, isAll, chooseAll, clear, act }: Props) {
  useShortcut("Escape", "Select none", clear);
  return (
    <div className={classes.bulk} role="toolbar" aria-label="Selected contacts">
      <span className={classes.bulkCount} role="status">
        {isAll ? `All ${formatCount(count, "contact")} selected` : `${formatNumber(count)} selected`}
      </span>
      {!isAll && count < total && (
        <Button variant="subtle" size="compact-xs" onClick={chooseAll}>
          Select all {formatNumber(total)}
          {isFiltered && " that match"}
        </Button>
      )}
      <span className={classes.gap} />
      <Button variant="default" size="compact-sm" onClick={() => act("subscribe")}>
        Subscribe
      </Button>
      <Button variant="default" size="compact-sm" onClick={() => act("unsubscribe")}>
        Unsubscribe
      </Button>
      <SegmentMenu act={act} />
      <Button
        variant="default"
        size="compact-sm"
        c="var(--bad)"
        leftSection={<DeleteIcon size={14} />}
        onClick={() => act("delete")}
      >
        Delete
      </Button>
      <Tooltip label="Select none (Esc)">
        <ActionIcon size="sm" aria-label="Select none" onClick={clear}>
          <CloseIcon size={14} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** Only static segments have a list of members; the others follow their condition. */
function SegmentMenu({ act }: Pick<Props, "act">) {
  const { data = [] } = useApi("GET /segments", {});
  const segments = data.filter(({ type }) => type === "STATIC");
  return (
    <MenuButton
      className={classes.columns}
      button={(opener) => (
        <Button {...opener} variant="default" size="compact-sm" leftSection={<SegmentsIcon size={14} />}>
          Segment
        </Button>
      )}
    >
      {segments.length === 0 && <Menu.Label>There is no static segment yet</Menu.Label>}
      {segments.length > 0 && <Menu.Label>Add to</Menu.Label>}
      {segments.map((segment) => (
        <Menu.Item key={segment.id} onClick={() => act("add", segment)}>
          {segment.name}
        </Menu.Item>
      ))}
      {segments.length > 0 && <Menu.Label>Remove from</Menu.Label>}
      {segments.map((segment) => (
        <Menu.Item
          key={segment.id}
          onClick={() => act("remove", segment)}
          aria-label={`Remove from ${segment.name}`}
        >
          {segment.name}
        </Menu.Item>
      ))}
    </MenuButton>
  );
}
