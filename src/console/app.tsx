// What an address of the console shows: a page for people who are not logged in, or a page of a project.
import { Fragment, useState } from "react";
import { Redirect, Route, Switch, useLocation, useSearch } from "wouter";
import { ConnectionBanner } from "./parts/connection_banner.tsx";
import { hasUnsaved } from "./leaving.ts";
import { LoggedOutBanner } from "./parts/logged_out_banner.tsx";
import { Failed, LoadingPage } from "./parts/states.tsx";
import { lastProject } from "./last_project.ts";
import { OPEN_PAGES } from "./routes.tsx";
import { useProjects, useSession } from "./session.ts";
import { LogInPage } from "./pages/log_in.tsx";
import { lazyPage } from "./parts/lazy_page.tsx";

const Shell = lazyPage(() => import("./shell.tsx"));
const FirstProject = lazyPage(() => import("./pages/first_project.tsx"));
const Account = lazyPage(() => import("./pages/account.tsx"));
const NotFound = lazyPage(() => import("./pages/not_found.tsx"));

export function App() {
  return (
    <>
      <ConnectionBanner />
      <Switch>
        <Route path="/log-in" component={LogInPage} />
        {OPEN_PAGES.map(({ path, page }) => (
          <Route key={path} path={path} component={page} />
        ))}
        <Route path="/">
          <LoggedIn>
            <ToProject />
          </LoggedIn>
        </Route>
        <Route path="/new-project">
          <LoggedIn>
            <FirstProject />
          </LoggedIn>
        </Route>
        <Route path="/account">
          <LoggedIn>
            <Account />
          </LoggedIn>
        </Route>
        <Route path="/p/:projectId" nest>
          {({ projectId }) => (
            <LoggedIn>
              <Shell projectId={projectId} />
            </LoggedIn>
          )}
        </Route>
        <Route>
          <NotFound />
        </Route>
      </Switch>
    </>
  );
}

/**
 * Shows its children to users who are logged in, and leads all others to the log-in, and back here afterwards; not before what
 * they are writing is saved or discarded.
 */
function LoggedIn({ children }: { children: React.ReactNode }) {
  const session = useSession();
  const here = useHere();
  const userId = session.data?.user?.id;
  const [lastId, setLastId] = useState(userId);
  if (userId !== undefined && userId !== lastId) setLastId(userId);
  if (session.isPending) return <LoadingPage />;
  if (session.isError) return <Failed error={session.error} retry={session.refetch} />;
  const isLoggedIn = userId !== undefined;
  if (isLoggedIn || hasUnsaved()) {
    return (
      // Nothing of the one before is left to another.
      <Fragment key={userId ?? lastId}>
        {!isLoggedIn && <LoggedOutBanner />}
        {children}
      </Fragment>
    );
  }
  return <Redirect to={`~${here.logIn}`} replace />;
}

/** The project that was opened last in this browser, or the first. */
function ToProject() {
  const projects = useProjects();
  if (projects.isPending) return <LoadingPage />;
  if (projects.isError) return <Failed error={projects.error} retry={projects.refetch} />;
  const [first] = projects.data;
  if (!first) return <Redirect to="/new-project" replace />;
  const last = projects.data.find(({ id }) => id === lastProject());
  return <Redirect to={`/p/${(last ?? first).id}`} replace />;
}

function useHere(): { logIn: string } {
  // Both are read so that it is rendered again when they change.
  const [path] = useLocation();
  const search = useSearch();
  const { pathname } = window.location;
  const app = pathname.slice(0, pathname.indexOf("/app") + "/app".length);
  const inside = pathname.slice(app.length) + (search && `?${search}`);
  const isStart = path === "/" && inside.length <= 1;
  return { logIn: `${app}/log-in${isStart ? "" : `?return=${encodeURIComponent(inside)}`}` };
}
