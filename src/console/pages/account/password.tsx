// The password. Who has none, because they sign in elsewhere, gets one by a reset.
import { Button, PasswordInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { User } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { Section } from "../../parts/section.tsx";
import { toast } from "../../parts/toast.tsx";
import { readAgain, useAccountChange } from "../../queries.ts";
import classes from "./account.module.css";

export function PasswordSection({ me }: { me: User }) {
  return me.hasPassword ? <Change /> : <First email={me.email} />;
}

function Change() {
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm(
    { initialValues: { password: "", newPassword: "" } },
    async (body) => {
      await call("POST /auth/change-password", { body });
      form.reset();
      await readAgain(cache, null, ["GET /users/@me"]);
      toast.done("Your password was changed, and your other sessions have ended");
    },
  );
  return (
    <Section title="Password" about="Changing it ends all your other sessions.">
      <form onSubmit={submit} noValidate className={classes.fields}>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          key={form.key("password")}
          {...form.getInputProps("password")}
        />
        <PasswordInput
          label="New password"
          description="A few unrelated words make a good password."
          autoComplete="new-password"
          key={form.key("newPassword")}
          {...form.getInputProps("newPassword")}
        />
        <FormError error={error} />
        <Button type="submit" variant="default" size="xs" loading={isSending}>
          Change the password
        </Button>
      </form>
    </Section>
  );
}

function First({ email }: { email: string }) {
  const request = useAccountChange("POST /auth/request-password-reset", {
    onSuccess: () => toast.done(`A mail to ${email} is on its way`),
  });
  return (
    <Section
      title="Password"
      about="You have none, because you sign in with another service."
      actions={
        <Button
          variant="default"
          size="xs"
          loading={request.isPending}
          onClick={() => request.mutate({ body: { email } })}
        >
          Set one by mail
        </Button>
      }
    />
  );
}
