import PostalMime, { type Email } from "postal-mime";

/** A mail as a reader that is not ours understands it. Its texts are without line ends after them: readers add one. */
export async function readMail(source: string | Uint8Array): Promise<Email> {
  const email = await PostalMime.parse(source);
  for (const part of ["html", "text"] as const)
    if (email[part] !== undefined) email[part] = email[part].replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  return email;
}
