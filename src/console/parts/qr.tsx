// A QR code, drawn here: what is in it is sent to nobody.
import encode from "qr";
import classes from "./qr.module.css";

interface Props {
  /** What a camera reads. */
  text: string;
  /** What it is, for those who do not see it. */
  label: string;
}

/** Black on white in every scheme: cameras expect it. */
export function QrCode({ text, label }: Props) {
  const rows = encode(text, "raw", { ecc: "medium", border: 3 });
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes.code}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
    >
      <rect width="100%" height="100%" fill="#fff" />
      <path d={rows.map(lineOf).join("")} fill="#000" />
    </svg>
  );
}

/** A line of dark and light cells as rectangles, one for each run of dark ones. */
function lineOf(cells: boolean[], y: number): string {
  let path = "";
  for (let x = 0; x < cells.length; x++) {
    if (!cells[x] || cells[x - 1]) continue;
    const end = cells.indexOf(false, x);
    path += `M${x} ${y}h${(end === -1 ? cells.length : end) - x}v1H${x}z`;
  }
  return path;
}
