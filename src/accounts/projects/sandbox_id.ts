// The id of a sandbox says that it is one: nothing on the way of a mail has to look it up, and no cache can be wrong about it.

/** Where the version of a UUID stands. */
const VERSION_AT = 14;
/** “For custom formats” (RFC 9562). All other ids of projects are of version 7. */
const SANDBOX_VERSION = "8";

/** Whether this project is the sandbox of another one. The constraint `projects_sandbox_id` holds it. */
export function isSandbox(projectId: string): boolean {
  return projectId[VERSION_AT] === SANDBOX_VERSION;
}

/** The id of the sandbox of a project, whether it is there or not. */
export function sandboxIdOf(projectId: string): string {
  return projectId.slice(0, VERSION_AT) + SANDBOX_VERSION + projectId.slice(VERSION_AT + 1);
}
