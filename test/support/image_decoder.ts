// Decodes images with Chromium: what people will see, by a program that is not ours.
import { openBrowser } from "./chromium.ts";

/** An image as a browser shows it. */
export interface Shown {
  /** How often it is repeated after the first time; null for without end. */
  repetitions: number | null;
  frames: {
    /** In milliseconds; null for a still picture. */
    duration: number | null;
    width: number;
    height: number;
    /** Of the pixels at these places, across and down: red, green, blue, alpha. */
    pixels: number[][];
  }[];
}

const SCRIPT = `async ({ base64, type, places }) => {
  const data = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const decoder = new ImageDecoder({ data, type });
  await decoder.completed;
  await decoder.tracks.ready;
  const { frameCount, repetitionCount } = decoder.tracks.selectedTrack;
  const frames = [];
  for (let frameIndex = 0; frameIndex < frameCount; frameIndex++) {
    const { image } = await decoder.decode({ frameIndex });
    const canvas = new OffscreenCanvas(image.displayWidth, image.displayHeight);
    const on = canvas.getContext("2d", { willReadFrequently: true });
    on.drawImage(image, 0, 0);
    frames.push({
      duration: image.duration === null ? null : image.duration / 1000,
      width: image.displayWidth,
      height: image.displayHeight,
      pixels: places.map(([x, y]) => [...on.getImageData(x, y, 1, 1).data]),
    });
    image.close();
  }
  return { repetitions: repetitionCount === Infinity ? null : repetitionCount, frames };
}`;

/** Starts a browser that decodes. */
export async function startImageDecoder() {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response("", { headers: { "content-type": "text/html" } }),
  });
  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(server.url.href);
  return {
    async show(image: Uint8Array, type: string, places: [number, number][]): Promise<Shown> {
      const base64 = Buffer.from(image).toString("base64");
      return await page.evaluate(`(${SCRIPT})(${JSON.stringify({ base64, type, places })})`);
    },
    async stop(): Promise<void> {
      await page.close();
      await server.stop(true);
    },
  };
}
