// Dragging with a finger or a pen. The drag of HTML is for a mouse, and on most phones begins after a long press only: here what is
// below the finger is told of it by the same events, so that whatever takes a drag by mouse takes this one, too.

/** A drag, from where it begins. */
interface TouchDrag {
  /** What is carried, as in a drag by mouse. */
  data?: { type: string; value: string };
  begin?: () => void;
  /** It is over, dropped or not. */
  end?: () => void;
  /** Whether a copy of it is under the finger, as a mouse has one under its pointer. */
  withCopy?: boolean;
}

/** Less is a tap. */
const FAR_PX = 6;
/** So near to its edge what can be scrolled is scrolled. */
const EDGE_PX = 48;
const SCROLL_PX = 9;

/** For `onPointerDown` of what is dragged. Give it `touch-action: none`: otherwise the finger scrolls. */
export function dragByTouch(
  down: React.PointerEvent<HTMLElement>,
  { data, begin, end, withCopy = false }: TouchDrag,
): void {
  if (down.pointerType === "mouse" || !down.isPrimary) return;
  const handle = down.currentTarget;
  const carried = new DataTransfer();
  if (data) carried.setData(data.type, data.value);
  let last: PointerEvent = down.nativeEvent;
  let over: Element | null = null;
  let frame = 0;
  let copy: HTMLElement | undefined;
  const tell = (type: string, target: Element | null) => {
    const { clientX, clientY } = last;
    const told = new DragEvent(type, {
      bubbles: true,
      cancelable: true,
      clientX,
      clientY,
      dataTransfer: carried,
    });
    return target !== null && !target.dispatchEvent(told);
  };
  /** Whether it can be dropped here. */
  const look = () => {
    const below = document.elementFromPoint(last.clientX, last.clientY);
    if (over !== below) tell("dragleave", over);
    over = below;
    return tell("dragover", over);
  };
  const follow = () => {
    scrollAt(over, last.clientY);
    if (copy) copy.style.translate = `${last.clientX + 12}px ${last.clientY - 48}px`;
    look();
    frame = requestAnimationFrame(follow);
  };
  const onMove = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return;
    last = event;
    const isFar = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > FAR_PX;
    if (frame !== 0 || !isFar) return;
    begin?.();
    if (withCopy) document.body.append((copy = copyOf(handle)));
    frame = requestAnimationFrame(follow);
  };
  const onEnd = (event: PointerEvent) => {
    if (event.pointerId !== down.pointerId) return;
    for (const [name, listener] of listeners) handle.removeEventListener(name, listener as EventListener);
    if (frame === 0) return;
    cancelAnimationFrame(frame);
    copy?.remove();
    if (event.type === "pointerup") last = event;
    const isTaken = event.type === "pointerup" && look();
    tell(isTaken ? "drop" : "dragleave", over);
    end?.();
  };
  const listeners = [
    ["pointermove", onMove],
    ["pointerup", onEnd],
    ["pointercancel", onEnd],
  ] as const;
  for (const [name, listener] of listeners) handle.addEventListener(name, listener as EventListener);
}

function copyOf(handle: HTMLElement): HTMLElement {
  const copy = handle.cloneNode(true) as HTMLElement;
  copy.setAttribute("aria-hidden", "true");
  copy.inert = true;
  Object.assign(copy.style, {
    position: "fixed",
    zIndex: "1000",
    top: "0",
    left: "0",
    border: "1px solid var(--line)",
    background: "var(--raised)",
    boxShadow: "0 4px 14px rgb(0 0 0 / 18%)",
    pointerEvents: "none",
  });
  return copy;
}

function scrollAt(over: Element | null, y: number): void {
  for (let one = over; one; one = one.parentElement) {
    if (one.scrollHeight <= one.clientHeight || !/auto|scroll/.test(getComputedStyle(one).overflowY))
      continue;
    const { top, bottom } = one.getBoundingClientRect();
    const by = y < top + EDGE_PX ? -SCROLL_PX : y > bottom - EDGE_PX ? SCROLL_PX : 0;
    one.scrollBy(0, by);
    return;
  }
}
