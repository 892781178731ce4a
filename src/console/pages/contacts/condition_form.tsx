// The builder of conditions, as the filter of the list. It is loaded when it is opened.
import { Button, Group, Text } from "@mantine/core";
import type { Condition } from "../../api.gen.ts";
import { ConditionBuilder, useConditions } from "../../parts/conditions/builder.tsx";
import { useUnsaved } from "../../parts/unsaved.ts";

/** The service takes a condition in the address up to this length. */
const MAX_LENGTH = 8_000;

interface Props {
  condition: Condition | null;
  apply: (condition: Condition | null) => void;
}

export default function ConditionForm({ condition, apply }: Props) {
  const conditions = useConditions(condition ?? undefined);
  useUnsaved(conditions.isTouched);
  const isTooLong = JSON.stringify(conditions.condition ?? "").length > MAX_LENGTH;
  const show = () => {
    const whole = conditions.check();
    if (whole) apply(whole);
  };
  return (
    <>
      <ConditionBuilder conditions={conditions} />
      {isTooLong && (
        <Text size="sm" c="var(--bad)" mt="sm" role="alert">
          This is too long for a filter: create a segment instead.
        </Text>
      )}
      <Group justify="flex-end" gap="xs" mt="lg">
        {condition && (
          <Button variant="subtle" color="gray" onClick={() => apply(null)}>
            Remove
          </Button>
        )}
        <Button onClick={show} disabled={isTooLong}>
          Show
        </Button>
      </Group>
    </>
  );
}
