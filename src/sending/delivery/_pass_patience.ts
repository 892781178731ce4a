// How long a pass waits for more to do while mails are in progress: a tenth of the time that one takes. A pass costs Postgres
// 2 ms, however few mails are in it, and at a server that takes 100 ms a mail, 40 connections end one each 3 ms.
const LEAST_MS = 3;
const MOST_MS = 20;
const PART = 0.1;
/** How much the last mail counts in how long one usually takes. */
const LAST_COUNTS = 0.1;

/** Calls `tired` when it has waited long enough. */
export class PassPatience {
  private readonly tired: () => void;
  private usualMs = 0;
  private isWaiting = false;
  private isHurried = false;

  constructor(tired: () => void) {
    this.tired = tired;
  }

  /** How long a mail was on its connection. */
  note(ms: number): void {
    this.usualMs += (ms - this.usualMs) * LAST_COUNTS;
  }

  /** How long it waits now, in milliseconds. */
  get ms(): number {
    return Math.min(MOST_MS, Math.max(LEAST_MS, this.usualMs * PART));
  }

  /** Begins to wait, unless it does already. */
  wait(): void {
    if (this.isWaiting) return;
    this.isWaiting = true;
    setTimeout(() => {
      this.isWaiting = false;
      this.tired();
    }, this.ms);
  }

  /** Somebody waits for a single mail: it does not wait longer for others than at a fast server. */
  hurry(): void {
    if (!this.isWaiting || this.isHurried || this.ms === LEAST_MS) return;
    this.isHurried = true;
    setTimeout(() => {
      this.isHurried = false;
      this.tired();
    }, LEAST_MS);
  }
}
