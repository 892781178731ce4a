// The templates of a project, as cards with a picture of each.
import { Button, Select } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { AddIcon, SearchIcon, TemplatesIcon } from "../parts/icons.tsx";
import { ListSearch } from "../parts/list_search.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { useShortcut } from "../parts/shortcuts.ts";
import { Empty, Failed, LoadingPage } from "../parts/states.tsx";
import { useUrlState } from "../place.ts";
import { Cards } from "./templates/cards.tsx";
import { type Listed, type ListState, ORDERS, useTemplates } from "./templates/list.ts";
import classes from "./templates/templates.module.css";
import { TYPE_CHOICES } from "../parts/mail_types.ts";

const NEW = "/templates/new";

/** `/templates`. */
export default function TemplatesPage() {
  const [state, set] = useUrlState({ search: "", type: "", order: "changed" });
  const [, navigate] = useLocation();
  const list = useTemplates(state);
  useShortcut("n", "New template", () => navigate(NEW));
  const templates = (list.data?.pages.flatMap(({ data }) => data) ?? []) as Listed[];
  const total = list.data?.pages[0]?.total;
  const isFiltered = state.search !== "" || state.type !== "";
  const hasSome = templates.length > 0 || isFiltered;
  const create = (
    <Button component={Link} href={NEW} leftSection={<AddIcon size={16} />}>
      New template
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Templates"
        count={total}
        about="What your mails say and how they look. Campaigns, workflows and your application send them."
        actions={hasSome ? create : null}
      />
      {hasSome && <Tools state={state} set={set} />}
      {list.isPending && <LoadingPage />}
      {list.isError && templates.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && !hasSome && (
        <Empty icon={TemplatesIcon} title="No templates yet" action={create}>
          Start from a ready-made mail, such as a newsletter or a receipt, and make it yours.
        </Empty>
      )}
      {list.isSuccess && hasSome && templates.length === 0 && (
        <Empty
          icon={SearchIcon}
          title="No template matches"
          action={
            <Button variant="default" onClick={() => set({ search: "", type: "" }, { replace: true })}>
              Show all
            </Button>
          }
        >
          {state.search
            ? `None has “${state.search}” in its name, description or subject.`
            : "There is none of this kind."}
        </Empty>
      )}
      {templates.length > 0 && <Cards templates={templates} />}
      {list.hasNextPage && (
        <div className={classes.rest}>
          <Button
            variant="default"
            onClick={() => void list.fetchNextPage()}
            loading={list.isFetchingNextPage}
          >
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

interface ToolsProps {
  state: ListState;
  set: (patch: Partial<ListState>, options?: { replace?: boolean }) => void;
}

function Tools({ state: { search, type, order }, set }: ToolsProps) {
  return (
    <div className={classes.tools}>
      <ListSearch
        className={classes.search!}
        label="Search templates"
        value={search}
        onChange={(next) => set({ search: next }, { replace: true })}
      />
      <Select
        className={classes.type!}
        aria-label="Kind"
        placeholder="Any kind"
        data={TYPE_CHOICES}
        value={type || null}
        onChange={(next) => set({ type: next ?? "" })}
        clearable
        clearButtonProps={{ "aria-label": "Show every kind" }}
      />
      <Select
        className={classes.order!}
        aria-label="Order"
        data={Object.entries(ORDERS).map(([value, { label }]) => ({ value, label }))}
        value={order in ORDERS ? order : "changed"}
        onChange={(next) => next && set({ order: next })}
        allowDeselect={false}
      />
    </div>
  );
}
