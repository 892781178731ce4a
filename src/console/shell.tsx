// The frame around every page of a project: navigation, project, search, keys.
import { ActionIcon, Drawer } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import { Redirect, Route, Switch, useLocation } from "wouter";
import { rememberProject } from "./last_project.ts";
import { useFirstOpening } from "./parts/first_opening.ts";
import { ErrorBoundary } from "./parts/error_boundary.tsx";
import { BrandIcon, MenuIcon, SearchIcon } from "./parts/icons.tsx";
import { Keys, KeysDialog } from "./parts/keys.tsx";
import { lazyPage } from "./parts/lazy_page.tsx";
import { isMac, listenForKeys, useShortcut, writtenKeys } from "./parts/shortcuts.ts";
import { Failed, LoadingPage } from "./parts/states.tsx";
import { Navigation } from "./parts/navigation.tsx";
import { ProjectSwitch } from "./parts/project_switch.tsx";
import { TestBar } from "./parts/test_bar.tsx";
import { undoLast } from "./parts/toast.tsx";
import { UserMenu } from "./parts/user_menu.tsx";
import { PathsContext, ProjectContext } from "./place.ts";
import { PAGES, type PageRoute } from "./routes.tsx";
import { projectAt, useIsTest, usePageFilter, useProjects, useSession } from "./session.ts";
import classes from "./shell.module.css";

const Search = lazyPage(() => import("./parts/search.tsx"), null);
const PATHS = new Set(PAGES.map(({ path }) => path));
const NotFound = lazyPage(() => import("./pages/not_found.tsx"));
const TwoFactorNeeded = lazyPage(() => import("./pages/two_factor_needed.tsx"));

/** The project of the address, around its page. */
export default function Shell({ projectId }: { projectId: string }) {
  const projects = useProjects();
  const session = useSession();
  const project = useMemo(
    () => (projects.data ? projectAt(projects.data, projectId) : undefined),
    [projects.data, projectId],
  );
  if (projects.isPending) return <LoadingPage />;
  if (!projects.data) return <Failed error={projects.error!} retry={projects.refetch} />;
  if (!project) return <NotFound />;
  if (project.requiresTwoFactor && session.data?.user?.twoFactor === false) {
    return <TwoFactorNeeded project={project.name} />;
  }
  return (
    // A page of one project keeps nothing for another: all of it is built again.
    <ProjectContext value={project} key={project.id}>
      <PathsContext value={PATHS}>
        <Frame projectId={project.sandboxOf ?? project.id} />
      </PathsContext>
    </ProjectContext>
  );
}

/** `projectId`: what the start leads to the next time; from test mode, the project. */
function Frame({ projectId }: { projectId: string }) {
  const [isMenuOpen, setMenuOpen] = useState(false);
  const drawer = useFirstOpening(isMenuOpen);
  const [isSearching, setSearching] = useState<boolean | null>(null);
  const [isKeysOpen, setKeysOpen] = useState(false);
  const [path, navigate] = useLocation();
  const isTest = useIsTest();
  const pages = PAGES.filter(usePageFilter());
  useEffect(() => rememberProject(projectId), [projectId]);
  useEffect(() => listenForKeys(), []);
  useEffect(() => setMenuOpen(false), [path]);
  useShortcut("mod+k", "Search and do", () => setSearching(true), "Everywhere");
  useShortcut("/", "Search in the list, or everywhere", () => setSearching(true), "Everywhere");
  useShortcut("z", "Undo what was just done", undoLast, "Everywhere");
  useShortcut("?", "All keys", () => setKeysOpen(true), "Everywhere");
  const showKeys = () => setKeysOpen(true);
  const side = (
    <>
      <ProjectSwitch />
      <Navigation />
      <footer className={classes.foot}>
        <button type="button" className={classes.hint} onClick={() => setSearching(true)}>
          <Keys keys="mod+k" /> search
        </button>
        <button type="button" className={classes.hint} onClick={showKeys}>
          <Keys keys="?" /> keys
        </button>
      </footer>
    </>
  );
  return (
    <div className={classes.shell} data-test={isTest || undefined}>
      <a href="#page" className={classes.skip}>
        Skip to the page
      </a>
      {isTest && <TestBar />}
      <header className={classes.bar}>
        <ActionIcon
          className={classes.burger!}
          size="lg"
          aria-label="Navigation"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuOpen(true)}
        >
          <MenuIcon />
        </ActionIcon>
        <span className={classes.brand}>
          <BrandIcon />
          Postrider
        </span>
        <button
          type="button"
          className={classes.search}
          onClick={() => setSearching(true)}
          aria-keyshortcuts={isMac ? "Meta+K" : "Control+K"}
        >
          <SearchIcon size={15} />
          <span>Search</span>
          <kbd aria-hidden="true">{writtenKeys("mod+k").join(isMac ? "" : " ")}</kbd>
        </button>
        <UserMenu showKeys={showKeys} />
      </header>
      <aside className={classes.side}>{side}</aside>
      {drawer.isDrawn && (
        <Drawer
          opened={drawer.isOpen}
          onClose={() => setMenuOpen(false)}
          size={290}
          title="Postrider"
          classNames={{ content: classes.drawer!, body: classes.drawerBody! }}
        >
          {side}
        </Drawer>
      )}
      <main className={classes.main} id="page" tabIndex={-1}>
        <ErrorBoundary resetBy={path}>
          <Switch>
            {PAGES.map((page) => (
              <Route key={page.path} path={page.path} component={page.page} />
            ))}
            <Route path="/overview">
              <Redirect to="/" replace />
            </Route>
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </ErrorBoundary>
      </main>
      {isSearching !== null && (
        <Search isOpen={isSearching} close={() => setSearching(false)} showKeys={showKeys} />
      )}
      <KeysDialog isOpen={isKeysOpen} close={() => setKeysOpen(false)} />
      {pages.map((page) => (
        <PageKey key={page.path} page={page} go={navigate} />
      ))}
      <div id="announcements" className="for-readers" role="status" aria-live="polite" />
    </div>
  );
}

/** `g` and the letter of a page. */
function PageKey({ page, go }: { page: PageRoute; go: (path: string) => void }) {
  useShortcut(page.shortcut && `g ${page.shortcut}`, page.label, () => go(page.path), "Go to");
  return null;
}
