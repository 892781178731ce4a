// The end of an account, with what it means for each of its projects.
import { Button, List } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import type { AccountDeletion, User } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { withProof } from "../../parts/proof.tsx";
import { Section } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { SESSION_KEY, useAccountApi } from "../../queries.ts";

export function DeleteSection({ me }: { me: User }) {
  const { data } = useAccountApi("GET /users/@me/deletion", {});
  const remove = useDelete(me);
  const bound = data?.bound ?? [];
  return (
    <Section
      title="Delete the account"
      about={
        bound.length > 0
          ? "You are the only owner of these projects, and they have other members. Make somebody else an owner first, or delete them:"
          : "You leave all projects. Those without other members are deleted with everything in them. This cannot be undone."
      }
      isDanger
      actions={
        <Button
          variant="outline"
          color="red"
          size="xs"
          disabled={!data || bound.length > 0}
          onClick={() => data && remove(data)}
        >
          Delete the account
        </Button>
      }
    >
      {bound.length > 0 && (
        <List size="sm">
          {bound.map(({ id, name }) => (
            <List.Item key={id}>
              <Link href={`/p/${id}/members`}>{name}</Link>
            </List.Item>
          ))}
        </List>
      )}
    </Section>
  );
}

const names = (projects: { name: string }[]) =>
  new Intl.ListFormat("en").format(projects.map(({ name }) => name));

function Consequences({ deleted, left }: AccountDeletion) {
  return (
    <>
      {deleted.length > 0 && (
        <p>
          <b>Deleted with all contacts, mails and domains:</b> {names(deleted)}. Nobody else is in{" "}
          {deleted.length === 1 ? "it" : "them"}.
        </p>
      )}
      {left.length > 0 && (
        <p>
          <b>{left.length === 1 ? "Goes" : "Go"} on without you:</b> {names(left)}.
        </p>
      )}
      <p>Your sessions, passkeys and recovery codes stop working at once. This cannot be undone.</p>
    </>
  );
}

function useDelete({ email }: User) {
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return (consequences: AccountDeletion) =>
    confirm({
      title: "Delete your account?",
      action: "Delete",
      typed: email,
      children: <Consequences {...consequences} />,
      act: async () => {
        await withProof(() => call("DELETE /users/@me", { query: { deleteProjects: "true" } }));
        cache.setQueryData(SESSION_KEY, { user: null });
        cache.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== SESSION_KEY[1] });
        navigate("/log-in");
        toast.done("Your account was deleted");
      },
    });
}
