// The graph of a workflow on a ground that is moved and zoomed. It comes as a chunk of its own: load it with `lazyPage`.
import {
  Background,
  BackgroundVariant,
  type Connection,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
} from "@xyflow/react";
import { useEffect, useEffectEvent, useMemo, useRef, useState } from "react";
import classes from "./canvas.module.css";
import { CanvasContext, type CanvasActions } from "./context.ts";
import { DRAGGED_TYPE } from "./dragged.ts";
import { type DrawnStep, type DrawnWay, type Marks, type Place, type StepType } from "./graph.ts";
import { layOut, STEP_HEIGHT, STEP_WIDTH } from "./layout.ts";
import { edgesOf, type StepNode, nodesOf, type WayEdge } from "./nodes.ts";
import { StepCard } from "./step_card.tsx";
import { useSteps } from "./use_steps.ts";
import { firstView, isAnySeen } from "./view.ts";
import { WayLine } from "./way_line.tsx";
import { ZoomButtons } from "./zoom_buttons.tsx";

/** What can be done with the graph. Left out of {@linkcode Props}: it is read-only. */
export interface CanvasEdits extends CanvasActions {
  /** Somebody has put steps somewhere else. */
  move: (places: Map<string, Place>) => void;
  /** Draws a way; why it cannot be, if it cannot. */
  connect: (from: string, branch: string | null, to: string) => void;
  canConnect: (from: string, branch: string | null, to: string) => boolean;
  /** A type of step was dropped: into a way, or on the ground. */
  drop: (type: StepType, where: { way: string | null; place: Place }) => void;
  remove: (stepId: string) => void;
}

interface Props {
  /** What it shows, for screen readers: `Canvas of Welcome`. */
  label: string;
  steps: DrawnStep[];
  ways: DrawnWay[];
  marks?: Marks | undefined;
  /** The step that is chosen; null: none. */
  chosen?: string | null;
  choose?: ((stepId: string | null) => void) | undefined;
  edits?: CanvasEdits | undefined;
}

const NODE_TYPES = { step: StepCard };
const EDGE_TYPES = { way: WayLine };
const LOOKED_AT_BY_KEYS = "The arrow keys move between steps. Enter opens a step.";
const CHANGED_BY_KEYS = `${LOOKED_AT_BY_KEYS} Plus adds a step after it. Delete deletes it.`;
const MIN_ZOOM = 0.15;
const MAX_ZOOM = 1.75;

/**
 * The canvas. It fills its container. It is moved by dragging the ground or by scrolling, and zoomed with Ctrl and scrolling or
 * two fingers. The arrows lead along the ways from step to step, Enter chooses one. Only what can be seen is in the document.
 */
export default function Canvas(props: Props) {
  const { label, steps, ways, marks, chosen = null, choose, edits } = props;
  const places = usePlaces(steps, ways);
  const [dragged, setDragged] = useState<ReadonlyMap<string, Place>>(new Map());
  const [flow, setFlow] = useState<ReactFlowInstance<StepNode, WayEdge> | null>(null);
  const holder = useRef<HTMLDivElement>(null);
  const { isMoved, size } = useFirstView(holder, flow, places, steps);
  const keys = useSteps({ holder, flow, isMoved, size, steps, ways, places, chosen, choose, edits });
  const nodes = useMemo(
    () => nodesOf(steps, places, { marks, chosen, current: keys.current, isEditable: edits !== undefined }),
    [steps, places, marks, chosen, keys.current, edits !== undefined],
  );
  const shown = useMemo(() => withDragged(nodes, dragged), [nodes, dragged]);
  const edges = useMemo(() => edgesOf(steps, ways, marks), [steps, ways, marks]);
  const actions = useMemo(() => (edits ? { grow: edits.grow, cut: edits.cut } : null), [edits]);
  const onNodesChange = (changes: NodeChange<StepNode>[]) => {
    const moved = changes.flatMap((change) =>
      change.type === "position" && change.position ? [[change.id, change.position] as const] : [],
    );
    if (moved.length > 0) setDragged((before) => new Map([...before, ...moved]));
  };
  const drop = (event: React.DragEvent) => {
    const type = event.dataTransfer.getData(DRAGGED_TYPE) as StepType;
    if (!edits || !flow || !type) return;
    event.preventDefault();
    const edge = (event.target as Element).closest<SVGElement>(".react-flow__edge, [data-way]");
    const at = flow.screenToFlowPosition({ x: event.clientX, y: event.clientY });
    const place = { x: Math.round(at.x - STEP_WIDTH / 2), y: Math.round(at.y - STEP_HEIGHT / 2) };
    edits.drop(type, { way: edge?.dataset.way ?? edge?.dataset.id ?? null, place });
  };
  return (
    <CanvasContext value={actions}>
      <div
        ref={holder}
        className={classes.holder}
        onKeyDown={keys.onKeyDown}
        data-editable={edits !== undefined}
      >
        <ReactFlow<StepNode, WayEdge>
          className={classes.canvas!}
          aria-label={label}
          aria-description={edits ? CHANGED_BY_KEYS : LOOKED_AT_BY_KEYS}
          nodes={shown}
          edges={edges}
          nodeTypes={NODE_TYPES}
          edgeTypes={EDGE_TYPES}
          onInit={setFlow}
          onMoveStart={(event) => {
            if (event) isMoved.current = true;
          }}
          onNodesChange={onNodesChange}
          onNodeDragStop={(_event, _node, moved) => {
            edits?.move(new Map(moved.map(({ id, position }) => [id, rounded(position)])));
            setDragged(new Map());
          }}
          onNodeClick={(event, { id }) => {
            if (!(event.target as Element).closest("[data-end]")) choose?.(id);
          }}
          onPaneClick={() => choose?.(null)}
          onConnect={({ source, sourceHandle, target }: Connection) =>
            edits?.connect(source, sourceHandle || null, target)
          }
          isValidConnection={({ source, sourceHandle, target }) =>
            edits?.canConnect(source, sourceHandle || null, target) ?? false
          }
          onDragOver={(event) => {
            if (!edits || !event.dataTransfer.types.includes(DRAGGED_TYPE)) return;
            event.preventDefault();
            event.dataTransfer.dropEffect = "copy";
          }}
          onDrop={drop}
          nodesDraggable={edits !== undefined}
          nodesConnectable={edits !== undefined}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          connectionRadius={60}
          nodeDragThreshold={4}
          minZoom={MIN_ZOOM}
          maxZoom={MAX_ZOOM}
          panOnScroll
          zoomOnDoubleClick={false}
          onlyRenderVisibleElements
          proOptions={{ hideAttribution: true }}
        >
          <Background variant={BackgroundVariant.Dots} gap={22} size={1.2} />
          <ZoomButtons />
        </ReactFlow>
      </div>
    </CanvasContext>
  );
}

/**
 * Shows what is to be seen first, and again in a window of another size, until somebody moves the canvas; and whenever no step
 * is in sight any more where something has changed, such as after some steps back.
 */
function useFirstView(
  holder: React.RefObject<HTMLDivElement | null>,
  flow: ReactFlowInstance<StepNode, WayEdge> | null,
  places: ReadonlyMap<string, Place>,
  steps: DrawnStep[],
): { isMoved: React.RefObject<boolean>; size: string } {
  const first = steps[0]?.id;
  const isMoved = useRef(false);
  const [size, setSize] = useState("");
  const find = useEffectEvent(() => {
    if (!flow || isAnySeen(places, flow.getViewport(), holder.current!)) return;
    void flow.setViewport(firstView(places, first, holder.current!));
  });
  const show = useEffectEvent(() => {
    if (flow && !isMoved.current) void flow.setViewport(firstView(places, first, holder.current!));
    else find();
  });
  useEffect(() => find(), [steps]);
  useEffect(() => {
    if (!flow) return;
    // It tells the first size, too.
    const watch = new ResizeObserver(([entry]) => {
      show();
      setSize(`${entry!.contentRect.width} ${entry!.contentRect.height}`);
    });
    watch.observe(holder.current!);
    return () => watch.disconnect();
  }, [flow, holder]);
  return { isMoved, size };
}

/** The places of all steps: computed again only if steps, ways or places change, not for each letter of a name. */
function usePlaces(steps: DrawnStep[], ways: DrawnWay[]): ReadonlyMap<string, Place> {
  const shape = JSON.stringify([
    steps.map(({ id, place }) => ({ id, place })),
    ways.map(({ from, to, branch }) => ({ from, to, branch })),
  ]);
  return useMemo(() => {
    const [shapes, lines] = JSON.parse(shape) as [Pick<DrawnStep, "id" | "place">[], DrawnWay[]];
    return layOut(shapes, lines);
  }, [shape]);
}

/** Only what is dragged is another object: the others are not drawn again. */
function withDragged(nodes: StepNode[], dragged: ReadonlyMap<string, Place>): StepNode[] {
  if (dragged.size === 0) return nodes;
  return nodes.map((node) => {
    const position = dragged.get(node.id);
    return position ? { ...node, position } : node;
  });
}

/** The origin means that nobody has chosen a place. */
function rounded({ x, y }: Place): Place {
  const place = { x: Math.round(x), y: Math.round(y) };
  return place.x === 0 && place.y === 0 ? { x: 0, y: 1 } : place;
}
