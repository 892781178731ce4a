// Jobs that are locked, and that nobody works on.

/** A job that is locked, and in which name. */
export interface HeldJob {
  id: string;
  pool: string;
}

/** Marks may still be withdrawn when first seen, but not by the next look. */
const LOOKS_OURS = 1;
/** Another process may be frozen for a while, before its heartbeat tells its name. */
const LOOKS_STRANGE = 3;

/** Looks again and again, and says which of the jobs that are locked by mistake have been seen so often that they are lost. */
export class LostGrip {
  private seen = new Map<string, number>();

  /** `mistaken`: in our name, and not being worked on, or in a name that no process has told. */
  look(mistaken: HeldJob[], isOurs: (pool: string) => boolean): { ours: HeldJob[]; strange: HeldJob[] } {
    const before = this.seen;
    const key = ({ id, pool }: HeldJob) => `${pool} ${id}`;
    this.seen = new Map(mistaken.map((job) => [key(job), (before.get(key(job)) ?? 0) + 1]));
    const looks = (job: HeldJob) => before.get(key(job)) ?? 0;
    return {
      ours: mistaken.filter((job) => isOurs(job.pool) && looks(job) >= LOOKS_OURS),
      strange: mistaken.filter((job) => !isOurs(job.pool) && looks(job) >= LOOKS_STRANGE),
    };
  }
}
