// Reads server-sent events as a browser does.

/** A message of a stream of events. */
export interface Message {
  id?: string;
  event?: string;
  // Tests look into messages of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  data?: any;
}

/** Reads a stream message by message. */
export class StreamReader {
  #text = "";
  #body: ReadableStreamDefaultReader<Uint8Array>;
  readonly response: Response;
  constructor(response: Response) {
    this.response = response;
    this.#body = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  /** The next message with data; null at the end. */
  async next(): Promise<Message | null> {
    for (;;) {
      const end = this.#text.indexOf("\n\n");
      if (end === -1) {
        const { done, value } = await this.#body.read();
        if (done) return null;
        this.#text += new TextDecoder().decode(value);
        continue;
      }
      const lines = this.#text.slice(0, end).split("\n");
      this.#text = this.#text.slice(end + 2);
      const fields = Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2)));
      if (fields.data !== undefined) return { ...fields, data: JSON.parse(fields.data) };
    }
  }

  /** The names of the next events that were tracked. */
  async names(count: number): Promise<string[]> {
    const names: string[] = [];
    while (names.length < count) names.push((await this.next())!.data.metadata.eventName);
    return names;
  }

  /** Hangs up. */
  async leave(): Promise<void> {
    await this.#body.cancel();
  }
}
