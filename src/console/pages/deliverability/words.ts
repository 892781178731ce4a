// Mailbox providers as people call them, and times.
const NAMES: Record<string, string> = {
  gmx: "GMX",
  mailru: "Mail.ru",
  tonline: "T-Online",
  netease: "NetEase",
  other: "Others",
};

/** `google` as `Google`. */
export function providerName(key: string): string {
  return NAMES[key] ?? key.charAt(0).toUpperCase() + key.slice(1);
}

const one = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** Seconds as `0.4 s`, `3 min` or `1.5 h`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${one.format(seconds)}\u00a0s`;
  return seconds < 3_600 ? `${one.format(seconds / 60)}\u00a0min` : `${one.format(seconds / 3_600)}\u00a0h`;
}

/** Above it a rate is shown as bad: as the API opens an alert. */
export const LEVELS = { bounceRate: 2, complaintRate: 0.1, deferralRate: 10 } as const;
