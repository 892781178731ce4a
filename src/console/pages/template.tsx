// One template: its content with a preview, its details, its versions, and where it is used.
import { Badge, Button, Menu, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useLocation, useParams } from "wouter";
import { call } from "../api.ts";
import { Conflict } from "../parts/edits/conflict.tsx";
import { useDraft } from "../parts/edits/draft.ts";
import { Restored } from "../parts/edits/restored.tsx";
import { FormError } from "../parts/form.tsx";
import { CampaignsIcon, CopyIcon, DeleteIcon, MoreIcon, SendIcon } from "../parts/icons.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { PageTabs, usePageTab } from "../parts/page_tabs.tsx";
import { useSaveKey } from "../parts/save_key.ts";
import { Loaded } from "../parts/states.tsx";
import { TestMail } from "../parts/test_mail.tsx";
import { Time } from "../parts/time.tsx";
import { useProjectId } from "../place.ts";
import { Details } from "./template/details.tsx";
import { type Stored, TEMPLATE, type TemplateDraft } from "./template/kind.ts";
import classes from "./template/template.module.css";
import { Uses } from "./template/uses.tsx";
import { Versions } from "./template/versions.tsx";
import type { Field } from "./template/words.ts";
import { useDuplicate, useRemoveTemplate } from "./templates/actions.tsx";
import { Content } from "../parts/mail_editor/content.tsx";
import { MAIL_TYPES } from "../parts/mail_types.ts";

/** `/templates/:id`. */
export default function TemplatePage() {
  const { id } = useParams<{ id: string }>();
  const projectId = useProjectId();
  const template = useQuery({
    queryKey: TEMPLATE.keyOf(projectId, id),
    queryFn: ({ signal }) => TEMPLATE.read(id, { projectId, signal }),
  });
  return <Loaded query={template}>{(stored) => <Shown key={id} stored={stored} />}</Loaded>;
}

const TABS = [
  { value: "content", label: "Content" },
  { value: "details", label: "Details" },
  { value: "versions", label: "Versions" },
  { value: "uses", label: "Usage" },
];

/** What the content tab has. */
const IN_CONTENT: Field[] = ["subject", "preheader", "body"];

function Shown({ stored }: { stored: Stored }) {
  const [tab, show] = usePageTab(TABS);
  const draft = useDraft(TEMPLATE, stored);
  const isChanged = draft.changed.length > 0;
  const [isWritten, setWritten] = useState(false);
  if (tab === "content" && !isWritten) setWritten(true);
  useSaveKey(() => void (isChanged && !draft.other && draft.save()));
  // A fault is shown where its field is.
  const { faults } = draft;
  useEffect(() => {
    if (faults.length === 0) return;
    const isInContent = faults.some(({ field }) => IN_CONTENT.includes(field as Field));
    show(isInContent ? "content" : "details", { replace: true });
  }, [faults, show]);
  return (
    <div className={classes.page}>
      <PageHeader
        title={stored.answer.name}
        back={{ label: "Templates", to: "/templates" }}
        badge={<Badge color="gray">{MAIL_TYPES[stored.answer.type].label}</Badge>}
        about={
          isChanged ? (
            "Not saved yet"
          ) : (
            <>
              Saved <Time at={stored.answer.updatedAt} />
            </>
          )
        }
        actions={<Actions stored={stored} draft={draft} />}
      />
      <Restored draft={draft} />
      <Conflict kind={TEMPLATE} draft={draft} />
      <FormError error={isAtField(draft) ? null : draft.error} />
      <PageTabs tabs={TABS} className={classes.tabs}>
        {/* What was written can be taken back, whatever else is looked at meanwhile. */}
        <Tabs.Panel value="content" className={classes.panel!} keepMounted>
          {isWritten && <Content draft={draft} />}
        </Tabs.Panel>
        <Tabs.Panel value="details" className={classes.loose!}>
          <Details draft={draft} />
        </Tabs.Panel>
        <Tabs.Panel value="versions" className={classes.loose!}>
          <Versions stored={stored} isUnsaved={isChanged} restored={draft.begin} />
        </Tabs.Panel>
        <Tabs.Panel value="uses" className={classes.loose!}>
          <Uses id={stored.answer.id} />
        </Tabs.Panel>
      </PageTabs>
    </div>
  );
}

/** Whether everything that was refused is shown at a field. */
const isAtField = ({ faults }: TemplateDraft) =>
  faults.length > 0 && faults.every(({ field }) => field !== "" && !field.includes("."));

function Actions({ stored: { answer }, draft }: { stored: Stored; draft: TemplateDraft }) {
  const [, navigate] = useLocation();
  const duplicate = useDuplicate();
  const remove = useRemoveTemplate(() => navigate("/templates"));
  const { changed, isSaving, other, discard } = draft;
  const [isTesting, setTesting] = useState(false);
  const projectId = useProjectId();
  const { id } = answer;
  return (
    <>
      <TestMail
        opened={isTesting}
        close={() => setTesting(false)}
        about={changed.length > 0 && "The test is made from the saved version, without your unsaved changes."}
        send={(email) => call("POST /templates/{id}/test", { path: { id }, body: { email } }, { projectId })}
      />
      <MenuButton
        button={(opener) => (
          <Button {...opener} variant="default" leftSection={<MoreIcon size={16} />}>
            More
          </Button>
        )}
      >
        <Menu.Item leftSection={<SendIcon size={15} />} onClick={() => setTesting(true)}>
          Send a test…
        </Menu.Item>
        {answer.type !== "TRANSACTIONAL" && (
          <Menu.Item
            leftSection={<CampaignsIcon size={15} />}
            onClick={() => navigate(`/campaigns/new?from=template&origin=${answer.id}`)}
          >
            New campaign
          </Menu.Item>
        )}
        <Menu.Item leftSection={<CopyIcon size={15} />} onClick={() => void duplicate(answer)}>
          Duplicate
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<DeleteIcon size={15} />}
          onClick={() => {
            void remove(answer);
          }}
        >
          Delete
        </Menu.Item>
      </MenuButton>
      {changed.length > 0 && !other && (
        <Button variant="default" onClick={discard}>
          Discard
        </Button>
      )}
      <Button
        onClick={() => void draft.save()}
        loading={isSaving}
        disabled={changed.length === 0 || other !== null}
        aria-keyshortcuts="Control+s"
      >
        Save
      </Button>
    </>
  );
}
