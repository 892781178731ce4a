// Preloaded into a worker whose predecessor a test has killed: it reaps the dead at once, where it would give those that
// only look dead 10 s to say that they are not. That is tried with the times of production by main_test.ts and
// `bun run test:kill`.
import { PATIENCE } from "../../src/worker/patience.ts";

PATIENCE.gapMs = 0;
