// The templates as cards, each with a picture of the mail.
import { Menu } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useDeferredValue, useRef } from "react";
import { Link, useLocation } from "wouter";
import { CopyIcon, DeleteIcon, EditIcon } from "../../parts/icons.tsx";
import { RowMenu } from "../../parts/menu_button.tsx";
import { useShortcut } from "../../parts/shortcuts.ts";
import { Time } from "../../parts/time.tsx";
import type { TemplateUses } from "../../api.gen.ts";
import { formatCount } from "../../parts/format.ts";
import { useDuplicate, useRemoveTemplate } from "./actions.tsx";
import { type Listed, useUses } from "./list.ts";
import classes from "./templates.module.css";
import { Thumbnail } from "./thumbnail.tsx";
import { MAIL_TYPES } from "../../parts/mail_types.ts";

/** As wide as mails are drawn. */
const MAIL_WIDTH = 640;
const GAP = 20;
const MIN_CARD = 232;
/** As many as a window shows: the others are drawn when these are seen. */
const AT_FIRST = 12;

/** `j` and `k` or the arrows step from card to card, Enter opens one. */
export function Cards({ templates }: { templates: Listed[] }) {
  const { ref, width } = useElementSize<HTMLUListElement>();
  const columns = Math.max(1, Math.floor((width + GAP) / (MIN_CARD + GAP)));
  const uses = useUses(templates);
  const shown = useDeferredValue(templates.length, AT_FIRST);
  const card = (width - (columns - 1) * GAP) / columns;
  const { step, list, onKeyDown } = useSteps(columns);
  useShortcut("j", "Next template", () => step(1));
  useShortcut("k", "Previous template", () => step(-1));
  const style = { "--scale": (card - 2) / MAIL_WIDTH, "--columns": columns } as React.CSSProperties;
  return (
    <ul
      ref={(element) => {
        list.current = element;
        return ref(element);
      }}
      className={classes.grid}
      style={style}
      aria-label="Templates"
      data-list
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      {templates.slice(0, shown).map((template) => (
        <Card key={template.id} template={template} uses={uses.get(template.id)} />
      ))}
    </ul>
  );
}

interface CardProps {
  template: Listed;
  uses: TemplateUses | undefined;
}

function Card({ template, uses }: CardProps) {
  const { id, name, subject, type, updatedAt } = template;
  return (
    <li className={classes.card}>
      <Thumbnail template={template} />
      <div className={classes.words}>
        <Link href={`/templates/${id}`} className={classes.name!}>
          {name}
        </Link>
        <span className={classes.subject}>{subject}</span>
        <span className={classes.about}>
          {MAIL_TYPES[type].label} · <Time at={updatedAt} />
        </span>
        <span className={classes.about}>{uses && <Uses uses={uses} />}</span>
      </div>
      <span className={classes.more}>
        <RowMenu label={`More for ${name}`}>
          <Acts template={template} />
        </RowMenu>
      </span>
    </li>
  );
}

/** What can be done with a template. */
function Acts({ template }: { template: Listed }) {
  const [, navigate] = useLocation();
  const duplicate = useDuplicate();
  const remove = useRemoveTemplate();
  return (
    <>
      <Menu.Item leftSection={<EditIcon size={15} />} onClick={() => navigate(`/templates/${template.id}`)}>
        Edit
      </Menu.Item>
      <Menu.Item leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(template)}>
        Duplicate
      </Menu.Item>
      <Menu.Item color="red" leftSection={<DeleteIcon size={15} />} onClick={() => void remove(template)}>
        Delete
      </Menu.Item>
    </>
  );
}

/** `2 campaigns · 1 workflow · sent yesterday`. */
function Uses({ uses: { campaigns, workflows, lastSentAt } }: { uses: TemplateUses }) {
  if (campaigns + workflows === 0 && !lastSentAt) return <>Not used yet</>;
  const counts = [
    campaigns > 0 && formatCount(campaigns, "campaign"),
    workflows > 0 && formatCount(workflows, "workflow"),
  ].filter(Boolean);
  return (
    <>
      {counts.join(" · ")}
      {lastSentAt && (
        <>
          {counts.length > 0 ? " · sent " : "Sent "}
          <Time at={lastSentAt} />
        </>
      )}
    </>
  );
}

/** Steps through the links of the cards. */
function useSteps(columns: number) {
  const list = useRef<HTMLUListElement>(null);
  const step = (by: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>(`.${classes.name}`) ?? [])];
    const at = links.indexOf(document.activeElement as HTMLElement);
    const next = at === -1 ? links[0] : links[at + by];
    next?.focus();
    next?.closest("li")?.scrollIntoView({ block: "nearest" });
  };
  const BY: Record<string, number> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const by = BY[event.key];
    if (by === undefined || (event.target as HTMLElement).closest("button, [role=menu]")) return;
    event.preventDefault();
    step(by);
  };
  return { list, step, onKeyDown };
}
