// A new key, or what is changed of one: its name, what it may do, and until when.
import { Button, Checkbox, Select, Stack, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import type { NewProjectKey, ProjectKey } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { formatDay } from "../../parts/format.ts";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

type Scope = ProjectKey["scopes"][number];

const SCOPES: { value: Scope; word: string; about: string }[] = [
  { value: "send", word: "Send mail", about: "Transactional mail, with and without a template." },
  { value: "track", word: "Track events", about: "A key that can do only this may be part of a web page." },
  { value: "read", word: "Read", about: "Contacts, mails and statistics. It changes nothing." },
  {
    value: "write",
    word: "Write drafts",
    about: "Contacts, segments, templates, drafts and disabled workflows.",
  },
  { value: "all", word: "Everything", about: "Everything that keys may do." },
];

/** `send` as `Send mail`. */
export const wordOfScope = (scope: Scope): string => SCOPES.find(({ value }) => value === scope)!.word;

const DAY_MS = 86_400_000;
const KEEP = "keep";
const NEVER = "never";
const EXPIRIES = [
  { value: NEVER, label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

interface Props {
  /** The key that is changed. Left out: a new one. */
  named?: ProjectKey;
  /** With the key that was made, which is told only now. */
  done: (made: NewProjectKey | null) => void;
}

export function KeyForm({ named, done }: Props) {
  const id = useProjectId();
  const cache = useQueryClient();
  const { form, submit, isSending, error } = useServerForm<{
    name: string;
    scopes: Scope[];
    expiresAt: string;
  }>(
    {
      mode: "controlled",
      initialValues: {
        name: named?.name ?? "",
        scopes: named?.scopes ?? ["send"],
        expiresAt: named ? KEEP : NEVER,
      },
      validate: {
        name: (name) => (name.trim() === "" ? "Say what the key is for" : null),
        scopes: (scopes) => (scopes.length === 0 ? "Choose what the key may do" : null),
      },
    },
    async ({ name, scopes, expiresAt }) => {
      const asked = scopes.includes("all") ? (["all"] as Scope[]) : scopes;
      const body = { name: name.trim(), scopes: asked, ...timeOf(expiresAt) };
      if (named) {
        await call("PATCH /projects/{id}/keys/{keyId}", { path: { id, keyId: named.id }, body });
        toast.done("The key was changed");
        done(null);
      } else {
        done(await call("POST /projects/{id}/keys", { path: { id }, body }));
      }
      await readAgain(cache, id, ["GET /projects/{id}/keys"]);
    },
    { "scopes.0": "scopes", "scopes.1": "scopes", "scopes.2": "scopes", "scopes.3": "scopes" },
  );
  const isAll = form.values.scopes.includes("all");
  const isPublic = named?.kind === "public";
  const kept = named && {
    value: KEEP,
    label: named.expiresAt ? `${formatDay(named.expiresAt)}, as it is` : "Never",
  };
  return (
    <form onSubmit={submit} noValidate>
      <TextInput
        label="Name"
        description="The program that uses it, such as “Shop”."
        autoComplete="off"
        data-autofocus
        key={form.key("name")}
        {...form.getInputProps("name")}
      />
      <Checkbox.Group
        mt="md"
        label="May"
        description={isPublic ? "This key is for web pages: it can track, and nothing else." : undefined}
        key={form.key("scopes")}
        {...form.getInputProps("scopes")}
      >
        <Stack gap="xs" mt="xs">
          {SCOPES.map(({ value, word, about }) => (
            <Checkbox
              key={value}
              value={value}
              label={word}
              description={about}
              disabled={isPublic || (isAll && value !== "all")}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Select
        mt="md"
        label="Expires"
        data={kept ? [kept, ...EXPIRIES.filter(({ label }) => label !== kept.label)] : EXPIRIES}
        allowDeselect={false}
        key={form.key("expiresAt")}
        {...form.getInputProps("expiresAt")}
      />
      <FormError error={error} />
      <Button type="submit" mt="lg" fullWidth loading={isSending}>
        {named ? "Save" : "Create, and show it"}
      </Button>
    </form>
  );
}

function timeOf(choice: string): { expiresAt?: string | null } {
  if (choice === KEEP) return {};
  if (choice === NEVER) return { expiresAt: null };
  return { expiresAt: new Date(Date.now() + Number(choice) * DAY_MS).toISOString() };
}
