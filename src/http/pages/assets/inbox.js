// The inbox page: the list, kept up to date, and which mail is open. What a mail says is only ever set as text.
import { element, showMail } from "./inbox_mail.js";

const POLL_MS = 1000;
const POLL_TIMEOUT_MS = 10_000;
const CONFIRM_MS = 4000;

const at = (id) => document.getElementById(id);
const main = at("main");
const list = at("list");
/** Says, in production, that mails which are cleared can be sent all the same. */
const kept = at("kept");
const wide = matchMedia("(min-width: 760px)");

/** The mails of the list, newest first, as the service gave them. */
let mails = [];
/** The row of each mail, and the ids that came while the page was open and have not been opened. */
const rows = new Map();
const unopened = new Set();
let selected = null;
let etag = null;

async function poll() {
  if (poll.running || document.hidden) return;
  poll.running = true;
  clearTimeout(poll.timer);
  try {
    await refresh();
    setState("live", "Live");
  } catch {
    setState("away", "Not connected");
  } finally {
    poll.running = false;
    poll.timer = setTimeout(poll, POLL_MS);
  }
}

async function refresh() {
  const response = await fetch("/inbox/mails", {
    cache: "no-store",
    headers: etag ? { "if-none-match": etag } : {},
    signal: AbortSignal.timeout(POLL_TIMEOUT_MS),
  });
  if (response.status === 304) return;
  if (!response.ok) throw new Error(`Cannot list the mails: ${response.status}`);
  const { data } = await response.json();
  const isFirst = etag === null;
  etag = response.headers.get("etag");
  const arrived = data.filter(({ id }) => !rows.has(id));
  mails = data;
  if (!isFirst) announce(arrived);
  drawList();
  if (mails.length === 0) close();
  else if (isFirst || !selected) followAddress();
}

function announce(arrived) {
  for (const { id } of arrived) unopened.add(id);
  if (arrived.length === 0) return;
  at("news").textContent =
    arrived.length === 1 ? `New mail: ${arrived[0].subject}` : `${arrived.length} new mails`;
}

function setState(name, text) {
  const state = at("state");
  if (state.dataset.name === name) return;
  state.dataset.name = name;
  state.textContent = text;
}

/** Brings the list to `mails`. Rows that stay are not touched, so that focus and scroll position stay too. */
function drawList() {
  const present = new Set(mails.map(({ id }) => id));
  for (const [id, row] of rows) {
    if (present.has(id)) continue;
    row.remove();
    rows.delete(id);
    unopened.delete(id);
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
  at("count").textContent = mails.length > 0 ? String(mails.length) : "";
  at("clear").hidden = mails.length === 0;
  markRows();
}

function makeRow({ id, from, to, subject, capturedAt }) {
  const row = element("li", {}, [
    element("a", { href: `#${id}` }, [
      element("span", { className: "subject" }, [subject || "(no subject)"]),
      element("time", { dateTime: capturedAt, title: new Date(capturedAt).toLocaleString() }, [
        shortTime(capturedAt),
      ]),
      element("span", { className: "way" }, [
        element("span", { className: "to" }, [to]),
        element("span", { className: "from" }, [`from ${from}`]),
      ]),
    ]),
  ]);
  return row;
}

function markRows() {
  for (const [id, row] of rows) {
    row.classList.toggle("unopened", unopened.has(id));
    const link = row.firstElementChild;
    if (id === selected) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  document.title = `${unopened.size > 0 ? `(${unopened.size}) ` : ""}Inbox · Postrider`;
  main.dataset.view = selected ? "mail" : mails.length > 0 ? "list" : "empty";
}

/** The address says which mail is open, so that back, forward, reload and a copied link do what they should. */
function followAddress() {
  const id = location.hash.slice(1);
  if (id) return select(id);
  if (wide.matches && mails[0]) return open(mails[0].id);
  select(null);
}

function select(id) {
  if (id === selected && id !== null) return;
  selected = id;
  unopened.delete(id);
  markRows();
  rows.get(id)?.scrollIntoView({ block: "nearest" });
  void showMail(at("mail"), id, () => id === selected);
}

/** Opens a mail in place of the one that is open: steps through the list are no history. */
function open(id) {
  history.replaceState(null, "", `#${id}`);
  select(id);
}

function close() {
  history.replaceState(null, "", location.pathname);
  select(null);
}

function step(by) {
  const index = mails.findIndex(({ id }) => id === selected);
  const mail = mails[index === -1 ? 0 : index + by];
  if (!mail) return;
  open(mail.id);
  rows.get(mail.id)?.firstElementChild.focus({ preventScroll: true });
}

function onKey(event) {
  if (mails.length === 0 || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  // Inside of a mail the arrows scroll, and between its tabs they change the tab.
  const inMail = at("mail").contains(event.target) && event.target !== at("mail");
  if (event.key === "j" || (event.key === "ArrowDown" && !inMail)) step(1);
  else if (event.key === "k" || (event.key === "ArrowUp" && !inMail)) step(-1);
  else if (event.key === "Escape" && selected && !wide.matches) location.hash = "";
  else if (/^[1-4]$/.test(event.key)) at("mail").querySelectorAll("[role=tab]")[event.key - 1]?.click();
  else return;
  event.preventDefault();
}

/** Asks once more on the button itself, for a few seconds. */
async function clear() {
  const button = at("clear");
  clearTimeout(clear.timer);
  if (!button.classList.contains("sure")) {
    button.classList.add("sure");
    button.textContent = kept ? "Clear the list?" : deleteAll();
    if (kept) kept.hidden = false;
    clear.timer = setTimeout(calmDown, CONFIRM_MS);
    return;
  }
  calmDown();
  await fetch("/inbox/mails", { method: "DELETE" }).catch(() => null);
  await poll();
}

function deleteAll() {
  return mails.length === 1 ? "Delete this mail?" : `Delete all ${mails.length} mails?`;
}

function calmDown() {
  if (kept) kept.hidden = true;
  at("clear").classList.remove("sure");
  at("clear").textContent = "Clear";
}

async function copyCommand() {
  await navigator.clipboard.writeText(at("command").textContent);
  at("copy").textContent = "Copied";
  setTimeout(() => (at("copy").textContent = "Copy"), 2000);
}

function shortTime(iso) {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date().toDateString();
  return date.toLocaleString(
    [],
    isToday ? { hour: "2-digit", minute: "2-digit" } : { day: "numeric", month: "short" },
  );
}

addEventListener("hashchange", followAddress);
addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", poll);
at("clear").addEventListener("click", clear);
at("clear").addEventListener("blur", calmDown);
at("copy").hidden = !navigator.clipboard;
at("copy").addEventListener("click", copyCommand);
await poll();
