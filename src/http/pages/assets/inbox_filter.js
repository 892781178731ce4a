// The search, and what else narrows the list: a recipient, unread ones, a project.
import { filter, isMember, listProjects, narrow } from "./inbox_api.js";
import { element } from "./inbox_views.js";

const TYPING_MS = 250;
const at = (id) => document.getElementById(id);

/** Shows the filter as the address has it; `onChange` is called when somebody changes it. */
export async function startFilter(onChange) {
  const change = (part) => {
    narrow(part);
    showFilter();
    onChange();
  };
  at("search").addEventListener("input", () => {
    clearTimeout(startFilter.timer);
    startFilter.timer = setTimeout(() => change({ search: at("search").value.trim() }), TYPING_MS);
  });
  at("search").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    clearTimeout(startFilter.timer);
    at("search").value = "";
    at("search").blur();
    event.preventDefault();
    if (filter.search) change({ search: "" });
  });
  at("unread").addEventListener("click", () => change({ read: filter.read ? "" : "false" }));
  at("recipient").addEventListener("click", () => change({ to: "" }));
  at("project").addEventListener("change", () => change({ projectId: at("project").value }));
  at("all").addEventListener("click", () => {
    at("search").value = "";
    change({ search: "", to: "", read: "", ...(isMember ? {} : { projectId: "" }) });
    at("search").focus();
  });
  at("search").value = filter.search;
  await offerProjects();
  showFilter();
}

/** Shows only the mails to an address. */
export function filterByRecipient(to, onChange) {
  narrow({ to });
  showFilter();
  return onChange();
}

function showFilter() {
  at("unread").setAttribute("aria-pressed", filter.read === "false");
  at("recipient").hidden = !filter.to;
  at("recipient-name").textContent = filter.to;
  at("project").value = filter.projectId;
}

/** A member looks at one project at a time; the operator at all or at one. */
async function offerProjects() {
  const projects = await listProjects().catch(() => []);
  const everything = isMember ? [] : [{ id: "", name: "All projects" }];
  at("project").replaceChildren(
    ...[...everything, ...projects].map(({ id, name }) => element("option", { value: id }, [name])),
  );
  at("project-choice").hidden = projects.length < 2 && !(filter.projectId && !isMember);
  if (isMember && !projects.some(({ id }) => id === filter.projectId)) {
    narrow({ projectId: projects[0]?.id ?? "" });
  }
}
