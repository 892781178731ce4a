// Who is logged in, and what they are to the project.
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { Project } from "./api.gen.ts";
import { call } from "./api.ts";
import { APP, useProject } from "./place.ts";
import { keyOf, readAgain, SESSION_KEY, useAccountApi } from "./queries.ts";

type Role = Project["role"];

/** From the least to the most, as people read them. */
const ROLES: Record<Role, { rank: number; name: string }> = {
  MEMBER: { rank: 0, name: "members" },
  ADMIN: { rank: 1, name: "admins" },
  OWNER: { rank: 2, name: "owners" },
};

/** Who is logged in: `user` is null if nobody is. Asked again when the window gets the focus again. */
export function useSession() {
  return useAccountApi("GET /auth/session", {}, { staleTime: 60_000 });
}

/** The projects of the user who is logged in, in alphabetical order. */
export function useProjects() {
  return useAccountApi(
    "GET /users/@me/projects",
    {},
    { select: (projects) => projects.toSorted((a, b) => a.name.localeCompare(b.name)) },
  );
}

/**
 * The project with this id, or the sandbox, as a project: that is test mode. Settings and role are those of its project.
 * Undefined where there is none.
 */
export function projectAt(projects: Project[], id: string): Project | undefined {
  for (const project of projects) {
    if (project.id === id) return project;
    const { sandbox } = project;
    if (sandbox?.id === id)
      return { ...project, ...sandbox, sendRate: null, sandbox: null, sandboxOf: project.id };
  }
  return undefined;
}

/** Whether this is test mode. */
export function useIsTest(): boolean {
  return useProject().sandboxOf !== null;
}

/** Whether the user who is logged in may do what takes this role in the project, and, if not, why. */
export function useRole(needed: Role): { isAllowed: boolean; reason: string | null } {
  const { role } = useProject();
  const isAllowed = ROLES[role].rank >= ROLES[needed].rank;
  const others = needed === "OWNER" ? "owners" : "owners and admins";
  return { isAllowed, reason: isAllowed ? null : `Only ${others} of the project can do this` };
}

/** What this installation can do; undefined until it is known. It does not change while a window is open. */
export function useFeatures() {
  return useAccountApi("GET /config", {}, { staleTime: Infinity }).data?.features;
}

/** When a page is there: for this role and above, with a feature of the installation, or without one. */
interface Conditional {
  role?: Role;
  feature?: "billing" | undefined;
  without?: "billing" | undefined;
  isLiveOnly?: boolean;
}

/** Which pages of the project are there for the user who is logged in, on this installation. */
export function usePageFilter(): (page: Conditional) => boolean {
  const { rank } = ROLES[useProject().role];
  const isTest = useIsTest();
  const features = useFeatures();
  return ({ role = "MEMBER", feature, without, isLiveOnly = false }) =>
    rank >= ROLES[role].rank &&
    !(isLiveOnly && isTest) &&
    (feature === undefined || features?.[feature] === true) &&
    (without === undefined || features?.[without] === false);
}

/** Forgets a project that is not there any more for the user who is logged in, and leads to another, or to a first one. */
export function useLeaveProject(): (id: string) => Promise<void> {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return async (id) => {
    const key = keyOf(null, "GET /users/@me/projects");
    // First: the start would lead back to it.
    cache.setQueryData<Project[]>(key, (projects) => projects?.filter((project) => project.id !== id));
    navigate(`~${APP}`);
    await readAgain(cache, null, ["GET /users/@me/projects"]);
  };
}

/** Ends the session, and forgets everything that was read in it. */
export function useLogOut(): () => Promise<void> {
  const cache = useQueryClient();
  return async () => {
    await call("GET /auth/logout", {});
    // First, so that what is shown gives way; then nothing is left for the next user.
    cache.setQueryData(SESSION_KEY, { user: null });
    cache.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== SESSION_KEY[1] });
  };
}

/** Begins a session that the service has just made: reads who it is, and nothing of the user before. */
export function useBegin(): () => Promise<void> {
  const cache = useQueryClient();
  return async () => {
    cache.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== SESSION_KEY[1] });
    await cache.invalidateQueries({ queryKey: SESSION_KEY });
  };
}
