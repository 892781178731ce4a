// What a cell of a table says.
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;
// As many as every number keeps when it is read and written again: longer ones are identifiers, and stay text.
const MAX_DIGITS = 15;

/** Words for truth become booleans and plain numbers become numbers; `007` and `+47` are not plain numbers. */
export function readCell(cell: string): string | number | boolean {
  if (cell.length <= 5) {
    const word = cell.toLowerCase();
    if (word === "true") return true;
    if (word === "false") return false;
  }
  const isNumber = PLAIN_NUMBER.test(cell) && cell.replace(/[-.]/g, "").length <= MAX_DIGITS;
  return isNumber ? Number(cell) : cell;
}
