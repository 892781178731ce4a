/** How long discovered metadata is used. */
const LIFETIME_MS = 3_600_000;
/** After a failure the provider is not asked again for this long: requests in the meantime get the failure. */
const PAUSE_MS = 5_000;

/** Something that has to be asked for, and counts for a while. */
interface Source<Found> {
  find(): Promise<Found>;
  now(): Date;
}

/** Returns the metadata; concurrent callers share one request. A failure is thrown, and soon tried again. */
export function createDiscovery<Found>({ find, now }: Source<Found>): () => Promise<Found> {
  let known: { found: Found; until: number } | null = null;
  let failure: { error: unknown; until: number } | null = null;
  let underway: Promise<Found> | null = null;

  const search = async (): Promise<Found> => {
    try {
      const found = await find();
      known = { found, until: now().getTime() + LIFETIME_MS };
      failure = null;
      return found;
    } catch (error) {
      failure = { error, until: now().getTime() + PAUSE_MS };
      throw error;
    } finally {
      underway = null;
    }
  };

  return async () => {
    const time = now().getTime();
    if (known && known.until > time) return known.found;
    if (failure && failure.until > time) throw failure.error;
    return await (underway ??= search());
  };
}
