/** How far a list is counted: going on through millions of rows would cost more than the page itself. */
export const COUNT_UP_TO = 100_000;
