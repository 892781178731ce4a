// The canvas, which is loaded when it is needed.
import { lazyPage } from "../../parts/lazy_page.tsx";

/** The canvas. */
export const Canvas = lazyPage(() => import("../../parts/canvas/canvas.tsx"));
