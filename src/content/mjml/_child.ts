// A program of its own, started by `_process.ts` for each body: MJML comes on standard input, and the result goes to
// standard output.
import mjml2html from "mjml";
import type { MjmlResult } from "./_process.ts";

/** More than a mail may have; the caller must not have to read all of it. */
const MAX_CHARS = 4_000_000;

/** What MJML makes of a source, and what it says about it. */
export async function compileSource(source: string): Promise<MjmlResult> {
  try {
    // Its own fonts would be links to Google in each mail that names one of them, and the usual text names Ubuntu. A template
    // links what it needs with `mj-font`.
    const { html, errors } = await mjml2html(source, { ignoreIncludes: true, fonts: {} });
    const complaints = errors.map(({ line, tagName, message }) => ({ line, tagName, message }));
    return { html: html.length > MAX_CHARS ? null : html, complaints };
  } catch {
    // Its own words are about its own files.
    return {
      html: "",
      complaints: [{ line: 1, tagName: "mjml", message: "MJML cannot compile this" }],
    };
  }
}

if (import.meta.main) {
  await Bun.write(Bun.stdout, JSON.stringify(await compileSource(await Bun.stdin.text())));
}
