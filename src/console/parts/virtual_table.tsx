// A table of any length: only the rows that can be seen are in the document. It continues by itself at its end.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useShortcut } from "./shortcuts.ts";
import {
  BOX_WIDTH,
  type Column,
  RowToCome,
  type Selection,
  TableHead,
  TableRow,
  toggled,
} from "./virtual_rows.tsx";
import classes from "./virtual_table.module.css";

export type { Column, Selection };

interface Props<T> {
  /** What the rows are, for screen readers: `Contacts`. */
  label: string;
  columns: Column<T>[];
  rows: T[];
  idOf: (row: T) => string;
  /** What a row is called, for screen readers. Left out: its number. */
  nameOf?: (row: T) => string;
  /** How many there are in all, where that is known. */
  total?: number | undefined;
  /** Whether there are more than `rows`. */
  hasMore?: boolean | undefined;
  isLoadingMore?: boolean | undefined;
  loadMore?: () => unknown;
  /** A click on a row, or Enter. */
  open?: (row: T) => void;
  selection?: Selection;
  rowHeight?: number;
}

const OVERSCAN = 12;
/** At first only what can be seen is drawn, nearly; the rest of it comes when that is painted. */
const OVERSCAN_AT_FIRST = 1;
const ROW_HEIGHT = 44;

/**
 * The table. It fills the height that it is given: `flex: 1; min-height: 0` in a column. `j` and `k` or the arrows step from
 * row to row, Enter opens one, `x` selects it.
 */
export function VirtualTable<T>(props: Props<T>) {
  const {
    label,
    columns,
    rows,
    idOf,
    total,
    hasMore = false,
    rowHeight = ROW_HEIGHT,
    open,
    selection,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const overscan = useDeferredValue(rows.length > 0 ? OVERSCAN : OVERSCAN_AT_FIRST, OVERSCAN_AT_FIRST);
  const virtual = useVirtualizer({
    count: rows.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  });
  const items = virtual.getVirtualItems();
  const ids = useMemo(() => rows.map(idOf), [rows, idOf]);
  useMoreAtTheEnd(props, items.at(-1)?.index ?? -1);
  const steps = useSteps(rows.length, scroller, (index) => virtual.scrollToIndex(index));
  useKeys(props, steps);
  const latest = useLatest({ ...props, steps });
  return (
    <div
      ref={scroller}
      className={classes.table}
      role="table"
      aria-label={label}
      aria-rowcount={(total ?? (hasMore ? -2 : rows.length)) + 1}
      style={tracksOf(columns, selection !== undefined)}
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key !== "ArrowDown" || event.target !== event.currentTarget || !open) return;
        event.preventDefault();
        steps.step(1);
      }}
    >
      <TableHead columns={columns} ids={ids} selection={selection} />
      <div role="rowgroup" className={classes.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const [row, id] = [rows[index], ids[index]];
          if (row === undefined || id === undefined) {
            return (
              <RowToCome key="more" place={{ transform: `translateY(${start}px)`, height: rowHeight }} />
            );
          }
          return (
            <TableRow
              key={id}
              id={id}
              row={row}
              index={index}
              start={start}
              height={rowHeight}
              columns={columns}
              isActive={index === steps.active}
              isChosen={selection?.ids.has(id)}
              canOpen={open !== undefined}
              latest={latest}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The newest of something for what happens later: to have it draws nothing again. */
function useLatest<T>(value: T): React.RefObject<T> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
}

/** Asks for more when its end is near. */
function useMoreAtTheEnd<T>(
  { rows, hasMore = false, isLoadingMore, loadMore }: Props<T>,
  last: number,
): void {
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= rows.length - OVERSCAN) void loadMore?.();
  }, [hasMore, isLoadingMore, last, rows.length, loadMore]);
}

function useKeys<T>({ rows, idOf, open, selection }: Props<T>, { active, step, isInside }: Steps): void {
  const toggleActive = () => {
    const row = rows[active];
    if (selection && row !== undefined && isInside()) selection.change(toggled(selection.ids, idOf(row)));
  };
  useShortcut(open && "j", "Next row", () => step(1));
  useShortcut(open && "k", "Row before", () => step(-1));
  useShortcut(selection && open && "x", "Select the row", toggleActive);
}

/** The tracks of the grid, for a wide window and for a narrow one. */
function tracksOf<T>(columns: Column<T>[], hasSelection: boolean): React.CSSProperties {
  const tracks = (widths: (string | undefined)[]) =>
    [...(hasSelection ? [BOX_WIDTH] : []), ...widths.map((width) => width ?? "minmax(0, 1fr)")].join(" ");
  const wide = columns.map(({ width }) => width);
  const narrow = columns
    .filter(({ isWideOnly }) => !isWideOnly)
    .map(({ narrowWidth, width }) => narrowWidth ?? width);
  return { "--columns": tracks(wide), "--narrow": tracks(narrow) } as React.CSSProperties;
}

/** Puts the focus into the list of the page, a table or what is marked as one: from there `j` and the arrow down lead to its first row. */
export function enterTable(): void {
  // After the list that has just been asked for has taken the place of the one before.
  requestAnimationFrame(() =>
    requestAnimationFrame(() =>
      document.querySelector<HTMLElement>("main :is([role=table], [data-list])")?.focus(),
    ),
  );
}

type Steps = ReturnType<typeof useSteps>;

/** Which row the keys are at, and stepping to the next one: it comes into view and takes the focus. */
function useSteps(
  count: number,
  scroller: React.RefObject<HTMLDivElement | null>,
  show: (index: number) => void,
) {
  const [active, setActive] = useState(0);
  const find = (index: number) => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
  const isInside = () => scroller.current?.contains(document.activeElement) ?? false;
  const step = (by: 1 | -1) => {
    const isFirst = !isInside() || document.activeElement === scroller.current;
    const next = Math.min(count - 1, Math.max(0, isFirst ? active : active + by));
    if (next < 0) return;
    setActive(next);
    show(next);
    // A row that was out of sight is there after the next paint.
    requestAnimationFrame(() => requestAnimationFrame(() => find(next)?.focus({ preventScroll: true })));
  };
  return { active: Math.min(active, Math.max(0, count - 1)), setActive, step, isInside };
}
