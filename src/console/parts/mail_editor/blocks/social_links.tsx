// The links of a row of social networks.
import { ActionIcon, Button } from "@mantine/core";
import { AddIcon, DeleteIcon } from "../../icons.tsx";
import { insertNode, itemsOf, type Path, removeNode } from "../../mjml/edit.ts";
import type { MjmlNode } from "../../mjml/tree.ts";
import classes from "./blocks.module.css";
import { ContentField } from "./content_field.tsx";
import { useBlocks } from "./context.ts";
import { SelectField, TextField } from "./field.tsx";

/** In MJML, the plain names of some networks share the address there, where others lead to it. */
const NETWORKS = [
  ["facebook-noshare", "Facebook"],
  ["instagram", "Instagram"],
  ["linkedin-noshare", "LinkedIn"],
  ["x-noshare", "X"],
  ["youtube", "YouTube"],
  ["github", "GitHub"],
  ["pinterest-noshare", "Pinterest"],
  ["vimeo", "Vimeo"],
  ["tumblr-noshare", "Tumblr"],
  ["web", "A website"],
  ["facebook", "Share on Facebook"],
  ["linkedin", "Share on LinkedIn"],
  ["x", "Share on X"],
  ["pinterest", "Share on Pinterest"],
  ["tumblr", "Share on Tumblr"],
].map(([value, label]) => ({ value: value!, label: label! }));

const NEW = '<mj-social-element name="web" href="https://example.com">Website</mj-social-element>';

/** A line for each, and a button for one more. */
export function SocialLinks({ path, node }: { path: Path; node: MjmlNode }) {
  const { text, edit } = useBlocks();
  return (
    <>
      <ul className={classes.links} aria-label="Links">
        {node.children.map((child, n) =>
          child.tag === "mj-social-element" ? (
            <li key={n} className={classes.link}>
              <div className={classes.pair}>
                <SelectField path={[...path, n]} name="name" label="Network" choices={NETWORKS} />
                <TextField path={[...path, n]} name="href" label="Link" placeholder="https://…" />
              </div>
              <ContentField path={[...path, n]} label={`Text of link ${n + 1}`} />
              <ActionIcon
                className={classes.removeLink!}
                size={24}
                aria-label={`Remove link ${n + 1}`}
                onClick={() => edit(removeNode(text, [...path, n]))}
              >
                <DeleteIcon size={14} />
              </ActionIcon>
            </li>
          ) : null,
        )}
      </ul>
      <Button
        variant="default"
        size="compact-xs"
        leftSection={<AddIcon size={13} />}
        className={classes.add!}
        onClick={() => edit(insertNode(text, path, itemsOf(node).length, NEW))}
      >
        Add a link
      </Button>
    </>
  );
}
