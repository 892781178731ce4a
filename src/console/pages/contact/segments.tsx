// Which segments a contact is in, and why it is, or is not.
import { ActionIcon, Button, Menu, Modal, Tooltip } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Segment, WholeContact } from "../../api.gen.ts";
import { AddIcon, CloseIcon } from "../../parts/icons.tsx";
import { MenuButton } from "../../parts/menu_button.tsx";
import { Loaded } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { useHasPage } from "../../place.ts";
import { useApi, useChange } from "../../queries.ts";
import { Explanation } from "./explanation.tsx";
import { Panel } from "../../parts/panel.tsx";
import classes from "./contact.module.css";

type Named = Pick<Segment, "id" | "name">;
const READS = ["GET /contacts", "GET /segments"];

export function Segments({ contact: { id, email, segments = [] } }: { contact: WholeContact }) {
  const [asked, setAsked] = useState<Named | null>(null);
  const hasPage = useHasPage("/segments/:id");
  const add = useChange("POST /segments/{id}/members", { reads: READS });
  const remove = useChange("DELETE /segments/{id}/members", { reads: READS });
  const inputOf = (segmentId: string) => ({ path: { id: segmentId }, body: { emails: [email] } });
  const leave = async (segment: Named) => {
    await remove.mutateAsync(inputOf(segment.id));
    toast.done(`Removed from ${segment.name}`, { undo: () => add.mutateAsync(inputOf(segment.id)) });
  };
  return (
    <Panel
      title="Segments"
      aside={
        <Others present={segments} join={(segment) => add.mutate(inputOf(segment.id))} explain={setAsked} />
      }
    >
      {segments.length === 0 && <p className={classes.quiet}>In no segment.</p>}
      <ul className={classes.list} aria-label="Segments">
        {segments.map((segment) => (
          <li key={segment.id} className={classes.line}>
            <span className={classes.lineWords}>
              {hasPage ? <Link href={`/segments/${segment.id}`}>{segment.name}</Link> : segment.name}
            </span>
            {segment.type === "DYNAMIC" ? (
              <Button
                variant="subtle"
                color="gray"
                size="compact-xs"
                aria-label={`Why in ${segment.name}`}
                onClick={() => setAsked(segment)}
              >
                Why?
              </Button>
            ) : (
              <Tooltip label="Remove from the segment">
                <ActionIcon
                  size="sm"
                  aria-label={`Remove from ${segment.name}`}
                  onClick={() => void leave(segment).catch(() => {})}
                >
                  <CloseIcon size={13} />
                </ActionIcon>
              </Tooltip>
            )}
          </li>
        ))}
      </ul>
      <Modal opened={asked !== null} onClose={() => setAsked(null)} title={asked?.name} size="lg">
        {asked && <Explained segmentId={asked.id} contactId={id} email={email} />}
      </Modal>
    </Panel>
  );
}

interface OthersProps {
  present: Named[];
  join: (segment: Named) => void;
  explain: (segment: Named) => void;
}

/** Segments that the contact is not in: a static one can be joined, a dynamic one says why not. */
function Others({ present, join, explain }: OthersProps) {
  const { data = [] } = useApi("GET /segments", {});
  const absent = data.filter(({ id }) => !present.some((one) => one.id === id));
  const statics = absent.filter(({ type }) => type === "STATIC");
  const dynamics = absent.filter(({ type }) => type === "DYNAMIC");
  if (absent.length === 0) return null;
  return (
    <MenuButton
      className={classes.menu}
      button={(opener) => (
        <Button {...opener} variant="subtle" size="compact-xs" leftSection={<AddIcon size={13} />}>
          Others
        </Button>
      )}
    >
      {statics.length > 0 && <Menu.Label>Add to</Menu.Label>}
      {statics.map((segment) => (
        <Menu.Item key={segment.id} onClick={() => join(segment)}>
          {segment.name}
        </Menu.Item>
      ))}
      {dynamics.length > 0 && <Menu.Label>Why not in</Menu.Label>}
      {dynamics.map((segment) => (
        <Menu.Item key={segment.id} onClick={() => explain(segment)}>
          {segment.name}
        </Menu.Item>
      ))}
    </MenuButton>
  );
}

function Explained({ segmentId, contactId, email }: { segmentId: string; contactId: string; email: string }) {
  const query = useApi("GET /segments/{id}/explain", { path: { id: segmentId }, query: { contactId } });
  return <Loaded query={query}>{(data) => <Explanation email={email} explanation={data} />}</Loaded>;
}
