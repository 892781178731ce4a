import { tour, useConsole } from "./support.ts";

const stage = useConsole();

tour(stage, "overview", { path: "/", ready: (page) => page.getByRole("heading", { name: "Reputation" }) });
