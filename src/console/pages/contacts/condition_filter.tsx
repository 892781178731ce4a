// A condition, as those of segments are: built here, or brought by a link from elsewhere.
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { CloseIcon } from "../../parts/icons.tsx";
import { lazyPage } from "../../parts/lazy_page.tsx";
import { SkeletonLines } from "../../parts/states.tsx";
import { type Filters, readCondition, type SetFilters } from "./filters.ts";

const ConditionForm = lazyPage(() => import("./condition_form.tsx"), <SkeletonLines count={2} height={34} />);

interface Props {
  filters: Pick<Filters, "condition">;
  set: SetFilters;
}

export function ConditionFilter({ filters: { condition }, set }: Props) {
  const [isOpen, setOpen] = useState(false);
  const tree = readCondition(condition);
  return (
    <Group gap={0} wrap="nowrap">
      <Button variant={tree ? "light" : "default"} size="xs" onClick={() => setOpen(true)}>
        {tree ? "Matches conditions" : "Conditions"}
      </Button>
      {tree && (
        <Button
          variant="subtle"
          size="xs"
          px={8}
          aria-label="Remove the conditions"
          onClick={() => set({ condition: "" })}
        >
          <CloseIcon size={13} />
        </Button>
      )}
      <FormDialog opened={isOpen} onClose={() => setOpen(false)} title="Contacts that match" size="xl">
        <ConditionForm
          condition={tree}
          apply={(next) => {
            set({ condition: next ? JSON.stringify(next) : "" });
            setOpen(false);
          }}
        />
      </FormDialog>
    </Group>
  );
}
