// The mail beside what is written: as a desktop, a phone or a dark program shows it, or as text, for a contact of your choice.
import { ActionIcon, Alert, Button, SegmentedControl, Tooltip } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type ReactNode, useState } from "react";
import { ContactPicker } from "../contact_picker.tsx";
import { MoonIcon, WarningIcon } from "../icons.tsx";
import { MailFrame } from "../mail_frame.tsx";
import { hasPicturesElsewhere } from "../mail_html.ts";
import { SkeletonLines } from "../states.tsx";
import { useUrlState } from "../../place.ts";
import { holesIn } from "./marks.ts";
import type { LivePreview } from "./preview.ts";
import classes from "./mail_editor.module.css";
import { MAIL_LABELS, type MailWords } from "./mail.ts";

const VIEWS = [
  { value: "desktop", label: "Desktop" },
  { value: "phone", label: "Phone" },
  { value: "text", label: "Text" },
];

const DESKTOP_WIDTH = 720;

interface Props {
  words: MailWords;
  preview: LivePreview;
}

/** How it looks. The address remembers the view, and for whom. */
export function PreviewPane({ words, preview }: Props) {
  const [{ view, contact, dark }, set] = useUrlState({ view: "desktop", contact: "", dark: "" });
  const isDark = dark !== "" && view !== "text";
  return (
    <section className={classes.preview} aria-label="Preview">
      <div className={classes.bar}>
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={VIEWS}
          value={view}
          onChange={(next) => set({ view: next }, { replace: true })}
        />
        <Tooltip label="As mail programs show it in dark mode">
          <ActionIcon
            aria-label="Dark"
            aria-pressed={isDark}
            variant={isDark ? "light" : "subtle"}
            color={isDark ? "terracotta" : "gray"}
            disabled={view === "text"}
            onClick={() => set({ dark: isDark ? "" : "1" }, { replace: true })}
          >
            <MoonIcon size={16} />
          </ActionIcon>
        </Tooltip>
        <ContactPicker
          className={classes.contact!}
          size="xs"
          aria-label="Preview for"
          placeholder="Preview for a contact"
          value={contact}
          onChange={(id) => set({ contact: id }, { replace: true })}
        />
      </div>
      <Faults preview={preview} />
      {preview.mail ? (
        <Shown key={contact} words={words} preview={preview} view={view} isDark={isDark} />
      ) : (
        !preview.error && preview.faults.length === 0 && <SkeletonLines count={6} />
      )}
    </section>
  );
}

/** What is wrong with what is written, or why nothing can be shown. */
function Faults({ preview: { faults, error } }: { preview: LivePreview }) {
  if (faults.length === 0 && !error) return null;
  return (
    <Alert
      color="red"
      variant="light"
      icon={<WarningIcon size={16} />}
      className={classes.faults!}
      role="status"
    >
      {error?.message}
      {faults.slice(0, 3).map(({ field, message }, n) => (
        <div key={n}>
          {MAIL_LABELS[field as keyof MailWords] ?? field}: {message}
        </div>
      ))}
      {faults.length > 0 && "This is the previous version."}
    </Alert>
  );
}

interface ShownProps {
  words: MailWords;
  preview: LivePreview;
  view: string;
  isDark: boolean;
}

function Shown({ words, preview: { mail, isOld }, view, isDark }: ShownProps) {
  const [withPictures, setPictures] = useState(false);
  const { subject, html, text, missing, warnings } = mail!;
  const isElsewhere = hasPicturesElsewhere(html);
  return (
    <>
      <div className={classes.envelope}>
        <strong>{words.fromName || words.from}</strong>
        <span>{subject || "No subject"}</span>
      </div>
      <Notes missing={holesIn([words.subject, words.preheader, words.body], missing)} warnings={warnings} />
      {view === "text" ? (
        <pre className={classes.text} tabIndex={0}>
          {text}
        </pre>
      ) : (
        <Screen view={view} isDark={isDark} isOld={isOld}>
          <MailFrame html={html} title={`Mail: ${subject}`} withPictures={withPictures} isDark={isDark} />
        </Screen>
      )}
      {isElsewhere && !withPictures && view !== "text" && (
        <Button variant="default" size="xs" className={classes.pictures!} onClick={() => setPictures(true)}>
          Load remote images
        </Button>
      )}
    </>
  );
}

interface ScreenProps {
  view: string;
  isDark: boolean;
  isOld: boolean;
  children: ReactNode;
}

/** As wide as a desktop program shows a mail, drawn smaller if there is less room; or as wide as a phone. */
function Screen({ view, isDark, isOld, children }: ScreenProps) {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const scale = view === "phone" || width === 0 ? 1 : Math.min(1, width / DESKTOP_WIDTH);
  const style = { "--scale": scale } as React.CSSProperties;
  return (
    <div
      ref={ref}
      className={classes.stage}
      style={style}
      data-view={view}
      data-dark={isDark || undefined}
      data-old={isOld || undefined}
    >
      <div className={classes.screen}>{children}</div>
    </div>
  );
}

function Notes({ missing, warnings }: { missing: string[]; warnings: string[] }) {
  if (missing.length === 0 && warnings.length === 0) return null;
  return (
    <ul className={classes.notes} aria-label="Warnings">
      {missing.length > 0 && (
        <li>
          No value for{" "}
          {missing.map((name, n) => (
            <span key={name}>
              {n > 0 && ", "}
              <code>{name}</code>
            </span>
          ))}
        </li>
      )}
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}
