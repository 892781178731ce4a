// How a service with an API is read: its address, and a key or the password of an API user.
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { call } from "../../api.ts";
import { Copyable } from "../../parts/copy.tsx";
import { FormError, useServerForm } from "../../parts/form.tsx";
import { Gate } from "../../parts/gate.tsx";
import { keptDraft } from "../../parts/kept_drafts.ts";
import { Section } from "../../parts/section.tsx";
import { useKept } from "../../parts/use_kept.ts";
import { useProject, useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { useSession } from "../../session.ts";
import { type Source, SOURCES } from "./sources.ts";
import classes from "./move_in.module.css";

type Values = { url: string; key: string; user: string; password: string; sender: string };
/** What is kept in the browser: no secrets. */
type Kept = Pick<Values, "url" | "user" | "sender">;

/** Sends it, and leads on to what is found. */
export function AccessForm({ source }: { source: Source }) {
  const { by, name, url: usual = "" } = SOURCES[source];
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const user = useSession().data?.user;
  const draft = `${user?.id}.${projectId}.move.${source}`;
  const { form, submit, isSending, error } = useServerForm<Values>(
    {
      mode: "controlled",
      initialValues: {
        url: usual,
        user: "",
        sender: "",
        ...keptDraft<Kept>(draft)?.value,
        key: "",
        password: "",
      },
      validate: {
        url: (url) => (/^https?:\/\/./.test(url.trim()) ? null : "Enter an address with https://"),
        key: (key) => (by === "key" && key.trim() === "" ? "Enter the secret key" : null),
        user: (given) => (by === "password" && given.trim() === "" ? "Enter the name of the API user" : null),
        password: (given) => (by === "password" && given === "" ? "Enter its token" : null),
      },
    },
    async ({ url, key, user: given, password, sender }) => {
      const access =
        by === "key"
          ? { key: key.trim() }
          : { user: given.trim(), password, ...(sender.trim() && { sender: sender.trim() }) };
      const body = { from: source, url: url.trim(), ...access };
      const { id } = await call("POST /moves", { body }, { projectId });
      navigate(`/move-in/${id}`);
      await readAgain(cache, projectId, ["GET /moves"]);
    },
  );
  const { url, user: typedUser, sender } = form.values;
  // It stays after it was sent: whoever has mistyped the key comes back for the rest.
  const kept = url === usual && typedUser === "" && sender === "" ? null : { url, user: typedUser, sender };
  useKept<Kept>(draft, kept, form.values);
  const plain = { autoCapitalize: "none", autoComplete: "off", spellCheck: false, mt: "md" } as const;
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <TextInput
        label={`Address of ${source === "listmonk" ? name : "the API"}`}
        description="Its API has to be reachable from this installation."
        placeholder="https://"
        type="url"
        {...plain}
        mt={0}
        key={form.key("url")}
        {...form.getInputProps("url")}
      />
      {by === "key" && (
        <PasswordInput
          label="Secret key"
          description="Kept encrypted until the move ends."
          {...plain}
          key={form.key("key")}
          {...form.getInputProps("key")}
        />
      )}
      {by === "password" && (
        <>
          <TextInput label="API user" {...plain} key={form.key("user")} {...form.getInputProps("user")} />
          <PasswordInput
            label="Token"
            description="Kept encrypted until the move ends."
            {...plain}
            key={form.key("password")}
            {...form.getInputProps("password")}
          />
          <TextInput
            label="Sender of transactional templates"
            description="They have none there. Left out, these templates stay there."
            type="email"
            {...plain}
            key={form.key("sender")}
            {...form.getInputProps("sender")}
          />
        </>
      )}
      <FormError error={error} />
      <Gate role="ADMIN">
        <Button type="submit" mt="lg" loading={isSending}>
          See what would come
        </Button>
      </Gate>
      {source === "postrider" && <ByCommand />}
    </form>
  );
}

/** With everything: what the API of a project does not show, too. */
function ByCommand() {
  const { id } = useProject();
  return (
    <div className={classes.aside}>
      <Section
        title="With its history"
        about="Mails, events, statistics, keys and domains come along only where the operators of both installations run these commands. The project keeps its id, and becomes one of its own beside this one."
      >
        <p className={classes.faded}>There, with the id of the project, once it is disabled:</p>
        <Copyable
          label="command of the export"
          value="bun run admin export PROJECT project.ndjson.zst --ledger --passphrase-file passphrase"
        />
        <p className={classes.faded}>Here:</p>
        <Copyable
          label="command of the import"
          value="bun run admin import postrider project.ndjson.zst --passphrase-file passphrase"
        />
        <p className={classes.faded}>This project, {id}, stays as it is.</p>
      </Section>
    </div>
  );
}
