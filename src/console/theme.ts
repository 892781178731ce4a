// How the component library looks here: the colours of tokens.css, type, radius and density. Every pair of colours that text
// is on has a contrast of at least 4.5 (WCAG AA).
import {
  ActionIcon,
  Badge,
  Button,
  Combobox,
  createTheme,
  type CSSVariablesResolver,
  Drawer,
  Kbd,
  type MantineColorsTuple,
  Menu,
  Modal,
  Paper,
  Skeleton,
  Table,
  Tabs,
  TextInput,
  Tooltip,
} from "@mantine/core";

const terracotta: MantineColorsTuple = [
  "#fbf1ec",
  "#f7e6dd",
  "#efccbc",
  "#e6ac95",
  "#dd8b6e",
  "#cd6a4b",
  "#b9502f",
  "#b04a2f",
  "#a8402a",
  "#8a3322",
];

const gray: MantineColorsTuple = [
  "#f8f6f2",
  "#f4f1ec",
  "#e5e1da",
  "#dcd7ce",
  "#cfc9bf",
  "#a8a29a",
  "#6b6862",
  "#57544f",
  "#3d3a36",
  "#22211f",
];

const dark: MantineColorsTuple = [
  "#ebe9e6",
  "#c9c6c1",
  "#a09d98",
  "#77746f",
  "#48484e",
  "#303034",
  "#262629",
  "#1e1e20",
  "#161617",
  "#101011",
];

export const theme = createTheme({
  colors: { terracotta, gray, dark },
  primaryColor: "terracotta",
  primaryShade: { light: 8, dark: 6 },
  black: "#22211f",
  fontFamily: 'system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: "var(--mono)",
  headings: { fontWeight: "650" },
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.9375rem", lg: "1.0625rem", xl: "1.25rem" },
  radius: { xs: "0.25rem", sm: "0.375rem", md: "0.5rem", lg: "0.875rem", xl: "1.25rem" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: "subtle", color: "gray" } }),
    Badge: Badge.extend({ defaultProps: { variant: "light", radius: "sm", tt: "none", fw: 550 } }),
    Button: Button.extend({ defaultProps: { size: "sm", fw: 550 } }),
    // Options that nobody has asked for are not drawn: a closed picker with them costs as much as ten rows of a list.
    Combobox: Combobox.extend({ defaultProps: { keepMounted: false } }),
    Drawer: Drawer.extend({ defaultProps: { closeButtonProps: { "aria-label": "Close" } } }),
    Kbd: Kbd.extend({ defaultProps: { size: "xs" } }),
    // Without the placeholder, which is nothing that a menu may have in it, the first entry has the focus.
    Menu: Menu.extend({
      defaultProps: { shadow: "md", radius: "md", withInitialFocusPlaceholder: false },
    }),
    Modal: Modal.extend({
      defaultProps: { radius: "lg", centered: true, closeButtonProps: { "aria-label": "Close" } },
    }),
    Paper: Paper.extend({ defaultProps: { radius: "lg", withBorder: true } }),
    Skeleton: Skeleton.extend({ defaultProps: { radius: "sm" } }),
    Table: Table.extend({ defaultProps: { verticalSpacing: "xs", horizontalSpacing: "md" } }),
    Tabs: Tabs.extend({ defaultProps: { variant: "default" } }),
    TextInput: TextInput.extend({ defaultProps: { size: "sm" } }),
    // Users of the keyboard are told, too.
    Tooltip: Tooltip.extend({
      defaultProps: {
        openDelay: 250,
        withinPortal: true,
        events: { hover: true, focus: true, touch: false },
      },
    }),
  },
});

/** Said for each scheme: those of the library are, and what is said for both at once gives way to them. */
const NAMES = {
  "--mantine-color-body": "var(--sheet)",
  "--mantine-color-text": "var(--ink)",
  "--mantine-color-dimmed": "var(--faded)",
  "--mantine-color-placeholder": "var(--faded)",
  "--mantine-color-anchor": "var(--accent)",
  "--mantine-color-error": "var(--bad)",
  "--mantine-color-default": "var(--raised)",
  "--mantine-color-default-hover": "var(--hover)",
  "--mantine-color-default-border": "var(--line)",
  "--mantine-color-default-color": "var(--ink)",
  "--mantine-primary-color-light": "var(--tint)",
  "--mantine-primary-color-light-hover": "var(--tint)",
  "--mantine-primary-color-light-color": "var(--accent)",
  "--mantine-color-terracotta-light": "var(--tint)",
  "--mantine-color-terracotta-light-hover": "var(--tint)",
  "--mantine-color-terracotta-light-color": "var(--accent)",
  "--mantine-color-terracotta-text": "var(--accent)",
  "--mantine-color-terracotta-outline": "var(--accent)",
  "--mantine-color-gray-text": "var(--faded)",
  "--mantine-color-gray-light": "var(--quiet-tint)",
  "--mantine-color-gray-light-hover": "var(--quiet-tint)",
  "--mantine-color-gray-light-color": "var(--ink)",
  // Of entries of menus.
  "--mantine-color-red-6": "var(--bad)",
  "--mantine-color-red-text": "var(--bad)",
  "--mantine-color-red-light": "var(--bad-tint)",
  "--mantine-color-red-light-hover": "var(--bad-tint)",
  "--mantine-color-red-light-color": "var(--bad)",
  "--mantine-color-red-filled": "#b3261e",
  "--mantine-color-red-filled-hover": "#971f18",
  "--mantine-color-red-outline": "var(--bad)",
  "--mantine-color-green-light": "var(--fine-tint)",
  "--mantine-color-green-light-color": "var(--fine)",
  "--mantine-color-green-text": "var(--fine)",
  // Of entries of menus.
  "--mantine-color-yellow-6": "var(--warn)",
  "--mantine-color-yellow-light": "var(--warn-tint)",
  "--mantine-color-yellow-light-color": "var(--warn)",
  "--mantine-color-yellow-text": "var(--warn)",
};

export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: NAMES, dark: NAMES });
