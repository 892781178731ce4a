// Nearer, further, and all of it.
import { ActionIcon, Tooltip } from "@mantine/core";
import { useReactFlow } from "@xyflow/react";
import { AddIcon, icon } from "../icons.tsx";
import classes from "./canvas.module.css";

const LessIcon = icon("Less", "M5 12h14");
const FitIcon = icon("Fit", "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5");

export function ZoomButtons() {
  const flow = useReactFlow();
  const buttons = [
    { label: "Zoom in", icon: AddIcon, act: () => flow.zoomIn() },
    { label: "Zoom out", icon: LessIcon, act: () => flow.zoomOut() },
    { label: "Show all", icon: FitIcon, act: () => flow.fitView({ padding: 0.08, maxZoom: 1 }) },
  ];
  return (
    <div className={`${classes.zoom} nopan nodrag nowheel`}>
      {buttons.map(({ label, icon: Shape, act }) => (
        <Tooltip key={label} label={label} position="right">
          <ActionIcon aria-label={label} onClick={() => void act()}>
            <Shape size={16} />
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  );
}
