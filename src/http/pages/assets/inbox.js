// The inbox page: the list, kept up to date, which mail is open, and the keyboard.
import { ask, filter, isMember, listAddress, mailAddress } from "./inbox_api.js";
import { filterByRecipient, startFilter } from "./inbox_filter.js";
import { drawList, markRows, rows } from "./inbox_list.js";
import { showMail } from "./inbox_mail.js";

const POLL_MS = 1000;
const CONFIRM_MS = 4000;

const at = (id) => document.getElementById(id);
/** Says, in production, that mails which are cleared can be sent all the same. */
const kept = at("kept");
const wide = matchMedia("(min-width: 760px)");

/** The mails of the list, newest first, as the service gave them, and how many there are in all. */
let mails = [];
let counts = { total: 0, unread: 0, hasMore: false };
let selected = null;
let etag = null;
/** Mails that were deleted here: an answer that was on its way may still have them. */
const removed = new Set();
let changes = Promise.resolve();

/** One change after the other: a mail that is being marked is deleted afterwards. */
function change(work) {
  changes = changes.then(work).catch(() => null);
  return changes;
}

async function poll() {
  if (poll.running || document.hidden) return;
  poll.running = true;
  clearTimeout(poll.timer);
  try {
    await refresh();
  } catch {
    setState("away", "Not connected");
  } finally {
    poll.running = false;
    poll.timer = setTimeout(poll, poll.again ? 0 : POLL_MS);
    poll.again = false;
  }
}

/** After a change: what is on its way may be older than it. */
function pollAnew() {
  etag = null;
  poll.again = poll.running;
  return poll();
}

async function refresh() {
  if (isMember && !filter.projectId) return setState("away", "No project");
  const address = listAddress();
  const response = await ask(address, { headers: etag ? { "if-none-match": etag } : {} });
  if (address !== listAddress()) return void (poll.again = true);
  if (response.status === 401) return setState("away", "Log in again");
  if (response.status !== 304) {
    if (!response.ok) throw new Error(`Cannot list the mails: ${response.status}`);
    take(await response.json(), response.headers.get("etag"), address);
  }
  setState("live", "Live");
}

function take({ data, ...rest }, tag, address) {
  const isFirst = take.address !== address;
  take.address = address;
  etag = tag;
  const present = data.filter(({ id }) => !removed.has(id));
  const arrived = isFirst ? [] : present.filter(({ id }) => !rows.has(id));
  mails = withOpenOne(present);
  counts = rest;
  announce(arrived);
  draw();
  if (mails.length === 0) close();
  else if (isFirst || !selected) followAddress();
}

/** The open mail stays among the unread ones until another is opened. */
function withOpenOne(data) {
  const openOne = filter.read && mails.find(({ id }) => id === selected);
  if (!openOne || data.some(({ id }) => id === selected)) return data;
  return [...data, { ...openOne, readAt: openOne.readAt ?? openOne.capturedAt }].sort((a, b) =>
    a.id < b.id ? 1 : -1,
  );
}

function draw() {
  drawList(mails, counts);
  markRows(mails, { selected, unread: counts.unread });
}

function announce(arrived) {
  if (arrived.length === 0) return;
  at("news").textContent =
    arrived.length === 1 ? `New mail: ${arrived[0].subject}` : `${arrived.length} new mails`;
}

function setState(name, text) {
  const state = at("state");
  if (state.textContent === text) return;
  state.dataset.name = name;
  state.textContent = text;
}

/** The address says which mail is open, so that back, forward, reload and a copied link do what they should. */
function followAddress() {
  const id = location.hash.slice(1);
  if (id) return select(id);
  if (wide.matches && mails[0]) return open(mails[0].id);
  select(null);
}

async function select(id) {
  if (id === selected && id !== null) return;
  selected = id;
  markRows(mails, { selected, unread: counts.unread });
  rows.get(id)?.scrollIntoView({ block: "nearest" });
  const isShown = await showMail(at("mail"), id, () => id === selected, actions);
  if (isShown && mails.find((mail) => mail.id === id)?.readAt === null) await mark(id, true);
}

/** Opens a mail in place of the one that is open: steps through the list are no history. */
function open(id) {
  history.replaceState(null, "", `${location.pathname}${location.search}#${id}`);
  return select(id);
}

function close() {
  history.replaceState(null, "", location.pathname + location.search);
  return select(null);
}

function step(by) {
  const index = mails.findIndex(({ id }) => id === selected);
  const mail = mails[index === -1 ? 0 : index + by];
  if (!mail) return;
  void open(mail.id);
  rows.get(mail.id)?.firstElementChild.focus({ preventScroll: true });
}

async function mark(id, read) {
  const mail = mails.find((one) => one.id === id);
  if (mail && (mail.readAt !== null) !== read) {
    mail.readAt = read ? new Date().toISOString() : null;
    counts.unread += read ? -1 : 1;
    markRows(mails, { selected, unread: counts.unread });
  }
  await change(() => removed.has(id) || ask(mailAddress(id), { method: "PATCH", body: { read } }));
  await pollAnew();
}

/** Deletes a mail, and opens the one below it, or above where it was the last one. */
async function remove(id) {
  if (removed.has(id)) return;
  const index = mails.findIndex((one) => one.id === id);
  removed.add(id);
  const response = await change(() => ask(mailAddress(id), { method: "DELETE" }));
  if (!response?.ok && response?.status !== 404) {
    removed.delete(id);
    return setState("away", "Not deleted");
  }
  mails = mails.filter((one) => one.id !== id);
  counts = { ...counts, total: Math.max(0, counts.total - 1) };
  at("news").textContent = "Deleted";
  const next = wide.matches ? (mails[index] ?? mails.at(-1)) : undefined;
  drawList(mails, counts);
  await (next ? open(next.id) : close());
  rows.get(next?.id)?.firstElementChild.focus({ preventScroll: true });
  await pollAnew();
}

async function only(to) {
  if (!wide.matches) await close();
  await filterByRecipient(to, pollAnew);
}

const actions = { mark, remove, only };

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, select")) return;
  // Inside of a mail the arrows scroll, and between its tabs they change the tab.
  const inMail = at("mail").contains(event.target) && event.target !== at("mail");
  if (event.key === "/") at("search").focus();
  else if (event.key === "j" || (event.key === "ArrowDown" && !inMail)) step(1);
  else if (event.key === "k" || (event.key === "ArrowUp" && !inMail)) step(-1);
  else if (event.key === "u" && selected) void toggle(selected);
  else if ((event.key === "#" || event.key === "Delete") && selected) void remove(selected);
  else if (event.key === "Escape" && selected && !wide.matches) location.hash = "";
  else if (/^[1-4]$/.test(event.key)) at("mail").querySelectorAll("[role=tab]")[event.key - 1]?.click();
  else return;
  event.preventDefault();
}

function toggle(id) {
  return mark(id, mails.find((one) => one.id === id)?.readAt === null);
}

async function markAll() {
  await ask(listAddress({ all: true }), { method: "PATCH", body: { read: true } }).catch(() => null);
  await pollAnew();
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
  await ask(listAddress({ all: true }), { method: "DELETE" }).catch(() => null);
  await pollAnew();
}

function deleteAll() {
  return counts.total === 1 ? "Delete this mail?" : `Delete all ${counts.total} mails?`;
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

addEventListener("hashchange", followAddress);
addEventListener("keydown", onKey);
document.addEventListener("visibilitychange", poll);
at("mark-all").addEventListener("click", markAll);
at("clear").addEventListener("click", clear);
at("clear").addEventListener("blur", calmDown);
at("copy").hidden = !navigator.clipboard;
at("copy").addEventListener("click", copyCommand);
await startFilter(pollAnew);
await poll();
