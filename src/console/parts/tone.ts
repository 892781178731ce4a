// The one set of colours for states.

/** What a state means to people. */
export type Tone = "fine" | "warn" | "bad" | "busy" | "quiet";
