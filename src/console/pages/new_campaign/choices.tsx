// The templates and the earlier campaigns that a new one can begin as.
import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { CampaignsIcon, SearchIcon, TemplatesIcon } from "../../parts/icons.tsx";
import { ListSearch } from "../../parts/list_search.tsx";
import { MAIL_TYPES } from "../../parts/mail_types.ts";
import { Empty, Failed, LoadingPage } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useCampaigns } from "../campaigns/list.ts";
import { momentOf } from "../campaigns/words.ts";
import { type Listed as ListedTemplate, useTemplates } from "../templates/list.ts";
import classes from "./new_campaign.module.css";

interface Props {
  /** Told the id. */
  choose: (id: string) => void;
}

/** The templates, the last changed first. */
export function TemplateChoice({ choose }: Props) {
  const [search, setSearch] = useState("");
  const list = useTemplates({ search, type: "", order: "changed" });
  const templates = (list.data?.pages.flatMap(({ data }) => data) ?? []) as ListedTemplate[];
  const none = (
    <Empty
      icon={TemplatesIcon}
      title="No templates yet"
      action={
        <Button variant="default" component={Link} href="/templates/new">
          New template
        </Button>
      }
    >
      A template is a mail that is written once and sent often. You can start a campaign without one, too.
    </Empty>
  );
  return (
    <Choice
      noun="templates"
      none={none}
      list={list}
      count={templates.length}
      search={search}
      look={setSearch}
    >
      {templates.map(({ id, name, subject, type, updatedAt }) => (
        <Entry key={id} name={name} second={subject} choose={() => choose(id)}>
          <span>
            {MAIL_TYPES[type].label} · <Time at={updatedAt} />
          </span>
        </Entry>
      ))}
    </Choice>
  );
}

/** The campaigns, newest first. */
export function CampaignChoice({ choose }: Props) {
  const [search, setSearch] = useState("");
  const { list, campaigns } = useCampaigns({ search, status: "" });
  const none = (
    <Empty icon={CampaignsIcon} title="No earlier campaign">
      This will be the first one: start with a new mail.
    </Empty>
  );
  return (
    <Choice
      noun="campaigns"
      none={none}
      list={list}
      count={campaigns.length}
      search={search}
      look={setSearch}
    >
      {campaigns.map((campaign) => (
        <Entry
          key={campaign.id}
          name={campaign.name}
          second={campaign.subject}
          choose={() => choose(campaign.id)}
        >
          <Status status={campaign.status} /> <Time at={momentOf(campaign).at} />
        </Entry>
      ))}
    </Choice>
  );
}

interface ChoiceProps {
  /** `templates`. */
  noun: string;
  /** Shown if there is nothing to choose. */
  none: ReactNode;
  list: {
    isPending: boolean;
    error: Error | null;
    refetch: () => unknown;
    hasNextPage: boolean;
    fetchNextPage: () => unknown;
    isFetchingNextPage: boolean;
  };
  count: number;
  search: string;
  look: (search: string) => void;
  children: ReactNode;
}

function Choice({ noun, none, list, count, search, look, children }: ChoiceProps) {
  if (list.isPending) return <LoadingPage />;
  if (list.error && count === 0) return <Failed error={list.error} retry={list.refetch} />;
  if (count === 0 && search === "") return none;
  return (
    <div className={classes.choice}>
      <ListSearch label={`Search ${noun}`} value={search} onChange={look} />
      {count === 0 ? (
        <Empty icon={SearchIcon} title="Nothing matches">
          None of the {noun} has “{search}” in its name or subject.
        </Empty>
      ) : (
        <ul className={classes.entries} data-list tabIndex={-1} aria-label={`Your ${noun}`}>
          {children}
        </ul>
      )}
      {list.hasNextPage && (
        <Button variant="default" onClick={() => void list.fetchNextPage()} loading={list.isFetchingNextPage}>
          Show more
        </Button>
      )}
    </div>
  );
}

interface EntryProps {
  name: string;
  second: string;
  choose: () => void;
  children: ReactNode;
}

function Entry({ name, second, choose, children }: EntryProps) {
  return (
    <li>
      <button type="button" className={classes.entry} onClick={choose}>
        <span className={classes.words}>
          <span className={classes.name}>{name}</span>
          <span className={classes.second}>{second}</span>
        </span>
        <span className={classes.aside}>{children}</span>
      </button>
    </li>
  );
}
