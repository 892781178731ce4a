// The icons of the block editor.
import { icon } from "./icons.tsx";

export const SectionIcon = icon("Section", "M3.5 4.5h17v6h-17zM3.5 14h17v5.5h-17z");
export const TextIcon = icon("Text", "M5 6.5V5h14v1.5M12 5v14M9 19h6");
export const ButtonIcon = icon("Button", "M3 8h18v8H3zM8 12h8");
export const LineIcon = icon("Line", "M3 12h18");
export const SpaceIcon = icon(
  "Space",
  "M4 4.5h16M4 19.5h16M12 8v8M9.5 10.5 12 8l2.5 2.5M9.5 13.5 12 16l2.5-2.5",
);
export const LinkIcon = icon(
  "Link",
  "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17",
);
export const CodeIcon = icon("Code", "M8.5 7 3.5 12l5 5M15.5 7l5 5-5 5");
export const BoldIcon = icon("Bold", "M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z");
export const ItalicIcon = icon("Italic", "M10 5h8M6 19h8M14 5l-4 14");
export const RedoIcon = icon("Redo", "M15.5 4.5 20 9l-4.5 4.5M20 9H10a5.5 5.5 0 0 0 0 11h4");
export const GripIcon = icon("Grip", "M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01");
