// The types of steps, offered at the button that was pressed.
import { Menu } from "@mantine/core";
import type { StepType } from "../../parts/canvas/graph.ts";
import { ADDED_TYPES, STEP_KINDS } from "../../parts/canvas/step_types.tsx";
import type { Where } from "./model.ts";

/** Where a step is to be added, and at which place of the window that is asked. */
export interface Growing {
  where: Exclude<Where, null>;
  at: { left: number; top: number };
}

interface Props {
  growing: Growing | null;
  add: (type: StepType, where: Where) => void;
  close: () => void;
}

export function AddMenu({ growing, add, close }: Props) {
  if (!growing) return null;
  return (
    <Menu opened onClose={close} position="bottom" withinPortal trapFocus returnFocus>
      <Menu.Target>
        <button
          type="button"
          tabIndex={-1}
          aria-label="Add a step"
          style={{ position: "fixed", width: 1, height: 1, padding: 0, border: 0, opacity: 0, ...growing.at }}
        />
      </Menu.Target>
      <Menu.Dropdown aria-label="Add a step">
        {ADDED_TYPES.map((type) => {
          const { icon: Shape, label } = STEP_KINDS[type];
          return (
            <Menu.Item
              key={type}
              leftSection={<Shape size={16} />}
              onClick={() => {
                close();
                add(type, growing.where);
              }}
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
