// When a transport is used, and how much it may send.
import { NumberInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { TransportValues } from "./values.ts";
import classes from "./transports.module.css";

export function LimitFields({ form }: { form: UseFormReturnType<TransportValues> }) {
  return (
    <>
      <div className={classes.halves}>
        <NumberInput
          mt="md"
          label="Priority"
          description="Lower ones are used first."
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps("priority")}
        />
        <NumberInput
          mt="md"
          label="Weight"
          description="Its share among equal priorities."
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps("weight")}
        />
      </div>
      <div className={classes.halves}>
        <NumberInput
          mt="md"
          label="Mails a second"
          placeholder="No limit"
          allowNegative={false}
          {...form.getInputProps("ratePerSecond")}
        />
        <NumberInput
          mt="md"
          label="Mails a day (UTC)"
          placeholder="No limit"
          thousandSeparator=","
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps("perDay")}
        />
      </div>
      <NumberInput
        mt="md"
        label="Connections"
        placeholder="Up to 40"
        allowDecimal={false}
        allowNegative={false}
        {...form.getInputProps("connections")}
      />
    </>
  );
}
