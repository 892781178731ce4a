// Buttons with a menu, or with another box, that is drawn when it is opened for the first time: every row of a list may have one.
import { Menu, type MenuProps, Popover, type PopoverProps } from "@mantine/core";
import {
  type ReactElement,
  type ReactNode,
  type Ref,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from "react";
import { useFirstOpening } from "./first_opening.ts";
import { MoreIcon } from "./icons.tsx";
import classes from "./menu_button.module.css";

/** What the button has to take: it opens and closes the box, and says so. */
export interface Opener {
  ref: Ref<HTMLButtonElement>;
  id: string;
  onClick: () => void;
  "aria-haspopup": "menu" | "dialog";
  "aria-expanded": boolean;
  "aria-controls": string | undefined;
}

interface MenuButtonProps extends Pick<MenuProps, "position" | "width" | "closeOnItemClick"> {
  /** The button, with what it has to take: `(opener) => <Button {...opener}>Export</Button>`. */
  button: (opener: Opener) => ReactElement;
  /** Of the list in the menu. */
  className?: string | undefined;
  /** The entries: components of their own if they need hooks, so that a closed menu has none. */
  children: ReactNode;
}

/** A button with a menu. */
export function MenuButton({
  button,
  className,
  children,
  position = "bottom-end",
  ...menu
}: MenuButtonProps) {
  const [isWanted, setWanted] = useState(false);
  const { opener, anchor, isDrawn, isOpen } = useOpener("menu", isWanted, setWanted);
  return (
    <>
      {button(opener)}
      {isDrawn && (
        <Menu {...menu} id={opener.id} opened={isOpen} onChange={setWanted} position={position}>
          <Menu.Target>
            <Anchor button={anchor} />
          </Menu.Target>
          <Menu.Dropdown className={className!}>{children}</Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}

interface BoxButtonProps extends Pick<PopoverProps, "position" | "width"> {
  /** As that of {@linkcode MenuButton}. */
  button: (opener: Opener) => ReactElement;
  /** What is in the box, for screen readers. */
  label: string;
  isOpen: boolean;
  setOpen: (isOpen: boolean) => void;
  children: ReactNode;
}

/** A button with a small form. */
export function BoxButton({ button, label, isOpen: isWanted, setOpen, children, ...box }: BoxButtonProps) {
  const { opener, anchor, isDrawn, isOpen } = useOpener("dialog", isWanted, setOpen);
  return (
    <>
      {button(opener)}
      {isDrawn && (
        <Popover {...box} id={opener.id} opened={isOpen} onChange={setOpen} trapFocus returnFocus shadow="md">
          <Popover.Target>
            <Anchor button={anchor} />
          </Popover.Target>
          <Popover.Dropdown aria-label={label}>{children}</Popover.Dropdown>
        </Popover>
      )}
    </>
  );
}

/** Three dots at the end of a row, with what can be done with it. */
export function RowMenu({
  label,
  className = "",
  children,
}: {
  label: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <MenuButton
      button={(opener) => (
        <button {...opener} type="button" className={`${classes.dots} ${className}`} aria-label={label}>
          <MoreIcon size={16} />
        </button>
      )}
    >
      {children}
    </MenuButton>
  );
}

function useOpener(kind: Opener["aria-haspopup"], isWanted: boolean, setWanted: (isWanted: boolean) => void) {
  const anchor = useRef<HTMLButtonElement>(null);
  const id = useId();
  const { isDrawn, isOpen } = useFirstOpening(isWanted);
  const opener: Opener = {
    ref: anchor,
    id,
    onClick: () => setWanted(!isWanted),
    "aria-haspopup": kind,
    "aria-expanded": isOpen,
    // As the library calls the box of what has this id.
    "aria-controls": isOpen ? `${id}-dropdown` : undefined,
  };
  return { opener, anchor, isDrawn, isOpen };
}

interface AnchorProps {
  button: React.RefObject<HTMLButtonElement | null>;
  /** Of the library: it wants to know where the box belongs. */
  ref?: Ref<HTMLButtonElement>;
}

/** Stands for the button inside of the library's parts. The button itself is drawn long before them. */
function Anchor({ button, ref }: AnchorProps) {
  useImperativeHandle(ref, () => button.current!, [button]);
  return null;
}
