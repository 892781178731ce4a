// What is dragged onto a canvas. Apart from it: what is dragged is there before the canvas is loaded.

/** As what the type of a step is dragged. */
export const DRAGGED_TYPE = "application/x-postrider-step";
