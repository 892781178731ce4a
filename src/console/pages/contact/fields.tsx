// What is known of a contact. Each value is edited where it stands: Enter saves, Escape leaves it as it was.
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useState } from "react";
import type { WholeContact } from "../../api.gen.ts";
import { AddIcon, CloseIcon } from "../../parts/icons.tsx";
import { toast } from "../../parts/toast.tsx";
import { useChange } from "../../queries.ts";
import { type FieldKind, fieldName, FieldValue, kindOf } from "../../parts/field_value.tsx";
import { NewField } from "./new_field.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ValueEditor } from "./value_editor.tsx";
import classes from "./contact.module.css";

const READS = ["GET /contacts", "GET /segments"];

export function Fields({ contact: { id, email, data } }: { contact: WholeContact }) {
  const [isAdding, setAdding] = useState(false);
  const change = useChange("PATCH /contacts/{id}", { reads: READS, showsErrors: true });
  const put = (key: string, value: unknown) =>
    change.mutateAsync({ path: { id }, body: { data: { [key]: value } } });
  const remove = async (key: string) => {
    try {
      await put(key, null);
      toast.done(`${fieldName(key)} removed`, { undo: () => put(key, data[key]) });
    } catch (error) {
      toast.failed(error);
    }
  };
  const keys = Object.keys(data).toSorted((a, b) => a.localeCompare(b));
  return (
    <Panel
      title="Fields"
      aside={
        !isAdding && (
          <Button
            variant="subtle"
            size="compact-xs"
            leftSection={<AddIcon size={13} />}
            onClick={() => setAdding(true)}
          >
            Add a field
          </Button>
        )
      }
    >
      <dl className={classes.fields}>
        <Field
          name="Email address"
          kind="text"
          value={email}
          save={(value) => change.mutateAsync({ path: { id }, body: { email: String(value) } })}
        />
        {keys.map((key) => (
          <Field
            key={key}
            name={fieldName(key)}
            title={key}
            kind={kindOf(data[key])}
            value={data[key]}
            save={(value) => put(key, value)}
            remove={() => remove(key)}
          />
        ))}
      </dl>
      {isAdding && <NewField taken={keys} save={put} close={() => setAdding(false)} />}
      {keys.length === 0 && !isAdding && (
        <p className={classes.quiet}>
          Fields such as a name or a plan are for segments and for the text of mails.
        </p>
      )}
    </Panel>
  );
}

interface FieldProps {
  name: string;
  /** As it is written in templates. */
  title?: string;
  kind: FieldKind;
  value: unknown;
  save: (value: unknown) => Promise<unknown>;
  remove?: () => Promise<void>;
}

function Field({ name, title, kind, value, save, remove }: FieldProps) {
  const [isEditing, setEditing] = useState(false);
  const [isBack, setBack] = useState(false);
  return (
    <div className={classes.field}>
      <dt className={classes.fieldName} title={title}>
        {name}
      </dt>
      <dd className={classes.fieldValue}>
        {isEditing ? (
          <ValueEditor
            label={name}
            kind={kind}
            value={value}
            save={save}
            close={() => {
              setEditing(false);
              setBack(true);
            }}
          />
        ) : (
          <>
            <button
              type="button"
              className={classes.value}
              // The focus is where it was before.
              autoFocus={isBack}
              onClick={() => setEditing(true)}
            >
              <span className="for-readers">Edit {name}: </span>
              <FieldValue value={value} />
            </button>
            {remove && (
              <Tooltip label={`Remove ${name}`}>
                <ActionIcon
                  size="sm"
                  className={classes.remove!}
                  aria-label={`Remove ${name}`}
                  onClick={() => void remove()}
                >
                  <CloseIcon size={13} />
                </ActionIcon>
              </Tooltip>
            )}
          </>
        )}
      </dd>
    </div>
  );
}
