// How long a worker waits before it takes something for broken.

/** The times of a worker, in milliseconds. Tests wait less. */
export interface LanePatience {
  /** From one heartbeat to the next, and from one look at the lanes to the next. */
  beatMs: number;
  /** Without a job a lane asks for one every second. One that has not for so long, while a job was due, is stalled. */
  staleMs: number;
  /** As long as that after the database is back, a lane is given to find its way again. */
  doubtMs: number;
  /** From one look for jobs that are locked and not worked on to the next (`_lost_grip.ts`). */
  gripMs: number;
  /** Where nobody could send a heartbeat, as while the database was away, all look dead: each gets time to report. */
  gapMs: number;
}

export const PATIENCE: LanePatience = {
  beatMs: 3_000,
  staleMs: 10_000,
  doubtMs: 5_000,
  gripMs: 10_000,
  gapMs: 10_000,
};
