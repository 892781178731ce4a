// One open mail: its head with what can be done with it, and its views.
import { ask, mailAddress } from "./inbox_api.js";
import { element, nothing, views } from "./inbox_views.js";

const HEAD_FIELDS = ["From", "To", "Reply-To", "Date"];

/**
 * Shows the mail with this id in `article`, or nothing for null. `isWanted` turns false when another was chosen; `does`
 * has what its buttons do. Returns whether the mail was shown.
 */
export async function showMail(article, id, isWanted, does) {
  if (id === null) return article.replaceChildren();
  const response = await ask(mailAddress(id)).catch(() => null);
  const mail = response?.ok ? await response.json() : null;
  if (!isWanted()) return false;
  const content = mail ? [head(mail, does), ...views(mail)] : [notShown(response)];
  article.replaceChildren(backLink(), ...content);
  article.scrollTop = 0;
  return mail !== null;
}

function backLink() {
  return element("a", { className: "back", href: "#" }, ["Inbox"]);
}

function notShown(response) {
  return nothing(
    response?.status === 404 ? "This mail is gone: only the newest are kept" : "Cannot load this mail now",
  );
}

function head({ id, to, subject, headers }, does) {
  const shown = HEAD_FIELDS.flatMap((name) =>
    headers
      .filter((header) => header.name.toLowerCase() === name.toLowerCase())
      .map(({ value }) => [name, value]),
  );
  return element("header", { className: "head" }, [
    element("h2", {}, [subject || "(no subject)"]),
    element("p", { className: "actions" }, [
      action("Mark unread", "u", () => does.mark(id, false)),
      action("Delete", "#", () => does.remove(id)),
      action("Only to this recipient", null, () => does.only(to)),
    ]),
    fields(shown.map(([name, value]) => [name, name === "Date" ? longTime(value) : value])),
    element("details", {}, [
      element("summary", {}, [`All ${headers.length} headers`]),
      fields(headers.map(({ name, value }) => [name, value])),
    ]),
  ]);
}

function action(name, key, onclick) {
  const shortcut = key ? { "aria-keyshortcuts": key, title: `${name} (${key})` } : {};
  return element("button", { type: "button", className: "button", onclick, ...shortcut }, [name]);
}

function fields(pairs) {
  return element(
    "dl",
    {},
    pairs.map(([name, value]) => element("div", {}, [element("dt", {}, [name]), element("dd", {}, [value])])),
  );
}

function longTime(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime())
    ? text
    : date.toLocaleString([], { dateStyle: "medium", timeStyle: "medium" });
}
