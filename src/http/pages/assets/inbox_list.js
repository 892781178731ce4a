// The list of mails. What a mail says is only ever set as text.
import { isNarrowed } from "./inbox_api.js";
import { element } from "./inbox_views.js";

const at = (id) => document.getElementById(id);
const list = at("list");

/** The row of each mail that is listed. */
export const rows = new Map();

/** Brings the list to `mails`. Rows that stay are not touched, so that focus and scroll position stay too. */
export function drawList(mails, { total, hasMore }) {
  const present = new Set(mails.map(({ id }) => id));
  for (const [id, row] of rows) {
    if (present.has(id)) continue;
    row.remove();
    rows.delete(id);
  }
  let next = list.firstElementChild;
  for (const mail of mails) {
    let row = rows.get(mail.id);
    if (row && row === next) {
      next = next.nextElementSibling;
      continue;
    }
    if (!row) rows.set(mail.id, (row = makeRow(mail)));
    list.insertBefore(row, next);
  }
  at("count").textContent = total > 0 ? String(total) : "";
  at("more").hidden = !hasMore;
  at("none").hidden = mails.length > 0;
  at("none-text").textContent = isNarrowed() ? "No mail matches." : "Nothing here yet.";
  at("all").hidden = !isNarrowed();
}

function makeRow({ id, from, to, subject, capturedAt }) {
  return element("li", {}, [
    element("a", { href: `#${id}` }, [
      element("span", { className: "subject" }, [
        element("span", { className: "unseen mark" }, []),
        subject || "(no subject)",
      ]),
      element("time", { dateTime: capturedAt, title: new Date(capturedAt).toLocaleString() }, [
        shortTime(capturedAt),
      ]),
      element("span", { className: "way" }, [
        element("span", { className: "to" }, [to]),
        element("span", { className: "from" }, [`from ${from}`]),
      ]),
    ]),
  ]);
}

/** Shows which mail is open, and which are unread. */
export function markRows(mails, { selected, unread }) {
  for (const { id, readAt } of mails) {
    const row = rows.get(id);
    const link = row.firstElementChild;
    row.classList.toggle("unopened", readAt === null);
    row.querySelector(".mark").textContent = readAt === null ? "Unread: " : "";
    if (id === selected) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  at("mark-all").hidden = unread === 0 || isNarrowed();
  at("clear").hidden = mails.length === 0 || isNarrowed();
  at("unread-count").textContent = unread > 0 ? String(unread) : "";
  document.title = `${unread > 0 ? `(${unread}) ` : ""}Inbox · Postrider`;
  const isList = mails.length > 0 || isNarrowed() || !at("project-choice").hidden;
  at("main").dataset.view = selected ? "mail" : isList ? "list" : "empty";
}

function shortTime(iso) {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(
    [],
    isToday ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" },
  );
}
