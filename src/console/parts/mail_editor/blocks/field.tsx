// Fields that write attributes. What cannot be written stays in its field, with the reason.
import {
  ColorInput,
  ColorSwatch,
  Input,
  NativeSelect,
  SegmentedControl,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { useState } from "react";
import { attributeOf, nodeOf, type Path, setAttribute } from "../../mjml/edit.ts";
import { bodyOf, type MjmlNode } from "../../mjml/tree.ts";
import { keyOf, useBlocks } from "./context.ts";

/** An attribute of the element at a path. */
export interface AttributeProps {
  path: Path;
  name: string;
  label: string;
  /** What it is where nothing is said, also in the head. */
  initial?: string;
}

/** A value with the way to change it; empty takes the attribute away. What is refused is kept beside the reason. */
export function useAttribute({ path, name, initial = "" }: AttributeProps) {
  const { text, root, edit } = useBlocks();
  const [refused, setRefused] = useState<{ value: string; reason: string } | null>(null);
  const node = nodeOf(root, path);
  const set = (value: string) => {
    const next = setAttribute(text, path, name, value === "" ? null : value);
    const reason = edit(next, `${keyOf(path)} ${name}`);
    setRefused(reason === null ? null : { value, reason });
  };
  return {
    value: refused?.value ?? attributeOf(node, name) ?? "",
    error: refused?.reason,
    /** What it is as long as nothing is said. */
    inherited: inheritedBy(root, node, name) ?? initial,
    set,
  };
}

/** What the head says of all elements of a kind. */
function inheritedBy(root: MjmlNode, { tag }: MjmlNode, name: string): string | undefined {
  if (!bodyOf(root)) return undefined;
  const head = root.children.find((one) => one.tag === "mjml")?.children.find((one) => one.tag === "mj-head");
  const said = head?.children
    .filter((one) => one.tag === "mj-attributes")
    .flatMap(({ children }) => children);
  for (const wanted of [tag, "mj-all"]) {
    const found = said?.findLast((one) => one.tag === wanted && attributeOf(one, name) !== undefined);
    if (found) return attributeOf(found, name);
  }
  return undefined;
}

/** A text, such as an address or a length. */
export function TextField({ path, name, label, initial, ...others }: AttributeProps & TextInputProps) {
  const { value, error, inherited, set } = useAttribute({ path, name, label, initial: initial ?? "" });
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder={inherited}
      {...others}
      value={value}
      error={error}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

const SWATCHES = ["#22211f", "#6b6862", "#e5e1da", "#f4f1ec", "#ffffff", "#a8402a", "#2f6f7d", "#2f7d4f"];

/** A colour. */
export function ColorField(props: AttributeProps) {
  const { value, error, inherited, set } = useAttribute(props);
  return (
    <ColorInput
      size="xs"
      label={props.label}
      placeholder={inherited || "None"}
      format="hex"
      fixOnBlur={false}
      swatches={SWATCHES}
      swatchesPerRow={8}
      withEyeDropper={false}
      {...(value === "" && inherited && { leftSection: <ColorSwatch color={inherited} size={16} /> })}
      value={value}
      error={error}
      onChange={(next) => next !== value && set(next)}
    />
  );
}

interface ChoiceProps extends AttributeProps {
  choices: { value: string; label: string }[];
}

/** One of a few values, side by side. */
export function ChoiceField({ choices, ...props }: ChoiceProps) {
  const { value, inherited, set } = useAttribute(props);
  const shown = value || inherited;
  return (
    <div>
      <Input.Label size="xs" labelElement="div">
        {props.label}
      </Input.Label>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label={props.label}
        data={choices}
        value={choices.some((choice) => choice.value === shown) ? shown : ""}
        onChange={set}
      />
    </div>
  );
}

/** One of many values. */
export function SelectField({ choices, ...props }: ChoiceProps) {
  const { value, inherited, set } = useAttribute(props);
  const known = choices.some((choice) => choice.value === value);
  const data = known || value === "" ? choices : [...choices, { value, label: value }];
  return (
    <NativeSelect
      size="xs"
      label={props.label}
      data={[{ value: "", label: inherited || "–" }, ...data]}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}

/** Left, centre, right. */
export function AlignField({ path, initial = "left" }: { path: Path; initial?: string }) {
  const choices = [
    { value: "left", label: "Left" },
    { value: "center", label: "Centre" },
    { value: "right", label: "Right" },
  ];
  return <ChoiceField path={path} name="align" label="Align" initial={initial} choices={choices} />;
}

/** The space between what an element shows and its edges. */
export function PaddingField({ path, initial }: { path: Path; initial: string }) {
  return (
    <TextField
      path={path}
      name="padding"
      label="Padding"
      initial={initial}
      title="Top and bottom, then the sides: 10px 25px"
    />
  );
}
