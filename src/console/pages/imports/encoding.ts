// The letters of a file. The service takes UTF-8; spreadsheets save what the system writes, or UTF-16.

/** What `TextDecoder` takes. */
type Encoding = "windows-1252" | "utf-16le" | "utf-16be";

/** A file as it is sent, and in which encoding it was if that was another one. */
export interface Readable {
  file: File;
  encoding: Encoding | null;
}

/** The same file in UTF-8. What is no Unicode is taken for the encoding of Western European systems, which has a letter for nearly every byte. */
export async function inUtf8(file: File): Promise<Readable> {
  const encoding = await encodingOf(file);
  if (encoding === null) return { file, encoding };
  const text = file
    .stream()
    .pipeThrough(new TextDecoderStream(encoding))
    .pipeThrough(new TextEncoderStream());
  const { name, lastModified } = file;
  const parts = [await new Response(text).blob()];
  return { file: new File(parts, name, { type: "text/csv", lastModified }), encoding };
}

async function encodingOf(file: File): Promise<Encoding | null> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  try {
    const read = file.stream().pipeThrough(new TextDecoderStream("utf-8", { fatal: true }));
    await read.pipeTo(new WritableStream());
    return null;
  } catch (error) {
    // A file that cannot be read at all is no such fault.
    if (error instanceof TypeError) return "windows-1252";
    throw error;
  }
}
