// One contact: what is known of it, what it did, what it was sent, and which segments and workflows it is in.
import { ActionIcon, Button, Menu, Tabs } from "@mantine/core";
import { useLocation, useParams } from "wouter";
import type { WholeContact } from "../api.gen.ts";
import { linkTo, Refusal } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { CopyIcon, DeleteIcon, DownloadIcon, MoreIcon } from "../parts/icons.tsx";
import { MenuButton } from "../parts/menu_button.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Empty, Failed, SkeletonLines } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId, useUrlState } from "../place.ts";
import { useApi, useChange } from "../queries.ts";
import { Executions } from "./contact/executions.tsx";
import { Fields } from "./contact/fields.tsx";
import { MailDrawer } from "./contact/mail_drawer.tsx";
import { Mails } from "./contact/mails.tsx";
import { Segments } from "./contact/segments.tsx";
import { TimeLine } from "./contact/time_line.tsx";
import classes from "./contact/contact.module.css";

const BACK = { label: "Contacts", to: "/contacts" };

/** `/contacts/:id`. */
export default function ContactPage() {
  const { id } = useParams<{ id: string }>();
  const query = useApi("GET /contacts/{id}", { path: { id }, query: { include: "segments,executions" } });
  if (query.data) return <ContactView key={query.data.id} contact={query.data} />;
  if (!query.isError) return <SkeletonLines count={6} />;
  if (query.error instanceof Refusal && query.error.status === 404) return <NoContact />;
  return <Failed error={query.error} retry={query.refetch} />;
}

function ContactView({ contact }: { contact: WholeContact }) {
  const [{ tab, mail }, set] = useUrlState({ tab: "time-line", mail: "" });
  const { id, email, subscribed, createdAt } = contact;
  const openMail = (mailId: string) => set({ mail: mailId });
  return (
    <div className={classes.page}>
      <PageHeader
        title={email}
        back={BACK}
        badge={<Status status={subscribed ? "subscribed" : "unsubscribed"} />}
        about={
          <>
            Added <Time at={createdAt} />
          </>
        }
        actions={<Actions contact={contact} />}
      />
      <div className={classes.columns}>
        <Tabs
          className={classes.main!}
          value={tab}
          onChange={(next) => set({ tab: next ?? "time-line" }, { replace: true })}
          keepMounted={false}
        >
          <Tabs.List>
            <Tabs.Tab value="time-line">Time line</Tabs.Tab>
            <Tabs.Tab value="mails">Mails</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="time-line" pt="md">
            <TimeLine contactId={id} openMail={openMail} />
          </Tabs.Panel>
          <Tabs.Panel value="mails" pt="md">
            <Mails contactId={id} openMail={openMail} />
          </Tabs.Panel>
        </Tabs>
        <div className={classes.aside}>
          <Fields contact={contact} />
          <Segments contact={contact} />
          <Executions contact={contact} />
        </div>
      </div>
      <MailDrawer id={mail} close={() => set({ mail: "" })} />
    </div>
  );
}

function Actions({ contact: { id, email, subscribed } }: { contact: WholeContact }) {
  const [, navigate] = useLocation();
  const projectId = useProjectId();
  const change = useChange("PATCH /contacts/{id}", {
    reads: ["GET /contacts", "GET /activity", "GET /segments"],
  });
  const remove = useChange("DELETE /contacts/{id}", { showsErrors: true });
  const put = (to: boolean) => change.mutateAsync({ path: { id }, body: { subscribed: to } });
  const toggle = () =>
    change.mutate(
      { path: { id }, body: { subscribed: !subscribed } },
      {
        onSuccess: () =>
          toast.done(subscribed ? `${email} unsubscribed` : `${email} subscribed`, {
            undo: () => put(subscribed),
          }),
      },
    );
  const askToDelete = () =>
    confirm({
      title: `Delete ${email}?`,
      children:
        "Its fields and events are deleted with it, it leaves its segments, and its workflows end. Mails that were sent to it stay counted, without the address. This cannot be undone.",
      action: "Delete",
      act: async () => {
        await remove.mutateAsync({ path: { id } });
        navigate("/contacts");
        toast.done(`${email} deleted`);
      },
    });
  return (
    <>
      <Button variant="default" onClick={toggle} loading={change.isPending}>
        {subscribed ? "Unsubscribe" : "Subscribe"}
      </Button>
      <MenuButton
        button={(opener) => (
          <ActionIcon {...opener} variant="default" size="input-sm" aria-label="More">
            <MoreIcon size={17} />
          </ActionIcon>
        )}
      >
        <Menu.Item
          leftSection={<CopyIcon size={15} />}
          onClick={() => void navigator.clipboard.writeText(id).then(() => toast.done("Id copied"))}
        >
          Copy the id
        </Menu.Item>
        <Menu.Item
          component="a"
          href={linkTo("GET /contacts/export/{id}", { path: { id } }, projectId)}
          download
          leftSection={<DownloadIcon size={15} />}
        >
          Export its data
        </Menu.Item>
        <Menu.Item c="var(--bad)" leftSection={<DeleteIcon size={15} />} onClick={askToDelete}>
          Delete…
        </Menu.Item>
      </MenuButton>
    </>
  );
}

function NoContact() {
  const [, navigate] = useLocation();
  return (
    <>
      <PageHeader title="Contact" back={BACK} />
      <Empty
        title="There is no such contact"
        action={
          <Button variant="default" onClick={() => navigate("/contacts")}>
            All contacts
          </Button>
        }
      >
        It was deleted, or it belongs to another project.
      </Empty>
    </>
  );
}
