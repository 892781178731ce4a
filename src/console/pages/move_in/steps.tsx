// The three steps of a move.
import { Stepper } from "@mantine/core";
import classes from "./move_in.module.css";

/** Which of them one is at, from 0; 3 when all are done. */
export function Steps({ at }: { at: 0 | 1 | 2 | 3 }) {
  return (
    <Stepper
      active={at}
      size="sm"
      mb="lg"
      allowNextStepsSelect={false}
      className={classes.steps!}
      classNames={{ step: classes.step!, stepBody: classes.stepWords! }}
    >
      <Stepper.Step label="Where from" />
      <Stepper.Step label="What we found" />
      <Stepper.Step label="Moving in" />
    </Stepper>
  );
}
