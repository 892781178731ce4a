// A table of any length: only the rows that can be seen are in the document. It goes on by itself at its end.
import { Checkbox, Skeleton } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useShortcut } from "./shortcuts.ts";
import classes from "./virtual_table.module.css";

/** A column. */
export interface Column<T> {
  key: string;
  header: ReactNode;
  /** As a track of a CSS grid: `2fr`, `8rem`, `minmax(10rem, 1fr)`. Left out: `1fr`. */
  width?: string;
  /** Numbers stand at the right. */
  align?: "left" | "right";
  /** Not shown where the window is narrow. */
  isWideOnly?: boolean;
  cell: (row: T) => ReactNode;
}

/** Which rows are chosen. */
export interface Selection {
  ids: ReadonlySet<string>;
  change: (ids: Set<string>) => void;
}

interface Props<T> {
  /** What the rows are, for readers of the screen: `Contacts`. */
  label: string;
  columns: Column<T>[];
  rows: T[];
  idOf: (row: T) => string;
  /** What a row is called, for readers of the screen. Left out: its number. */
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
const ROW_HEIGHT = 44;
const BOX_WIDTH = "2.5rem";

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
  const virtual = useVirtualizer({
    count: rows.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
  });
  const items = virtual.getVirtualItems();
  useMoreAtTheEnd(props, items.at(-1)?.index ?? -1);
  const steps = useSteps(rows.length, scroller, (index) => virtual.scrollToIndex(index));
  useKeys(props, steps);
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
      <Head columns={columns} ids={rows.map(idOf)} selection={selection} />
      <div role="rowgroup" className={classes.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          const place = { transform: `translateY(${start}px)`, height: rowHeight };
          if (row === undefined) return <RowToCome key="more" place={place} />;
          return (
            <TableRow key={idOf(row)} table={props} row={row} index={index} place={place} steps={steps} />
          );
        })}
      </div>
    </div>
  );
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
  const tracks = (shown: Column<T>[]) =>
    [...(hasSelection ? [BOX_WIDTH] : []), ...shown.map(({ width }) => width ?? "minmax(0, 1fr)")].join(" ");
  const narrow = columns.filter((column) => !column.isWideOnly);
  return { "--columns": tracks(columns), "--narrow": tracks(narrow) } as React.CSSProperties;
}

interface HeadProps<T> {
  columns: Column<T>[];
  ids: string[];
  selection: Selection | undefined;
}

function Head<T>({ columns, ids, selection }: HeadProps<T>) {
  const chosen = selection ? ids.filter((id) => selection.ids.has(id)).length : 0;
  return (
    <div role="rowgroup" className={classes.head}>
      <div role="row" aria-rowindex={1} className={classes.row}>
        {selection && (
          <div role="columnheader" className={classes.box}>
            <Checkbox
              size="xs"
              aria-label="Select all that are loaded"
              checked={chosen > 0 && chosen === ids.length}
              indeterminate={chosen > 0 && chosen < ids.length}
              onChange={(event) => selection.change(new Set(event.currentTarget.checked ? ids : []))}
            />
          </div>
        )}
        {columns.map((column) => (
          <div key={column.key} role="columnheader" {...cellProps(column)}>
            {column.header}
          </div>
        ))}
      </div>
    </div>
  );
}

interface RowProps<T> {
  table: Props<T>;
  row: T;
  index: number;
  place: React.CSSProperties;
  steps: Steps;
}

function TableRow<T>({ table, row, index, place, steps: { active, setActive, step } }: RowProps<T>) {
  const { columns, idOf, nameOf, open, selection } = table;
  const id = idOf(row);
  const isActive = index === active;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      data-floating
      data-index={index}
      data-open={open ? true : undefined}
      data-chosen={selection?.ids.has(id) || undefined}
      style={place}
      tabIndex={open ? (isActive ? 0 : -1) : undefined}
      onFocus={() => setActive(index)}
      onClick={open && ((event) => isPlain(event) && open(row))}
      onKeyDown={
        open &&
        ((event) => {
          if (event.target !== event.currentTarget) return;
          if (event.key === "Enter") open(row);
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          step(event.key === "ArrowDown" ? 1 : -1);
        })
      }
    >
      {selection && (
        <div role="cell" className={classes.box}>
          <Checkbox
            size="xs"
            aria-label={`Select ${nameOf?.(row) ?? `row ${index + 1}`}`}
            tabIndex={isActive ? 0 : -1}
            checked={selection.ids.has(id)}
            onChange={() => selection.change(toggled(selection.ids, id))}
          />
        </div>
      )}
      {columns.map((column) => (
        <div key={column.key} role="cell" {...cellProps(column)}>
          {column.cell(row)}
        </div>
      ))}
    </div>
  );
}

/** Stands at the end, while more is on its way. */
function RowToCome({ place }: { place: React.CSSProperties }) {
  return (
    <div role="row" className={classes.row} data-floating style={place}>
      <div role="cell" className={classes.cell}>
        <Skeleton height={12} width="60%" />
      </div>
    </div>
  );
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

function cellProps({ align, isWideOnly }: Pick<Column<never>, "align" | "isWideOnly">) {
  return { className: classes.cell!, "data-align": align, "data-wide": isWideOnly || undefined };
}

/** Not one on a button or a link in the row, and not the end of marking text. */
function isPlain(event: React.MouseEvent): boolean {
  const target = event.target as HTMLElement;
  return !target.closest("a, button, input, label") && window.getSelection()?.isCollapsed !== false;
}

function toggled(ids: ReadonlySet<string>, id: string): Set<string> {
  const after = new Set(ids);
  if (!after.delete(id)) after.add(id);
  return after;
}
