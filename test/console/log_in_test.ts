import { tour, useConsole } from "./support.ts";

const stage = useConsole();

tour(stage, "log-in", {
  path: "~/log-in",
  as: null,
  ready: (page) => page.getByRole("button", { name: "Log in" }),
});
tour(stage, "sign-up", { path: "~/sign-up", as: null, ready: (page) => page.getByLabel("Password") });
