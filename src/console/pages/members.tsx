// Who is in a project, who was invited, and what they may do.
import { Button, Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Member } from "../api.gen.ts";
import { call } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { FormDialog } from "../parts/form_dialog.tsx";
import { Gate } from "../parts/gate.tsx";
import { AddIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Row, Rows, Section, Sections } from "../parts/section.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { toast } from "../parts/toast.tsx";
import { useProject, useProjectId } from "../place.ts";
import { readAgain, useApi, useChange } from "../queries.ts";
import { useLeaveProject, useRole, useSession } from "../session.ts";
import { InviteForm } from "./invite_form.tsx";
import { ROLES } from "./member_roles.ts";

/** `/members`. */
export default function MembersPage() {
  const id = useProjectId();
  const members = useApi("GET /projects/{id}/members", { path: { id } });
  const [isInviting, setInviting] = useState(false);
  const list = members.data?.data;
  const active = list?.filter(({ status }) => status === "ACTIVE");
  const invited = list?.filter(({ status }) => status === "INVITED") ?? [];
  return (
    <>
      <PageHeader
        title="Members"
        count={active?.length}
        about="The members of this project, and their roles."
        actions={
          <Gate role="ADMIN">
            <Button leftSection={<AddIcon size={16} />} onClick={() => setInviting(true)}>
              Invite somebody
            </Button>
          </Gate>
        }
      />
      <Sections>
        {invited.length > 0 && (
          <Section title="Invited" about="They join by signing up with this address, or by verifying it.">
            <Rows label="Invited">
              {invited.map((member) => (
                <InvitedRow key={member.userId} member={member} />
              ))}
            </Rows>
          </Section>
        )}
        <Section title="In the project">
          <Loaded query={members}>
            {() => (
              <Rows label="Members">
                {active!.map((member) => (
                  <MemberRow key={member.userId} member={member} />
                ))}
              </Rows>
            )}
          </Loaded>
        </Section>
      </Sections>
      <FormDialog opened={isInviting} onClose={() => setInviting(false)} title="Invite somebody">
        <InviteForm done={() => setInviting(false)} />
      </FormDialog>
    </>
  );
}

function MemberRow({ member }: { member: Member }) {
  const myId = useSession().data?.user?.id;
  const isMe = member.userId === myId;
  const remove = useRemove(member, isMe);
  const isAdmin = useRole("ADMIN").isAllowed;
  const isOwner = useRole("OWNER").isAllowed;
  // Owners are a matter of owners.
  const isTheirs = isOwner || (isAdmin && member.role !== "OWNER");
  return (
    <Row
      name={member.email}
      badge={isMe && <Status status="you">You</Status>}
      about={ROLES[member.role].about}
      actions={
        <>
          <RoleChoice member={member} isAllowed={isTheirs} isOwner={isOwner} />
          {(isMe || isTheirs) && (
            <Button
              variant="subtle"
              color="red"
              size="xs"
              onClick={remove}
              aria-label={isMe ? "Leave the project" : `Remove ${member.email}`}
            >
              {isMe ? "Leave" : "Remove"}
            </Button>
          )}
        </>
      }
    />
  );
}

interface RoleChoiceProps {
  member: Member;
  isAllowed: boolean;
  isOwner: boolean;
}

function RoleChoice({ member: { userId, email, role }, isAllowed, isOwner }: RoleChoiceProps) {
  const id = useProjectId();
  const cache = useQueryClient();
  const change = useChange("PATCH /projects/{id}/members/{userId}", {
    reads: ["GET /projects/{id}/members"],
    onSuccess: async (_answer, { body }) => {
      toast.done(`${email} is ${ROLES[body.role].name.toLowerCase()} now`);
      // It may have been the role of the person who looks at this.
      await readAgain(cache, null, ["GET /users/@me/projects"]);
    },
  });
  if (!isAllowed) return <span>{ROLES[role].name}</span>;
  return (
    <Select
      size="xs"
      w={120}
      aria-label={`Role of ${email}`}
      data={Object.entries(ROLES).map(([value, { name }]) => ({
        value,
        label: name,
        disabled: value === "OWNER" && !isOwner,
      }))}
      value={role}
      allowDeselect={false}
      disabled={change.isPending}
      onChange={(value) =>
        value !== role && change.mutate({ path: { id, userId }, body: { role: value as Member["role"] } })
      }
    />
  );
}

function InvitedRow({ member }: { member: Member }) {
  const id = useProjectId();
  const withdraw = useRemove(member, false);
  const again = useChange("POST /projects/{id}/members", {
    reads: ["GET /projects/{id}/members"],
    onSuccess: () => toast.done(`Another mail to ${member.email} is on its way`),
  });
  const send = () => again.mutate({ path: { id }, body: { email: member.email, role: member.role } });
  return (
    <Row
      name={member.email}
      badge={<Status status="INVITED" tone="busy" />}
      about={`As ${ROLES[member.role].name.toLowerCase()}`}
      actions={
        <>
          <Gate role="ADMIN">
            <Button
              variant="default"
              size="xs"
              onClick={send}
              loading={again.isPending}
              aria-label={`Send again to ${member.email}`}
            >
              Send again
            </Button>
          </Gate>
          <Gate role="ADMIN">
            <Button
              variant="subtle"
              color="red"
              size="xs"
              onClick={withdraw}
              aria-label={`Withdraw the invitation of ${member.email}`}
            >
              Withdraw
            </Button>
          </Gate>
        </>
      }
    />
  );
}

/** Asks, then removes a member, withdraws an invitation, or leaves. */
function useRemove({ userId, email, role, status }: Member, isMe: boolean) {
  const { id, name } = useProject();
  const cache = useQueryClient();
  const left = useLeaveProject();
  const path = { id, userId };
  if (isMe) {
    return () =>
      confirm({
        title: `Leave ${name}?`,
        action: "Leave",
        children: <>You lose access to this project. A member can invite you again.</>,
        act: async () => {
          await call("DELETE /projects/{id}/members/{userId}", { path });
          await left(id);
          toast.done(`You have left ${name}`);
        },
      });
  }
  const isInvited = status === "INVITED";
  const invite = async () => {
    await call("POST /projects/{id}/members", { path: { id }, body: { email, role } });
    await readAgain(cache, id, ["GET /projects/{id}/members"]);
  };
  return () =>
    confirm({
      title: isInvited ? `Withdraw the invitation of ${email}?` : `Remove ${email}?`,
      action: isInvited ? "Withdraw" : "Remove",
      children: isInvited ? (
        <>The link in the mail stops working.</>
      ) : (
        <>They lose access to this project at once. Everything they created stays, including keys.</>
      ),
      act: async () => {
        await call("DELETE /projects/{id}/members/{userId}", { path });
        await readAgain(cache, id, ["GET /projects/{id}/members"]);
        // A member who comes back is told by mail: of an invitation that is one mail more, so it is not offered.
        if (isInvited) toast.done("The invitation was withdrawn");
        else toast.done(`${email} was removed`, { undo: invite });
      },
    });
}
