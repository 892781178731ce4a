// A mail as a mail program draws it. The frame's own page allows styles and no scripts, and pictures from elsewhere only
// when they are asked for: loading one tells its sender that somebody looked.
import { useEffect, useRef } from "react";
import { APP } from "../place.ts";

interface Props {
  html: string;
  /** For readers of the screen: `Mail: Welcome`. */
  title: string;
  withPictures?: boolean;
}

/** The frame. It fills what it stands in. */
export function MailFrame({ html, title, withPictures = false }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const address = `${APP}/frame${withPictures ? "?pictures=true" : ""}`;
  useEffect(() => {
    const shown = frame.current;
    // Before its page is there the frame holds an empty one, with the console's own limits.
    const write = () => {
      const page = shown?.contentDocument;
      if (page?.URL.endsWith(address)) page.documentElement.innerHTML = withNewWindows(html);
    };
    write();
    shown?.addEventListener("load", write);
    return () => shown?.removeEventListener("load", write);
  }, [html, address]);
  return (
    <iframe
      ref={frame}
      title={title}
      src={address}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      style={{ border: 0, width: "100%", height: "100%", background: "white", colorScheme: "light" }}
    />
  );
}

/** Links open in a window of their own: in the frame they would lead nowhere. */
function withNewWindows(html: string): string {
  const base = '<base target="_blank">';
  return /<head[\s>]/i.test(html) ? html.replace(/<head([^>]*)>/i, `<head$1>${base}`) : base + html;
}
