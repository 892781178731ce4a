// Where Debian and others put Chromium.
import { existsSync } from "node:fs";

/** The browser of this machine. Undefined where there is none: what needs it is skipped then, and says so. */
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);

/** What the name of a test says where it is skipped. */
export const noChromium = CHROMIUM ? "" : " (skipped: no Chromium in /usr/bin)";
