// Somebody who is to join.
import { Button, Radio, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { Member } from "../api.gen.ts";
import { call } from "../api.ts";
import { FormError, useServerForm } from "../parts/form.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId } from "../place.ts";
import { readAgain } from "../queries.ts";
import { useRole } from "../session.ts";
import { ROLES } from "./member_roles.ts";

export function InviteForm({ done }: { done: () => void }) {
  const id = useProjectId();
  const cache = useQueryClient();
  const isOwner = useRole("OWNER").isAllowed;
  const { form, submit, isSending, error } = useServerForm<{ email: string; role: Member["role"] }>(
    {
      initialValues: { email: "", role: "MEMBER" },
      validate: { email: (email) => (email.trim() === "" ? "Give their address" : null) },
    },
    async ({ email, role }) => {
      const body = { email: email.trim(), role };
      const { data } = await call("POST /projects/{id}/members", { path: { id }, body });
      await readAgain(cache, id, ["GET /projects/{id}/members"]);
      toast.done(
        data.status === "ACTIVE"
          ? `${data.email} is in the project now`
          : `An invitation to ${data.email} is on its way`,
      );
      done();
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Address"
        description="People with an account are added at once. Others get a mail with a link."
        type="email"
        placeholder="grace@example.com"
        autoComplete="off"
        data-autofocus
        key={form.key("email")}
        {...form.getInputProps("email")}
      />
      <Radio.Group mt="md" label="Role" key={form.key("role")} {...form.getInputProps("role")}>
        <Stack gap="xs" mt="xs">
          {Object.entries(ROLES).map(([value, { name, about }]) => (
            <Radio
              key={value}
              value={value}
              label={name}
              description={value === "OWNER" && !isOwner ? "Only owners can make owners" : about}
              disabled={value === "OWNER" && !isOwner}
            />
          ))}
        </Stack>
      </Radio.Group>
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        Invite
      </Button>
    </form>
  );
}
