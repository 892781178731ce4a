// A switch in a row of a list.
import classes from "./row_switch.module.css";

interface Props {
  /** What is on or off, for screen readers: `Welcome is enabled`. */
  label: string;
  isOn: boolean;
  toggle: () => void;
}

/** As light as it can be: that of the library is six elements, in each row. */
export function RowSwitch({ label, isOn, toggle }: Props) {
  return (
    <label className={classes.switch}>
      <input type="checkbox" role="switch" aria-label={label} checked={isOn} onChange={toggle} />
    </label>
  );
}
