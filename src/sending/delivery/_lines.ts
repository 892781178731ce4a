/** What waits in a line: it belongs to a project and goes to a domain. */
export interface Placed {
  projectId: string;
  domain: string;
}

/** Those that wait, by project and by domain, so that a project or domain with many mails does not push others back. */
export interface Lines<Item extends Placed> {
  readonly size: number;
  /** How many projects wait, and how many domains, counted for each project. */
  readonly projects: number;
  readonly domains: number;
  push(item: Item): void;
  /**
   * Takes up to `count` of those that may begin: one of each project in turn, and of a project one for each domain in
   * turn.
   */
  take(count: number, begins: (item: Item) => boolean): Item[];
  /** Takes all that wait behind a first one which `isStuck`. */
  takeStuck(isStuck: (first: Item) => boolean): Item[];
}

type Domains<Item> = Map<string, Item[]>;

/** Empty lines. */
export function createLines<Item extends Placed>(): Lines<Item> {
  const projects = new Map<string, Domains<Item>>();
  let size = 0;
  let lines = 0;

  const drop = (projectId: string, domains: Domains<Item>, domain: string) => {
    domains.delete(domain);
    lines -= 1;
    if (domains.size === 0) projects.delete(projectId);
  };
  /** The next of a project that may begin. An entry moved to the end of a map is visited again by the same walk. */
  const next = (
    projectId: string,
    domains: Domains<Item>,
    walk: MapIterator<[string, Item[]]>,
    begins: (item: Item) => boolean,
  ): Item | null => {
    for (const [domain, waiting] of walk) {
      if (!begins(waiting[0]!)) continue;
      const item = waiting.shift()!;
      if (waiting.length === 0) drop(projectId, domains, domain);
      else {
        domains.delete(domain);
        domains.set(domain, waiting);
      }
      return item;
    }
    return null;
  };
  return {
    get size() {
      return size;
    },
    get projects() {
      return projects.size;
    },
    get domains() {
      return lines;
    },
    push(item) {
      let domains = projects.get(item.projectId);
      if (!domains) projects.set(item.projectId, (domains = new Map()));
      const waiting = domains.get(item.domain);
      if (waiting) waiting.push(item);
      else {
        domains.set(item.domain, [item]);
        lines += 1;
      }
      size += 1;
    },
    take(count, begins) {
      const taken: Item[] = [];
      const walks = new Map<string, MapIterator<[string, Item[]]>>();
      for (const [projectId, domains] of projects) {
        if (taken.length >= count) break;
        const walk = walks.get(projectId) ?? domains.entries();
        walks.set(projectId, walk);
        const item = next(projectId, domains, walk, begins);
        if (!item) continue;
        taken.push(item);
        if (!projects.delete(projectId)) continue;
        projects.set(projectId, domains);
      }
      size -= taken.length;
      return taken;
    },
    takeStuck(isStuck) {
      const stuck: Item[] = [];
      for (const [projectId, domains] of projects) {
        for (const [domain, waiting] of domains) {
          if (!isStuck(waiting[0]!)) continue;
          stuck.push(...waiting);
          drop(projectId, domains, domain);
        }
      }
      size -= stuck.length;
      return stuck;
    },
  };
}
