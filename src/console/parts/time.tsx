// A moment.
import { formatExact, formatRelative, useNow } from "./format.ts";

/** How long ago, or how soon; the exact moment on hover, and for screen readers. */
export function Time({ at }: { at: string | Date | null | undefined }) {
  const now = useNow();
  if (!at) return <>–</>;
  const exact = formatExact(at);
  return (
    // Of the browser: long lists have thousands of them.
    <time dateTime={new Date(at).toISOString()} title={exact} aria-label={exact}>
      {formatRelative(at, Math.max(now, Date.now() - 1000))}
    </time>
  );
}
