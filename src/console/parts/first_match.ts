// What is typed in a picker is chosen by Enter.

/**
 * For a `Select` that is searched in what it has: Enter takes the first that is found. Said for the opening, too: otherwise the
 * library looks for the chosen one a moment later, and on a busy machine forgets what was marked meanwhile. Enter did nothing
 * then, and the field said what was typed as if it were chosen. It opens by typing, an arrow key or a click, and not by focus:
 * Enter in a field that was only passed by Tab must not change it.
 */
export const TAKES_FIRST_MATCH = {
  openOnFocus: false,
  selectFirstOptionOnChange: true,
  selectFirstOptionOnDropdownOpen: true,
} as const;
