// How long to wait for a server. Not left to the timer of the socket: that one is restarted by every byte, whatever it
// says, and does not run at all (Bun 1.4.4) while something is still to be written.

import type { Failure } from "./_smtp_dialogue.ts";

/** The limits, in milliseconds. */
export interface PatienceOptions {
  /** Without a sign of progress. */
  socketTimeout: number;
  /** For a whole message, and for opening a connection, regardless of progress. */
  messageTimeout: number;
}

/** Watches over one thing at a time. */
export interface SmtpPatience {
  /** Something begins. */
  begin(): void;
  /** It continues: a piece was taken, or a whole reply came. */
  note(): void;
  /** It is done. */
  end(): void;
}

/** Calls `giveUp` when an operation takes too long. */
export function createPatience(options: PatienceOptions, giveUp: (reason: Failure) => void): SmtpPatience {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let beganAt = 0;
  let progressAt = 0;
  const watch = () => {
    const limit = Math.min(progressAt + options.socketTimeout, beganAt + options.messageTimeout);
    const left = limit - performance.now();
    // Progress is only noted; the timer looks for it when it comes, which is far less often.
    if (left > 0) timer = setTimeout(watch, Math.ceil(left));
    else giveUp(new Error("Timeout: the server takes too long"));
  };
  return {
    begin() {
      clearTimeout(timer);
      beganAt = progressAt = performance.now();
      watch();
    },
    note: () => void (progressAt = performance.now()),
    end: () => clearTimeout(timer),
  };
}
