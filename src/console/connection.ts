// Whether the service answers, and to whom. While it does not, it is asked every few seconds; the banner is what people see of
// this.
const ASK_MS = 2_000;

const listeners = new Set<() => void>();
let isLost = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let ask: () => Promise<boolean> = async () => true;
let doubt: (status: 401 | 403) => void = () => {};

/** Whether contact is lost now, for `useSyncExternalStore`. */
export const connection = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  isLost: () => isLost,
};

/** How it is found out that the service answers again. */
export function askBy(question: () => Promise<boolean>): void {
  ask = question;
}

/** What is done when a call was refused for who one is or what one may: a session or a role may have changed elsewhere. */
export function doubtSessionBy(act: (status: 401 | 403) => void): void {
  doubt = act;
}

/** A call was refused because nobody is logged in, or for a wrong password (401), or because one may not (403). */
export const doubtSession = (status: 401 | 403): void => doubt(status);

/** A call was not answered, or a proxy answered in the place of the service. */
export function lostContact(): void {
  if (isLost) return;
  set(true);
  askAgain();
}

/** A call was answered. */
export function madeContact(): void {
  if (!isLost) return;
  clearTimeout(timer);
  set(false);
}

function askAgain(): void {
  timer = setTimeout(async () => {
    if (await ask().catch(() => false)) madeContact();
    else if (isLost) askAgain();
  }, ASK_MS);
}

function set(value: boolean): void {
  isLost = value;
  for (const listener of listeners) listener();
}
