// What is drawn when it is opened for the first time. A closed menu or dialog of the library costs as much as some rows of a list.
import { useLayoutEffect, useState } from "react";

/**
 * Whether something that opens is to be in the document, and whether it is open there. From its first opening on it stays, so that
 * it fades when it closes. It begins closed and opens at once: the library keeps in mind where the focus was when that changes.
 */
export function useFirstOpening(isOpen: boolean): { isDrawn: boolean; isOpen: boolean } {
  const [wasOpened, setWasOpened] = useState(false);
  useLayoutEffect(() => {
    if (isOpen) setWasOpened(true);
  }, [isOpen]);
  return { isDrawn: isOpen || wasOpened, isOpen: isOpen && wasOpened };
}
