// One box for everything: pages, things of the project by their name, and what can be done.
import { Spotlight, createSpotlight } from "@mantine/spotlight";
import { useDebouncedValue } from "@mantine/hooks";
import { useEffect, useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { SearchResult } from "../api.gen.ts";
import { APP, placeOf, useProject } from "../place.ts";
import { useApi } from "../queries.ts";
import { PAGES } from "../routes.tsx";
import { usePageFilter, useProjects } from "../session.ts";
import { FolderIcon, type Icon, KeyboardIcon, PersonIcon, RightIcon, SearchIcon } from "./icons.tsx";
import { Keys } from "./keys.tsx";

const TYPING_MS = 120;
const MIN_LENGTH = 2;

/** What the box offers. */
interface Offer {
  id: string;
  label: string;
  about?: string;
  icon?: Icon | undefined;
  keys?: string | undefined;
  act: () => void;
}

interface Props {
  isOpen: boolean;
  close: () => void;
  showKeys: () => void;
}

const [store, box] = createSpotlight();

export default function Search({ isOpen, close, showKeys }: Props) {
  const [query, setQuery] = useState("");
  const [asked] = useDebouncedValue(query.trim(), TYPING_MS);
  const found = useApi(
    "GET /search",
    { query: { q: asked } },
    { enabled: isOpen && asked.length >= MIN_LENGTH, placeholderData: (before) => before },
  );
  const offers = useOffers(showKeys);
  const words = query.trim().toLowerCase();
  const isOld = found.isPlaceholderData || asked !== query.trim();
  const things = useThings(asked.length >= MIN_LENGTH ? found.data : undefined, isOld ? words : "");
  useEffect(() => (isOpen ? box.open() : box.close()), [isOpen]);
  useEffect(() => selectFirst(), [things]);
  const groups = [
    { name: "Found", offers: things },
    { name: "Go to and do", offers: offers.filter(({ label }) => label.toLowerCase().includes(words)) },
  ].filter((group) => group.offers.length > 0);
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      onSpotlightClose={() => {
        setQuery("");
        close();
      }}
      scrollable
      maxHeight={420}
      centered={false}
      yOffset="12vh"
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
    >
      <Spotlight.Search
        placeholder="A contact, a template, a page…"
        aria-label="Search"
        leftSection={<SearchIcon />}
      />
      <Spotlight.ActionsList>
        {groups.map((group) => (
          <Spotlight.ActionsGroup key={group.name} label={group.name}>
            {group.offers.map(({ id, label, about, icon: Shape = RightIcon, keys, act }) => (
              <Spotlight.Action
                key={id}
                label={label}
                {...(about && { description: about })}
                leftSection={<Shape />}
                rightSection={keys ? <Keys keys={keys} /> : null}
                onClick={act}
              />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {groups.length === 0 && (
          <Spotlight.Empty>{found.isFetching ? "Searching…" : "Nothing found"}</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** The library selects as soon as something is typed. What is found comes later: Enter means the first of it. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  if (!list || list.querySelector("[data-selected]")) return;
  list.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** Pages, projects, and what can be done anywhere. */
function useOffers(showKeys: () => void): Offer[] {
  const [, navigate] = useLocation();
  const project = useProject();
  const { data: projects = [] } = useProjects();
  const pages = PAGES.filter(usePageFilter()).filter(({ group }) => group !== undefined);
  return [
    ...pages.map(({ path, label, icon, shortcut }): Offer => ({
      id: path,
      label,
      icon,
      keys: shortcut && `g ${shortcut}`,
      act: () => navigate(path),
    })),
    ...projects
      .filter(({ id }) => id !== project.id)
      .map(({ id, name }): Offer => ({
        id,
        label: `Project ${name}`,
        icon: FolderIcon,
        act: () => navigate(`~${placeOf(id)}`),
      })),
    { id: "account", label: "Account", icon: PersonIcon, act: () => navigate(`~${APP}/account`) },
    { id: "keys", label: "All keys", icon: KeyboardIcon, keys: "?", act: showKeys },
  ];
}

/**
 * What the search of the service has found, as far as there are pages for it. Of what an earlier text has found only those
 * with these words stay: Enter means the first one that is shown.
 */
function useThings(found: SearchResult | undefined, words: string): Offer[] {
  const [, navigate] = useLocation();
  return useMemo(() => {
    if (!found) return [];
    const icons = new Map(PAGES.map(({ path, icon }) => [path, icon]));
    const offer = (noun: string, id: string, label: string, about: string): Offer[] => {
      const page = `/${noun}`;
      if (!icons.has(page) || !label.toLowerCase().includes(words)) return [];
      return [
        { id: `${noun}/${id}`, label, about, icon: icons.get(page), act: () => navigate(`${page}/${id}`) },
      ];
    };
    return [
      ...found.contacts.flatMap(({ id, email }) => offer("contacts", id, email, "Contact")),
      ...found.segments.flatMap(({ id, name }) => offer("segments", id, name, "Segment")),
      ...found.templates.flatMap(({ id, name }) => offer("templates", id, name, "Template")),
      ...found.campaigns.flatMap(({ id, name }) => offer("campaigns", id, name, "Campaign")),
      ...found.workflows.flatMap(({ id, name }) => offer("workflows", id, name, "Workflow")),
    ];
  }, [found, words, navigate]);
}
