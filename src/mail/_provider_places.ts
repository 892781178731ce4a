// How many mails are in progress at one provider of mailboxes: many domains may lead to it, and it counts our connections.

/** Places at providers. */
export interface Places {
  /** Resolves when there is a place; what is returned gives it back. First come, first served. */
  enter(provider: string): Promise<() => void>;
  /** Lets in all who wait, however many they are: nothing is sent any more. */
  close(): void;
}

/** So many places at each provider. */
export function createPlaces(perProvider: number): Places {
  const taken = new Map<string, { count: number; waiting: (() => void)[] }>();
  return {
    async enter(provider) {
      const there = taken.get(provider) ?? { count: 0, waiting: [] };
      taken.set(provider, there);
      if (there.count < perProvider) there.count += 1;
      // Whoever leaves hands over the place.
      else await new Promise<void>((resolve) => there.waiting.push(resolve));
      return () => {
        const next = there.waiting.shift();
        if (next) return next();
        there.count -= 1;
        if (there.count === 0) taken.delete(provider);
      };
    },
    close() {
      for (const { waiting } of taken.values()) for (const next of waiting.splice(0)) next();
    },
  };
}
