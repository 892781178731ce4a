// What settings can be, in words.

/** Of the footer and the hosted pages. */
export const LANGUAGES = [
  { value: "en", label: "English" },
  { value: "nl", label: "Dutch" },
  { value: "de", label: "German" },
  { value: "fr", label: "French" },
  { value: "es", label: "Spanish" },
  { value: "pt", label: "Portuguese" },
  { value: "it", label: "Italian" },
];

export const TRACKING = [
  { value: "ENABLED", label: "Tracked for all mail" },
  { value: "MARKETING_ONLY", label: "Tracked for marketing mail only" },
  { value: "DISABLED", label: "Not noted" },
];

/** Kinds of mail. */
export const RESENT = [
  { value: "TRANSACTIONAL", label: "Transactional mail" },
  { value: "WORKFLOW", label: "Mail of workflows" },
  { value: "CAMPAIGN", label: "Campaigns" },
];

/** Those that the browser knows, and the one that it may leave out. */
export const ZONES: string[] = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
