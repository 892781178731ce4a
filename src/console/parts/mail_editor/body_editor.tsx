// The body, as blocks or as code: both write the same text.
import { SegmentedControl } from "@mantine/core";
import { useMemo, useState } from "react";
import type { FieldFault } from "../../api.ts";
import { lazyPage } from "../lazy_page.tsx";
import { SkeletonLines } from "../states.tsx";
import { useUrlState } from "../../place.ts";
import { useApi } from "../../queries.ts";
import { useHistory } from "./blocks/history.ts";
import type { MailDraft } from "./mail.ts";
import { marksOf } from "./marks.ts";
import type { LivePreview } from "./preview.ts";
import classes from "./mail_editor.module.css";

const CodeEditor = lazyPage(() => import("../code/editor.tsx"), <SkeletonLines count={8} />);
const BlockEditor = lazyPage(() => import("./blocks/editor.tsx"), <SkeletonLines count={8} />);

/** True for what is compiled, as the service sees it. */
const isMjml = (body: string) => /^\s*(?:<!--[^]*?-->\s*)*<mjml[\s/>]/i.test(body);

interface Props {
  draft: MailDraft;
  preview: LivePreview;
  /** What is wrong with it. */
  faults: FieldFault[];
  isHidden: boolean;
}

/** The editor. MJML is shown as blocks, unless the address says otherwise. */
export function BodyEditor({ draft, preview, faults, isHidden }: Props) {
  const { body } = draft.words;
  const change = (next: string) => draft.set({ body: next });
  const [{ edit, contact }, set] = useUrlState({ edit: "blocks", contact: "" });
  const history = useHistory(body, change);
  const fields = useFieldNames();
  const marks = useMarks(body, faults, preview.mail?.missing, contact);
  const [place, setPlace] = useState<number | null>(null);
  const canHaveBlocks = isMjml(body);
  const isInBlocks = canHaveBlocks && edit !== "code";
  const show = (next: string) => {
    setPlace(null);
    set({ edit: next }, { replace: true });
  };
  const modes = canHaveBlocks && (
    <SegmentedControl
      size="xs"
      aria-label="Edit as"
      data={[
        { value: "blocks", label: "Blocks" },
        { value: "code", label: "Code" },
      ]}
      value={isInBlocks ? "blocks" : "code"}
      onChange={show}
    />
  );
  return (
    <section className={classes.editor} aria-label="Body" hidden={isHidden}>
      {modes && !isInBlocks && <div className={classes.modes}>{modes}</div>}
      <div className={classes.editorBody}>
        {isInBlocks ? (
          <BlockEditor
            value={body}
            history={history}
            head={modes}
            fields={fields}
            showCode={(at) => {
              show("code");
              setPlace(at);
            }}
          />
        ) : (
          <CodeEditor
            label="Body"
            language={canHaveBlocks ? "mjml" : "html"}
            value={body}
            onChange={change}
            fields={fields}
            marks={marks}
            save={() => void draft.save()}
            undo={history.undo}
            redo={history.redo}
            place={place}
          />
        )}
      </div>
    </section>
  );
}

function useMarks(body: string, faults: FieldFault[], missing: string[] | undefined, contactId: string) {
  const { data } = useApi("GET /contacts/{id}", { path: { id: contactId } }, { enabled: contactId !== "" });
  const whom = data?.email ?? "The contact of the preview";
  // They come again with each answer: what counts is what they say.
  const written = JSON.stringify(faults.filter(({ field }) => field === "body"));
  return useMemo(
    () => marksOf(body, JSON.parse(written) as FieldFault[], missing ?? [], whom),
    [body, written, missing, whom],
  );
}

/** What contacts have, as templates write it. */
function useFieldNames(): string[] {
  const { data } = useApi("GET /contacts/fields", {}, { staleTime: 60_000 });
  return useMemo(
    () =>
      (data?.fields ?? []).flatMap(({ field }) =>
        field.startsWith("data.") ? [field.slice("data.".length)] : [],
      ),
    [data],
  );
}
