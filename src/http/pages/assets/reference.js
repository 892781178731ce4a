// The search of the side bar, the language that was chosen, and real calls.

/* The search: the list is filtered, Enter opens the first that is left, arrows walk through it. */

const menu = document.getElementById("operations");
const search = document.getElementById("search");
const found = document.getElementById("found");
const links = [...menu.querySelectorAll("a")];
const left = () => links.filter((link) => !link.parentElement.hidden);

search.parentElement.hidden = false;
// Only the list moves, and not the page.
const current = menu.querySelector("[aria-current]");
if (current) menu.scrollTop = current.offsetTop - menu.clientHeight / 2;

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const link of links) {
    const text = `${link.textContent} ${link.dataset.words}`.toLowerCase();
    link.parentElement.hidden = !words.every((word) => text.includes(word));
  }
  for (const section of menu.querySelectorAll("section"))
    section.hidden = [...section.querySelectorAll("li")].every((item) => item.hidden);
  found.textContent = words.length === 0 ? "" : `${left().length} found`;
  menu.scrollTop = 0;
}

function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter" && event.target === search) left()[0]?.click();
  if (step === undefined) return;
  event.preventDefault();
  const all = left();
  const next = all.indexOf(document.activeElement) + step;
  (next < 0 ? search : all[Math.min(next, all.length - 1)])?.focus();
}

search.addEventListener("input", filter);
menu.addEventListener("keydown", walk);
document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
  if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (getComputedStyle(menu).display === "none") menu.showPopover();
  search.focus();
});

/* The samples: the language stays for the next page. */

const LANGUAGE = "reference language";
const chosen = document.getElementById(`in-${localStorage.getItem(LANGUAGE)}`);
if (chosen) chosen.checked = true;
const samples = document.querySelector(".samples");
samples?.addEventListener("change", ({ target }) => localStorage.setItem(LANGUAGE, target.value));

const copy = document.querySelector(".copy");
if (copy && navigator.clipboard) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    const { value } = samples.querySelector("input:checked");
    await navigator.clipboard.writeText(samples.querySelector(`.${value} code`).textContent);
    copy.textContent = "Copied";
    setTimeout(() => (copy.textContent = "Copy"), 1500);
  });
}

/* Real calls. The key is kept for this tab, and forgotten with it. */

const KEY = "reference key";
const MAX_SHOWN = 200_000;
const form = document.getElementById("try");
if (form) {
  form.hidden = false;
  const key = form.elements.namedItem("key");
  if (key) key.value = sessionStorage.getItem(KEY) ?? "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void send();
  });
}

let running = null;

async function send() {
  if (running) return running.abort();
  const outcome = document.getElementById("outcome");
  const button = form.querySelector("[type=submit]");
  running = new AbortController();
  button.textContent = "Stop";
  outcome.textContent = "Waiting for the answer";
  show("");
  try {
    const startedAt = performance.now();
    const response = await fetch(...request(running.signal));
    outcome.textContent = `${response.status} ${response.statusText}, ${Math.round(performance.now() - startedAt)} ms`;
    await read(response);
  } catch (error) {
    outcome.textContent = error.name === "AbortError" ? "Stopped" : `Cannot make this call: ${error.message}`;
  } finally {
    running = null;
    button.textContent = "Send";
  }
}

/** The arguments of `fetch` for what the form says. */
function request(signal) {
  const values = new FormData(form);
  const headers = new Headers();
  const query = new URLSearchParams();
  let { path } = form.dataset;
  for (const [name, value] of values) {
    const [place, of] = name.split(/:(.*)/);
    if (place === "path") path = path.replace(`{${of}}`, encodeURIComponent(value));
    if (place === "query" && value !== "") query.append(of, value);
    if (place === "header" && value !== "") headers.set(of, value);
  }
  const key = values.get("key")?.trim();
  if (key) headers.set("authorization", `Bearer ${key}`);
  if (key !== undefined) sessionStorage.setItem(KEY, key);
  const body = bodyOf(values, headers);
  const address = query.size > 0 ? `${path}?${query}` : path;
  return [
    address,
    { method: form.dataset.method, headers, body, signal, ...(key && { credentials: "omit" }) },
  ];
}

function bodyOf(values, headers) {
  const file = form.querySelector("[type=file]");
  if (file?.dataset.field) {
    const upload = new FormData();
    if (file.files[0]) upload.append(file.dataset.field, file.files[0]);
    return upload;
  }
  if (file) headers.set("content-type", file.dataset.type);
  else if (values.has("body")) headers.set("content-type", "application/json");
  return file ? file.files[0] : (values.get("body") ?? undefined);
}

/** Shows an answer as it comes: some never end. */
async function read(response) {
  let text = "";
  const decoder = new TextDecoder();
  for (const reader = response.body?.getReader(); reader && text.length < MAX_SHOWN;) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
    show(text);
  }
  if (text.length >= MAX_SHOWN) running.abort();
  if (/json/.test(response.headers.get("content-type") ?? "")) show(pretty(text));
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function show(text) {
  const answer = document.getElementById("answer");
  answer.hidden = text === "";
  answer.firstElementChild.textContent = text;
}
