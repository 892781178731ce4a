// A mail: which template, and to whom.
import { Radio, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { call } from "../../../api.ts";
import { MailFrame } from "../../../parts/mail_frame.tsx";
import { SkeletonLines } from "../../../parts/states.tsx";
import { useProjectId } from "../../../place.ts";
import { keyOf, useApi } from "../../../queries.ts";
import type { StepFormProps } from "./form.ts";
import classes from "./forms.module.css";

export function SendEmailForm({ step, names, setConfig, errorOf }: StepFormProps) {
  const { config, templateId } = step;
  const recipient = (config.recipient ?? { type: "CONTACT" }) as { type: string; customEmail?: string };
  return (
    <>
      <TemplatePicker
        value={templateId}
        name={templateId ? names.templates.get(templateId) : undefined}
        onChange={(id) => setConfig(config, "template", { templateId: id })}
        error={errorOf("templateId")}
      />
      {templateId && <Preview id={templateId} />}
      <Radio.Group
        label="To"
        value={recipient.type}
        onChange={(type) =>
          setConfig(
            type === "CONTACT" ? {} : { recipient: { type, customEmail: recipient.customEmail ?? "" } },
            "recipient",
          )
        }
      >
        <div className={classes.choices}>
          <Radio value="CONTACT" label="The contact" />
          <Radio value="CUSTOM" label="Somebody else, such as a colleague" />
        </div>
      </Radio.Group>
      {recipient.type === "CUSTOM" && (
        <TextInput
          label="Address"
          description="May be a field: {{accountManager ?? sales@example.com}}"
          placeholder="sales@example.com"
          maxLength={1000}
          value={recipient.customEmail ?? ""}
          onChange={(event) =>
            setConfig(
              { recipient: { type: "CUSTOM", customEmail: event.currentTarget.value } },
              "customEmail",
            )
          }
          error={errorOf("config.recipient.customEmail")}
        />
      )}
    </>
  );
}

const TYPING_MS = 150;

interface PickerProps {
  value: string | null;
  name: string | undefined;
  onChange: (id: string | null) => void;
  error: string | undefined;
}

/** A template, found by a part of its name. */
function TemplatePicker({ value, name, onChange, error }: PickerProps) {
  const [text, setText] = useState("");
  const [search] = useDebouncedValue(text, TYPING_MS);
  const query = { fields: "name", pageSize: 20, sort: "updatedAt", dir: "desc" } as const;
  const found = useApi(
    "GET /templates",
    { query: { ...query, ...(search && search !== name && { search }) } },
    { placeholderData: (before) => before },
  );
  const options = new Map((found.data?.data ?? []).map((one) => [String(one.id), String(one.name)]));
  if (value && !options.has(value)) options.set(value, name ?? "Template");
  return (
    <Select
      label="Template"
      placeholder="Search a template"
      searchable
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      value={value}
      onChange={onChange}
      onSearchChange={setText}
      // The service has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage="No template has this name"
      allowDeselect={false}
      error={error}
    />
  );
}

function Preview({ id }: { id: string }) {
  const projectId = useProjectId();
  const mail = useQuery({
    queryKey: [...keyOf(projectId, "POST /templates/{id}/preview", { path: { id } }), "step"],
    queryFn: ({ signal }) =>
      call("POST /templates/{id}/preview", { path: { id }, body: {} }, { projectId, signal }),
    retry: false,
  });
  return (
    <div className={classes.preview}>
      {mail.data ? (
        <>
          <span className={classes.subject}>{mail.data.subject}</span>
          <div className={classes.mail} aria-hidden="true" inert>
            <MailFrame html={mail.data.html} title="Picture of the mail" />
          </div>
        </>
      ) : (
        mail.isPending && <SkeletonLines count={3} />
      )}
      <Link href={`/templates/${id}`}>Open the template</Link>
    </div>
  );
}
