// The end of an account.
import { Button } from "@mantine/core";
import { useLocation } from "wouter";
import { useQueryClient } from "@tanstack/react-query";
import type { User } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { Section } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { SESSION_KEY } from "../../queries.ts";
import { useProjects } from "../../session.ts";
import { withProof } from "./proof.tsx";

export function DeleteSection({ me }: { me: User }) {
  const remove = useDelete(me);
  return (
    <Section
      title="Delete the account"
      about="You leave all projects, and those that nobody else is in are deleted with everything in them. It cannot be undone."
      isDanger
      actions={
        <Button variant="outline" color="red" size="xs" onClick={remove}>
          Delete the account
        </Button>
      }
    />
  );
}

function useDelete({ email }: User) {
  const { data: projects = [] } = useProjects();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return () =>
    confirm({
      title: "Delete your account?",
      action: "Delete",
      typed: email,
      children: (
        <>
          You are in {formatCount(projects.length, "project")}
          {projects.length > 0 && `: ${new Intl.ListFormat("en").format(projects.map(({ name }) => name))}`}.
          Those that nobody else is in are deleted with their contacts, mails and domains; the others go on
          without you. Where you are the only owner, make somebody else owner first.
        </>
      ),
      act: async () => {
        await withProof(() => call("DELETE /users/@me", { query: { deleteProjects: "true" } }));
        cache.setQueryData(SESSION_KEY, { user: null });
        cache.removeQueries({ predicate: ({ queryKey }) => queryKey[1] !== SESSION_KEY[1] });
        navigate("/log-in");
        toast.done("Your account is deleted");
      },
    });
}
