// Where the console is: the project and the parts of the address. The address is the only place that remembers them.
import { createContext, useCallback, useContext, useMemo } from "react";
import { useSearchParams } from "wouter";
import type { Project } from "./api.gen.ts";
import { BASE } from "./api.ts";

/** Of the console, below the origin. */
export const APP = `${BASE}/app`;

/** Set by the shell, from the address. */
export const ProjectContext = createContext<Project | null>(null);

/** The project in the address. Throws outside of one: use it on pages of projects only. */
export function useProject(): Project {
  const project = useContext(ProjectContext);
  if (!project) throw new Error("This page belongs to no project");
  return project;
}

/** The id of the project in the address. */
export function useProjectId(): string {
  return useProject().id;
}

/** The paths of all pages, set by the shell: pages cannot import the list of pages. */
export const PathsContext = createContext<ReadonlySet<string>>(new Set());

/** Whether there is a page to lead to, such as `/domains`. */
export function useHasPage(path: string): boolean {
  return useContext(PathsContext).has(path);
}

/** The address of a page of a project, to be used with `~` of the router or as `href` of a plain link. */
export const placeOf = (projectId: string, page = "/") => `${APP}/p/${projectId}${page === "/" ? "" : page}`;

/**
 * What a page shows, kept in the address: `const [{ search, tab }, set] = useUrlState({ search: "", tab: "all" })`. What has
 * its value by default is left out. `set` changes some of it: as a new entry of the history, or in place of the present one
 * with `{ replace: true }`, which is right while somebody types.
 */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
): [T, (patch: Partial<T>, options?: { replace?: boolean }) => void] {
  const [parameters, setParameters] = useSearchParams();
  const written = parameters.toString();
  // Pages write the defaults in the call: what counts is what they are.
  const known = JSON.stringify(defaults);
  const state = useMemo(() => {
    const given = new URLSearchParams(written);
    const names = Object.entries(JSON.parse(known) as T);
    return Object.fromEntries(names.map(([name, value]) => [name, given.get(name) ?? value])) as T;
  }, [written, known]);
  const set = useCallback(
    (patch: Partial<T>, options: { replace?: boolean } = {}) => {
      const initial = JSON.parse(known) as T;
      setParameters((before) => {
        const after = new URLSearchParams(before);
        for (const [name, value] of Object.entries(patch)) {
          if (value === undefined || value === initial[name]) after.delete(name);
          else after.set(name, value);
        }
        return after;
      }, options);
    },
    [setParameters, known],
  );
  return [state, set];
}
