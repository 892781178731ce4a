// What can be said of each kind of block.
import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { CodeIcon } from "../../editor_icons.tsx";
import type { Path } from "../../mjml/edit.ts";
import type { MjmlNode } from "../../mjml/tree.ts";
import classes from "./blocks.module.css";
import { ContentField } from "./content_field.tsx";
import { useBlocks } from "./context.ts";
import { AlignField, ChoiceField, ColorField, PaddingField, SelectField, TextField } from "./field.tsx";
import { HtmlField } from "./html_field.tsx";
import { ImageField } from "./image_field.tsx";
import { SocialLinks } from "./social_links.tsx";

interface FormProps {
  path: Path;
  node: MjmlNode;
}

const FORMS: Record<string, (props: FormProps) => ReactNode> = {
  "mj-section": SectionForm,
  "mj-wrapper": SectionForm,
  "mj-column": ColumnForm,
  "mj-text": TextForm,
  "mj-image": PictureForm,
  "mj-button": ButtonForm,
  "mj-divider": DividerForm,
  "mj-spacer": SpacerForm,
  "mj-social": SocialForm,
  "mj-raw": ({ path }) => <HtmlField path={path} />,
  "mj-table": ({ path }) => <HtmlField path={path} />,
};

/** The form of a block; for what has none, the way to its code. */
export function BlockForm(props: FormProps) {
  const { showCode } = useBlocks();
  const Form = FORMS[props.node.tag];
  return (
    <>
      {Form ? <Form {...props} /> : <p className={classes.hint}>This one is edited as code.</p>}
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        leftSection={<CodeIcon size={13} />}
        className={classes.add!}
        onClick={() => showCode(props.node.start)}
      >
        Show it in the code
      </Button>
    </>
  );
}

/** Fields side by side. */
const Pair = ({ children }: { children: ReactNode }) => <div className={classes.pair}>{children}</div>;

function SectionForm({ path }: FormProps) {
  return (
    <>
      <Pair>
        <ColorField path={path} name="background-color" label="Background" />
        <PaddingField path={path} initial="20px 0" />
      </Pair>
      <Pair>
        <ChoiceField
          path={path}
          name="full-width"
          label="Width"
          initial="false"
          choices={[
            { value: "false", label: "Mail" },
            { value: "full-width", label: "Full" },
          ]}
        />
        <TextField path={path} name="border-radius" label="Corner radius" initial="0" />
      </Pair>
      <ImageField path={path} name="background-url" label="Background image" />
    </>
  );
}

const TOP_MIDDLE_BOTTOM = [
  { value: "top", label: "Top" },
  { value: "middle", label: "Middle" },
  { value: "bottom", label: "Bottom" },
];

function ColumnForm({ path }: FormProps) {
  return (
    <>
      <Pair>
        <TextField path={path} name="width" label="Width" placeholder="50%, or 200px" />
        <ColorField path={path} name="background-color" label="Background" />
      </Pair>
      <Pair>
        <ChoiceField
          path={path}
          name="vertical-align"
          label="Vertical alignment"
          initial="top"
          choices={TOP_MIDDLE_BOTTOM}
        />
        <PaddingField path={path} initial="0" />
      </Pair>
    </>
  );
}

const WEIGHTS = [
  { value: "normal", label: "Normal" },
  { value: "bold", label: "Bold" },
];

function TextForm({ path }: FormProps) {
  return (
    <>
      <ContentField path={path} label="Text" isLong />
      <Pair>
        <TextField path={path} name="font-size" label="Size" initial="13px" />
        <ColorField path={path} name="color" label="Colour" initial="#000000" />
      </Pair>
      <Pair>
        <AlignField path={path} />
        <SelectField path={path} name="font-weight" label="Weight" initial="Normal" choices={WEIGHTS} />
      </Pair>
      <Pair>
        <TextField path={path} name="line-height" label="Line height" initial="1" />
        <PaddingField path={path} initial="10px 25px" />
      </Pair>
    </>
  );
}

function PictureForm({ path }: FormProps) {
  return (
    <>
      <ImageField path={path} name="src" label="Picture" />
      <TextField
        path={path}
        name="alt"
        label="Alt text"
        description="Read aloud by screen readers, and shown if images are not loaded."
      />
      <Pair>
        <TextField path={path} name="href" label="Link" placeholder="https://…" />
        <TextField path={path} name="width" label="Width" placeholder="As wide as its column" />
      </Pair>
      <Pair>
        <AlignField path={path} initial="center" />
        <PaddingField path={path} initial="10px 25px" />
      </Pair>
      <TextField path={path} name="border-radius" label="Corner radius" initial="0" />
    </>
  );
}

function ButtonForm({ path }: FormProps) {
  return (
    <>
      <ContentField path={path} label="Button text" />
      <TextField path={path} name="href" label="Link" placeholder="https://…" />
      <Pair>
        <ColorField path={path} name="background-color" label="Background" initial="#414141" />
        <ColorField path={path} name="color" label="Text colour" initial="#ffffff" />
      </Pair>
      <Pair>
        <AlignField path={path} initial="center" />
        <TextField path={path} name="width" label="Width" placeholder="As wide as its text" />
      </Pair>
      <Pair>
        <TextField path={path} name="border-radius" label="Corner radius" initial="3px" />
        <TextField path={path} name="font-size" label="Text size" initial="13px" />
      </Pair>
      <PaddingField path={path} initial="10px 25px" />
    </>
  );
}

const STYLES = [
  { value: "solid", label: "Line" },
  { value: "dashed", label: "Dashes" },
  { value: "dotted", label: "Dots" },
];

function DividerForm({ path }: FormProps) {
  return (
    <>
      <Pair>
        <ColorField path={path} name="border-color" label="Colour" initial="#000000" />
        <TextField path={path} name="border-width" label="Thickness" initial="4px" />
      </Pair>
      <Pair>
        <ChoiceField path={path} name="border-style" label="Style" initial="solid" choices={STYLES} />
        <TextField path={path} name="width" label="Width" initial="100%" />
      </Pair>
      <PaddingField path={path} initial="10px 25px" />
    </>
  );
}

function SpacerForm({ path }: FormProps) {
  return <TextField path={path} name="height" label="Height" initial="20px" />;
}

function SocialForm({ path, node }: FormProps) {
  return (
    <>
      <SocialLinks path={path} node={node} />
      <Pair>
        <AlignField path={path} initial="center" />
        <TextField path={path} name="icon-size" label="Icon size" initial="20px" />
      </Pair>
      <Pair>
        <ChoiceField
          path={path}
          name="mode"
          label="Arranged"
          initial="horizontal"
          choices={[
            { value: "horizontal", label: "In a row" },
            { value: "vertical", label: "In a column" },
          ]}
        />
        <ColorField path={path} name="color" label="Text colour" initial="#333333" />
      </Pair>
      <PaddingField path={path} initial="10px 25px" />
    </>
  );
}
