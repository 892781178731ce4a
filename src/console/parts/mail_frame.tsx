// A mail as a mail program draws it. The frame's own page allows styles and no scripts, and remote images only
// when they are asked for: loading one tells its sender that somebody looked.
import { useEffect, useRef } from "react";
import { APP } from "../place.ts";
import { shownMail } from "./mail_html.ts";

interface Props {
  html: string;
  /** For screen readers: `Mail: Welcome`. */
  title: string;
  withPictures?: boolean;
  /** As mail programs show it in dark mode. */
  isDark?: boolean;
}

/** A mail that is wider than its frame is made smaller, as mail programs on phones do. */
function fit(page: Document): void {
  const { documentElement: root, defaultView: view } = page;
  if (!root || !view) return;
  root.style.zoom = "";
  const width = root.scrollWidth;
  if (width > view.innerWidth) root.style.zoom = String(view.innerWidth / width);
}

/** The frame. It fills its container. */
export function MailFrame({ html, title, withPictures = false, isDark = false }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const address = `${APP}/frame${withPictures ? "?pictures=true" : ""}`;
  useEffect(() => {
    const shown = frame.current;
    const again = () => shown?.contentDocument && fit(shown.contentDocument);
    // Before its page is there the frame holds an empty one, with the console's own limits; as its page begins it has no root.
    const write = () => {
      const page = shown?.contentDocument;
      if (!page?.documentElement || !page.URL.endsWith(address)) return;
      // What is read stays where it is while it is written again.
      const at = page.scrollingElement?.scrollTop ?? 0;
      page.documentElement.innerHTML = shownMail(html, { withPictures, isDark });
      // Pictures come late, and may be wider than all that was there before.
      page.addEventListener("load", again, true);
      if (page.scrollingElement) page.scrollingElement.scrollTop = at;
      fit(page);
    };
    write();
    shown?.addEventListener("load", write);
    const watch = new ResizeObserver(again);
    if (shown) watch.observe(shown);
    return () => {
      watch.disconnect();
      shown?.removeEventListener("load", write);
      shown?.contentDocument?.removeEventListener("load", again, true);
    };
  }, [html, address, withPictures, isDark]);
  return (
    <iframe
      ref={frame}
      title={title}
      src={address}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      style={{
        border: 0,
        width: "100%",
        height: "100%",
        background: isDark ? "#121212" : "white",
        colorScheme: "light",
      }}
    />
  );
}
