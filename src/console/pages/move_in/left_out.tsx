// What does not come, or did not, and why: as a list, and as a file.
import { Button, Menu } from "@mantine/core";
import type { Move, MoveLeftOut } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { MenuButton } from "../../parts/menu_button.tsx";
import { More } from "../../parts/more.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Loaded } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { formatNumber } from "../../parts/format.ts";
import { useProjectId } from "../../place.ts";
import { useApiPages } from "../../queries.ts";
import classes from "./move_in.module.css";

/** The service keeps so many. */
const KEPT = 10_000;

export function LeftOut({ move }: { move: Move }) {
  const { id, leftOutTotal: total } = move;
  const list = useApiPages("GET /moves/{id}/left-out", { path: { id }, query: { limit: 50 } });
  const lines = list.data?.pages.flatMap(({ data }) => data);
  return (
    <div className={classes.leftOut}>
      <Panel
        title={`${move.startedAt === null ? "Would be left out" : "Left out"}: ${formatNumber(total)}`}
        aside={<Download move={move} />}
      >
        <Loaded query={{ ...list, data: lines }}>
          {(all) => (
            <>
              <ul className={classes.reasons} aria-label="Left out">
                {all.map(({ position, what, why }) => (
                  <li key={position}>
                    <span>{what}</span>
                    <span className={classes.faded}>{why}</span>
                  </li>
                ))}
              </ul>
              <More query={list}>Show more</More>
              {total > KEPT && !list.hasNextPage && (
                <p className={classes.quiet}>
                  The first {formatNumber(KEPT)} are kept, the others are only counted.
                </p>
              )}
            </>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function Download({ move }: { move: Move }) {
  const projectId = useProjectId();
  const save = async (format: "csv" | "ndjson") => {
    try {
      const lines = await allLines(projectId, move.id);
      const text =
        format === "csv" ? await csvOf(lines) : lines.map((line) => `${JSON.stringify(line)}\n`).join("");
      offer(text, `move-from-${move.from}.${format}`, format === "csv" ? "text/csv" : "application/x-ndjson");
    } catch (error) {
      toast.failed(error);
    }
  };
  return (
    <MenuButton
      button={(opener) => (
        <Button {...opener} variant="default" size="xs">
          Download
        </Button>
      )}
    >
      <Menu.Item onClick={() => void save("csv")}>CSV, for spreadsheets</Menu.Item>
      <Menu.Item onClick={() => void save("ndjson")}>NDJSON, for programs</Menu.Item>
    </MenuButton>
  );
}

type Line = Pick<MoveLeftOut, "what" | "why">;

async function allLines(projectId: string, id: string): Promise<Line[]> {
  const all: Line[] = [];
  for (let cursor: string | null = null; ;) {
    const query: { limit: number; cursor?: string } = { limit: 1_000, ...(cursor !== null && { cursor }) };
    const page = await call("GET /moves/{id}/left-out", { path: { id }, query }, { projectId });
    all.push(...page.data.map(({ what, why }) => ({ what, why })));
    if (page.cursor === null) return all;
    cursor = page.cursor;
  }
}

async function csvOf(lines: Line[]): Promise<string> {
  const { default: Papa } = await import("papaparse");
  // What another service has called something is no formula.
  return Papa.unparse({ fields: ["what", "why"], data: lines }, { escapeFormulae: true });
}

function offer(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
