// The head and the rows of a virtual table: as light as they can be, since scrolling makes hundreds of them.
import { Skeleton } from "@mantine/core";
import { memo, type ReactNode } from "react";
import classes from "./virtual_table.module.css";

/** A column. */
export interface Column<T> {
  key: string;
  header: ReactNode;
  /** As a track of a CSS grid: `2fr`, `8rem`, `minmax(10rem, 1fr)`. Left out: `1fr`. */
  width?: string;
  /** The same where the window is narrow. `max-content` is each row's own: for the last column, at the right. */
  narrowWidth?: string;
  /** Numbers are at the right. */
  align?: "left" | "right";
  /** Not shown if the window is narrow. */
  isWideOnly?: boolean;
  cell: (row: T) => ReactNode;
}

/** Which rows are chosen. */
export interface Selection {
  ids: ReadonlySet<string>;
  change: (ids: Set<string>) => void;
}

/** The width of the column of boxes. */
export const BOX_WIDTH = "1.75rem";

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
          <div role="columnheader">
            <Box
              label="Select all that are loaded"
              isChecked={chosen > 0 && chosen === ids.length}
              isMixed={chosen > 0 && chosen < ids.length}
              change={(isChecked) => selection.change(new Set(isChecked ? ids : []))}
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

/** What a row does when something happens to it. */
interface RowActs<T> {
  nameOf?: (row: T) => string;
  open?: (row: T) => void;
  selection?: Selection;
  steps: { setActive: (index: number) => void; step: (by: 1 | -1) => void };
}

interface RowProps<T> {
  id: string;
  row: T;
  index: number;
  /** Pixels from the first row. */
  start: number;
  height: number;
  columns: Column<T>[];
  isActive: boolean;
  /** Undefined if rows cannot be chosen. */
  isChosen: boolean | undefined;
  canOpen: boolean;
  /** What the row does when something happens to it. It never changes, so that it draws no row again. */
  latest: React.RefObject<RowActs<T>>;
}

function Row<T>({
  id,
  row,
  index,
  start,
  height,
  columns,
  isActive,
  isChosen,
  canOpen,
  latest,
}: RowProps<T>) {
  const open = () => latest.current.open?.(row);
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter") open();
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    latest.current.steps.step(event.key === "ArrowDown" ? 1 : -1);
  };
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      data-floating
      data-index={index}
      data-open={canOpen || undefined}
      data-chosen={isChosen || undefined}
      style={{ transform: `translateY(${start}px)`, height }}
      tabIndex={canOpen ? (isActive ? 0 : -1) : undefined}
      onFocus={() => latest.current.steps.setActive(index)}
      onClick={canOpen ? (event) => isPlain(event) && open() : undefined}
      onKeyDown={canOpen ? onKeyDown : undefined}
    >
      {isChosen !== undefined && (
        <div role="cell">
          <Box
            label={`Select ${latest.current.nameOf?.(row) ?? `row ${index + 1}`}`}
            tabIndex={isActive ? 0 : -1}
            isChecked={isChosen}
            change={() => {
              const { selection } = latest.current;
              selection?.change(toggled(selection.ids, id));
            }}
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

interface BoxProps {
  label: string;
  isChecked: boolean;
  /** Some, and not all. */
  isMixed?: boolean;
  tabIndex?: number;
  change: (isChecked: boolean) => void;
}

/** A box to check, as light as it can be: that of the library is seven elements, in each row. */
function Box({ label, isChecked, isMixed = false, tabIndex, change }: BoxProps) {
  return (
    <label className={classes.box}>
      <input
        type="checkbox"
        ref={(input) => {
          if (input) input.indeterminate = isMixed;
        }}
        aria-label={label}
        tabIndex={tabIndex}
        checked={isChecked}
        onChange={(event) => change(event.currentTarget.checked)}
      />
    </label>
  );
}

/** Stands at the end, while more is on its way. */
export function RowToCome({ place }: { place: React.CSSProperties }) {
  return (
    <div role="row" className={classes.row} data-floating style={place}>
      <div role="cell" className={classes.cell}>
        <Skeleton height={12} width="60%" />
      </div>
    </div>
  );
}

function cellProps({ align, isWideOnly }: Pick<Column<never>, "align" | "isWideOnly">) {
  return { className: classes.cell!, "data-align": align, "data-wide": isWideOnly || undefined };
}

/** Not one on a button or a link in the row, and not the end of marking text. */
function isPlain(event: React.MouseEvent): boolean {
  const target = event.target as HTMLElement;
  return !target.closest("a, button, input, label") && window.getSelection()?.isCollapsed !== false;
}

/** The ids, with this one or without it. */
export function toggled(ids: ReadonlySet<string>, id: string): Set<string> {
  const after = new Set(ids);
  if (!after.delete(id)) after.add(id);
  return after;
}

/** Drawn again only where something of it has changed: scrolling draws the rows that come into view, and no others. */
export const TableRow = memo(Row) as typeof Row;
/** As {@linkcode TableRow}: it knows of every row that was loaded. */
export const TableHead = memo(Head) as typeof Head;
