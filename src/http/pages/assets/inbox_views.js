// The views of an open mail: HTML, Text, Source and Attachments. All that a mail says is set as text; its HTML is only
// ever shown in a frame that runs no scripts.
import { ask, mailAddress } from "./inbox_api.js";

// More than this is no reading matter; the whole is a link away.
const MAX_SOURCE_CHARS = 300_000;
const LINK = /(https?:\/\/[^\s<>"]*[^\s<>"'.,;:!?)\]}])/;

/** The view and the width of the preview that the reader chose last. */
const chosen = { view: "HTML", width: "Desktop" };

/** An element with its properties, `aria-` and `role` attributes, and children. Strings become text. */
export function element(name, properties = {}, children = []) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "role" || key.startsWith("aria-")) made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** The row of tabs and the panel below it. A view is made when it is first looked at. */
export function views(mail) {
  const makers = { HTML: htmlView, Text: textView, Source: sourceView, Attachments: attachmentsView };
  const panel = element("div", { className: "view", role: "tabpanel", id: "view", tabIndex: 0 });
  const preview = widthButtons(panel);
  const tabs = Object.keys(makers).map((name) => {
    const tab = element(
      "button",
      { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "view" },
      [name],
    );
    if (name === "Attachments" && mail.attachments.length > 0) {
      tab.append(element("span", { className: "count" }, [String(mail.attachments.length)]));
    }
    tab.addEventListener("click", () => {
      chosen.view = name;
      show(name);
    });
    return tab;
  });
  const show = (name) => {
    for (const tab of tabs) {
      const isShown = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", isShown);
      tab.tabIndex = isShown ? 0 : -1;
    }
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    panel.className = `view view-${name.toLowerCase()}`;
    preview.hidden = name !== "HTML" || !mail.hasHtml;
    panel.replaceChildren(...makers[name](mail));
  };
  show(chosen.view === "HTML" && !mail.hasHtml ? "Text" : chosen.view);
  return [
    element("div", { className: "tabs" }, [
      element(
        "div",
        { role: "tablist", "aria-label": "Views of the mail", onkeydown: moveAmong(tabs) },
        tabs,
      ),
      preview,
    ]),
    panel,
  ];
}

/** The arrow keys between tabs, as in the tabs of an operating system. */
function moveAmong(tabs) {
  return (event) => {
    const now = tabs.indexOf(document.activeElement);
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = tabs.at(to % tabs.length);
    tab.click();
    tab.focus();
  };
}

function widthButtons(panel) {
  const buttons = ["Desktop", "Phone"].map((width) =>
    element("button", { type: "button", onclick: () => choose(width) }, [width]),
  );
  const choose = (width) => {
    chosen.width = width;
    panel.dataset.width = width;
    for (const button of buttons) button.setAttribute("aria-pressed", button.textContent === width);
  };
  choose(chosen.width);
  return element(
    "div",
    { className: "widths", role: "group", "aria-label": "Width of the preview" },
    buttons,
  );
}

function htmlView({ id, hasHtml }) {
  if (!hasHtml) return [nothing("This mail has no HTML.")];
  const frame = element("iframe", { title: "The mail as HTML" });
  // Set before the address: it holds for the document that is loaded after it.
  frame.setAttribute("sandbox", "allow-popups allow-popups-to-escape-sandbox");
  frame.src = mailAddress(id, "/html");
  return [frame];
}

function textView({ text }) {
  if (!text?.trim()) return [nothing("This mail has no text.")];
  // Every second part is a link, as the pattern is one group.
  const parts = text.split(LINK).map((part, i) => {
    if (i % 2 === 0) return part;
    return element("a", { href: part, target: "_blank", rel: "noopener noreferrer" }, [part]);
  });
  return [element("pre", {}, parts)];
}

function sourceView({ id }) {
  const address = mailAddress(id, "/source");
  const text = element("pre", {}, ["Loading"]);
  void ask(address)
    .then((response) => response.text())
    .then((source) => {
      const rest = source.length > MAX_SOURCE_CHARS ? "\n\n… the rest is in the file" : "";
      text.textContent = source.slice(0, MAX_SOURCE_CHARS) + rest;
    })
    .catch(() => (text.textContent = "Cannot load the source now"));
  const links = element("p", { className: "links" }, [
    element("a", { href: address, target: "_blank" }, ["Open in a new tab"]),
    element("a", { href: address, download: `${id}.eml` }, ["Download .eml"]),
  ]);
  return [links, text];
}

function attachmentsView({ id, attachments }) {
  if (attachments.length === 0) return [nothing("This mail has no attachments.")];
  const items = attachments.map(({ index, filename, contentType, sizeBytes, inline }) => {
    const address = mailAddress(id, `/attachments/${index}`);
    return element("li", {}, [
      inline
        ? element("img", { src: address, alt: "" })
        : element("span", { className: "sheet" }, [extension(filename)]),
      element("span", { className: "file" }, [
        element("a", { href: address, download: filename }, [filename]),
        element("span", { className: "kind" }, [
          `${contentType} · ${size(sizeBytes)}${inline ? " · inline" : ""}`,
        ]),
      ]),
    ]);
  });
  return [element("ul", { className: "files" }, items)];
}

/** A line in place of what is not there. */
export function nothing(text) {
  return element("p", { className: "nothing" }, [text]);
}

function extension(filename) {
  return /\.([a-z0-9]{1,4})$/i.exec(filename)?.[1].toUpperCase() ?? "FILE";
}

function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
