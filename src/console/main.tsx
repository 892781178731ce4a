// Starts the console in the browser.
import "./main.css";
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { setNonce } from "get-nonce";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { App } from "./app.tsx";
import { call } from "./api.ts";
import { askBy, doubtSessionBy } from "./connection.ts";
import { aroundNav, usePlace, usePlaceSearch, watchHistory } from "./leaving.ts";
import { watchFocus } from "./parts/focus.ts";
import { Confirmations } from "./parts/confirm.tsx";
import { ErrorBoundary } from "./parts/error_boundary.tsx";
import { whenIdle } from "./parts/idle.ts";
import { lazyPage } from "./parts/lazy_page.tsx";
import { APP } from "./place.ts";
import { queryClient, readAgain, SESSION_KEY } from "./queries.ts";
import { cssVariables, theme } from "./theme.ts";

/** What the page allows style elements by. Libraries that write styles at run time are given it. */
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? "";
setNonce(nonce);

askBy(async () => {
  await call("GET /auth/session", {});
  // What could not be read meanwhile is read now.
  void queryClient.invalidateQueries();
  return true;
});

doubtSessionBy((status) => {
  if (status === 401) void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
  else void readAgain(queryClient, null, ["GET /users/@me/projects"]);
});
/** What is to be told before it is there is kept, and told then. */
const Notices = lazyPage(async () => {
  await whenIdle();
  return await import("./parts/notices.tsx");
}, null);

watchHistory();
watchFocus();

createRoot(document.getElementById("app")!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <ErrorBoundary>
      <QueryClientProvider client={queryClient}>
        <Notices />
        <Router base={APP} hook={usePlace} searchHook={usePlaceSearch} aroundNav={aroundNav}>
          <App />
          <Confirmations />
        </Router>
      </QueryClientProvider>
    </ErrorBoundary>
  </MantineProvider>,
);
