// A dialog with a form in it.
import { Modal, type ModalProps } from "@mantine/core";
import { useState } from "react";
import { leave } from "../leaving.ts";
import { useFirstOpening } from "./first_opening.ts";
import { useQuestion } from "./question.ts";
import { type FormScope, FormScopeContext } from "./unsaved.ts";

interface Props extends ModalProps {
  /** Whether the address opens it. */
  isInAddress?: boolean;
}

/** As `Modal`. Before Escape, its cross or a click outside it takes away what has been written in it, it asks. */
export function FormDialog({ opened, onClose, isInAddress = false, children, ...others }: Props) {
  const [scope] = useState((): FormScope => ({ drafts: new Set(), isInAddress }));
  // One Escape answers the question, and does not close what is behind it.
  const isAsked = useQuestion() !== null;
  const { isDrawn, isOpen } = useFirstOpening(opened);
  if (!isDrawn) return null;
  return (
    <Modal {...others} opened={isOpen} onClose={() => leave(onClose, scope.drafts)} closeOnEscape={!isAsked}>
      <FormScopeContext value={scope}>{children}</FormScopeContext>
    </Modal>
  );
}
