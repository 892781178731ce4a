// The templates of a project, as cards with a picture of each.
import { Button } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { AddIcon, TemplatesIcon } from "../parts/icons.tsx";
import { FilterSelect, FIRST_ORDER, ListTools } from "../parts/list_tools.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { useShortcut } from "../parts/shortcuts.ts";
import { Empty, Failed, LoadingPage, NoMatch } from "../parts/states.tsx";
import { useUrlState } from "../place.ts";
import { Cards } from "./templates/cards.tsx";
import { type Listed, useTemplates } from "./templates/list.ts";
import classes from "./templates/templates.module.css";
import { TYPE_CHOICES } from "../parts/mail_types.ts";

const NEW = "/templates/new";

/** `/templates`. */
export default function TemplatesPage() {
  const [state, set] = useUrlState({ search: "", type: "", order: FIRST_ORDER });
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
      {hasSome && (
        <ListTools of="templates" state={state} set={set}>
          <FilterSelect
            label="Kind"
            any="Any kind"
            data={TYPE_CHOICES}
            value={state.type}
            onChange={(type) => set({ type })}
          />
        </ListTools>
      )}
      {list.isPending && <LoadingPage />}
      {list.isError && templates.length === 0 && <Failed error={list.error} retry={list.refetch} />}
      {list.isSuccess && !hasSome && (
        <Empty icon={TemplatesIcon} title="No templates yet" action={create}>
          Start from a ready-made mail, such as a newsletter or a receipt, and make it yours.
        </Empty>
      )}
      {list.isSuccess && hasSome && templates.length === 0 && (
        <NoMatch title="No template matches" clear={() => set({ search: "", type: "" }, { replace: true })}>
          {state.search
            ? `None has “${state.search}” in its name, alias, description or subject.`
            : "There is none of this kind."}
        </NoMatch>
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
