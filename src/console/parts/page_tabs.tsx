// The tabs of a page.
import { Tabs } from "@mantine/core";
import { type ReactNode, useCallback } from "react";
import { useUrlState } from "../place.ts";

/** One of them; `value` is what stands in the address. */
export interface PageTab {
  value: string;
  label: string;
}

interface Props {
  /** In their order. The first one is shown if the address names none of them. */
  tabs: readonly PageTab[];
  className: string | undefined;
  /** A `Tabs.Panel` for each. */
  children: ReactNode;
}

/** Which is shown, and how to show another one. */
export function usePageTab(tabs: readonly PageTab[]) {
  const first = tabs[0]!.value;
  const [{ tab }, set] = useUrlState({ tab: first });
  const shown = tabs.some(({ value }) => value === tab) ? tab : first;
  const show = useCallback(
    (next: string, options?: { replace?: boolean }) => set({ tab: next }, options),
    [set],
  );
  return [shown, show] as const;
}

/** The tabs of a page, and the panel of the one that is shown: `tab` in the address, so that it can be linked to. */
export function PageTabs({ tabs, className, children }: Props) {
  const [shown, show] = usePageTab(tabs);
  return (
    <Tabs
      value={shown}
      onChange={(next) => next !== null && show(next)}
      className={className!}
      keepMounted={false}
    >
      <Tabs.List>
        {tabs.map(({ value, label }) => (
          <Tabs.Tab key={value} value={value}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {children}
    </Tabs>
  );
}
