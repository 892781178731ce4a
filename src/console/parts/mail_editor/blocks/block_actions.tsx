// What can be done with a block, at its right.
import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { CopyIcon, DeleteIcon, DownIcon, MoreIcon, UpIcon } from "../../icons.tsx";
import classes from "./blocks.module.css";
import type { useMoves } from "./moves.ts";

interface Props {
  moves: ReturnType<typeof useMoves>;
  name: string;
  isFirst: boolean;
  isLast: boolean;
}

/** Up, down, and the rest in a menu. */
export function BlockActions({ moves, name, isFirst, isLast }: Props) {
  return (
    <span className={classes.actions}>
      <Tooltip label="Up (Alt+↑)">
        <ActionIcon
          size={24}
          aria-label={`Move up: ${name}`}
          disabled={isFirst}
          onClick={() => moves.step(-1)}
        >
          <UpIcon size={14} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Down (Alt+↓)">
        <ActionIcon
          size={24}
          aria-label={`Move down: ${name}`}
          disabled={isLast}
          onClick={() => moves.step(1)}
        >
          <DownIcon size={14} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon size={24} aria-label={`More for ${name}`}>
            <MoreIcon size={14} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<CopyIcon size={14} />} onClick={moves.duplicate}>
            Duplicate
          </Menu.Item>
          <Menu.Item color="red" leftSection={<DeleteIcon size={14} />} onClick={moves.remove}>
            Remove
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </span>
  );
}
