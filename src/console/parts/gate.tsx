// What takes a role: shown to everybody, and to those who may not, with the reason.
import { Tooltip } from "@mantine/core";
import { cloneElement, type ReactElement } from "react";
import type { Project } from "../api.gen.ts";
import { useRole } from "../session.ts";

interface Props {
  role: Project["role"];
  /** A button, or anything that takes `disabled`. */
  children: ReactElement<{ disabled?: boolean; "aria-description"?: string }>;
}

/** A button that only some may press: `<Gate role="ADMIN"><Button>…</Button></Gate>`. */
export function Gate({ role, children }: Props) {
  const { isAllowed, reason } = useRole(role);
  if (isAllowed) return children;
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      {/* A disabled button tells nobody that the pointer is over it. */}
      <span tabIndex={0} role="note" aria-label={reason!}>
        {cloneElement(children, { disabled: true })}
      </span>
    </Tooltip>
  );
}
