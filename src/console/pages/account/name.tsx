// What others call somebody.
import { Button, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { User } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { Section } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { readAgain } from "../../queries.ts";
import classes from "./account.module.css";

export function NameSection({ me }: { me: User }) {
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { name: me.name ?? "" } },
    async ({ name }) => {
      await call("PATCH /users/@me", { body: { name: name.trim() || null } });
      await readAgain(cache, null, ["GET /users/@me", "GET /auth/session"]);
      toast.done("Name saved");
    },
  );
  return (
    <Section title="Name">
      <form onSubmit={submit} noValidate className={classes.fields}>
        <TextInput
          label="Your name"
          description="The name that other members of your projects see."
          autoComplete="name"
          key={form.key("name")}
          {...form.getInputProps("name")}
        />
        <FormError error={error} />
        <Button type="submit" variant="default" size="xs" loading={isSending}>
          Save the name
        </Button>
      </form>
    </Section>
  );
}
