// A new project: the first of somebody, or one more.
import { Button, TextInput } from "@mantine/core";
import { Link, useLocation } from "wouter";
import { FormError, useServerForm } from "../parts/form.tsx";
import { Letter } from "../parts/letter.tsx";
import { useAccountChange } from "../queries.ts";
import { useLogOut, useProjects, useSession } from "../session.ts";

/** `/new-project`. */
export default function FirstProjectPage() {
  const { data: projects = [] } = useProjects();
  const email = useSession().data?.user?.email;
  const [, navigate] = useLocation();
  const logOut = useLogOut();
  const create = useAccountChange("POST /users/@me/projects", {
    reads: ["GET /users/@me/projects"],
    showsErrors: true,
  });
  const { form, submit, isSending, error } = useServerForm({ initialValues: { name: "" } }, async (body) => {
    const { id } = await create.mutateAsync({ body });
    navigate(`/p/${id}`);
  });
  return (
    <Letter
      title={projects.length > 0 ? "A new project" : "Your first project"}
      about="A project has its own contacts, mails, keys and members. Most people have one per product."
      aside={
        <>
          {projects.length > 0 ? <Link href="/">Back</Link> : <span>{email}</span>}
          <a
            href="#log-out"
            onClick={(event) => {
              event.preventDefault();
              void logOut();
            }}
          >
            Log out
          </a>
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <TextInput
          label="Name"
          description="Recipients may see it: the name of your shop or product."
          autoFocus
          required
          withAsterisk={false}
          size="md"
          key={form.key("name")}
          {...form.getInputProps("name")}
        />
        <FormError error={error} />
        <Button type="submit" size="md" loading={isSending}>
          Create the project
        </Button>
      </form>
    </Letter>
  );
}
