// A mail as a mail program draws it. The frame's own page allows styles and no scripts, and pictures from elsewhere only
// when they are asked for: loading one tells its sender that somebody looked.
import { useEffect, useRef } from "react";
import { APP } from "../place.ts";

interface Props {
  html: string;
  /** For readers of the screen: `Mail: Welcome`. */
  title: string;
  withPictures?: boolean;
  /** As programs show it that are set to dark. */
  isDark?: boolean;
}

/** The frame. It fills what it stands in. */
export function MailFrame({ html, title, withPictures = false, isDark = false }: Props) {
  const frame = useRef<HTMLIFrameElement>(null);
  const address = `${APP}/frame${withPictures ? "?pictures=true" : ""}`;
  useEffect(() => {
    const shown = frame.current;
    // Before its page is there the frame holds an empty one, with the console's own limits.
    const write = () => {
      const page = shown?.contentDocument;
      if (!page?.URL.endsWith(address)) return;
      // What is read stays where it is while it is written anew.
      const at = page.scrollingElement?.scrollTop ?? 0;
      page.documentElement.innerHTML = withNewWindows(isDark ? darkened(html) : html);
      if (page.scrollingElement) page.scrollingElement.scrollTop = at;
    };
    write();
    shown?.addEventListener("load", write);
    return () => shown?.removeEventListener("load", write);
  }, [html, address, isDark]);
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

/** Links open in a window of their own: in the frame they would lead nowhere. */
function withNewWindows(html: string): string {
  return inHead(html, '<base target="_blank">');
}

const DARK_RULES = /@media([^{]*)\(\s*prefers-color-scheme\s*:\s*dark\s*\)/gi;

/** A mail's own colours for the dark where it has some; otherwise turned around, as most programs do, but for its pictures. */
function darkened(html: string): string {
  const own = html.replace(DARK_RULES, "@media$1(min-width: 0)");
  if (own !== html) return own;
  const turned =
    "html { background: #ededed; filter: invert(1) hue-rotate(180deg); } img { filter: invert(1) hue-rotate(180deg); }";
  return inHead(html, `<style>${turned}</style>`);
}

function inHead(html: string, extra: string): string {
  return /<head[\s>]/i.test(html) ? html.replace(/<head([^>]*)>/i, `<head$1>${extra}`) : extra + html;
}
