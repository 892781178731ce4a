// A mail that is read: as its recipient has it, as a dark program shows it, as text, and whatever else a page knows of it.
import { ActionIcon, Alert, Button, SegmentedControl, Tooltip } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { InfoIcon, MoonIcon } from "./icons.tsx";
import { MailFrame } from "./mail_frame.tsx";
import { hasPicturesElsewhere } from "./mail_html.ts";
import classes from "./mail_view.module.css";

/** What a mail says. */
export interface ReadMail {
  subject: string | null;
  html: string | null;
  text: string | null;
}

/** Which view is shown, and whether in the dark: kept by the page, in its address. */
export interface ShownView {
  /** `html`, `text` or one of `more`. One that there is not: the first one that there is. */
  view: string;
  isDark: boolean;
  set: (patch: { view?: string; isDark?: boolean }) => void;
}

interface Props extends ShownView {
  mail: ReadMail;
  /** Why there is nothing to read, where neither HTML nor text is there. */
  nothing: string;
  /** Further views: their names, and what is in them. */
  more?: { value: string; label: string; content: ReactNode }[];
}

/** The views of a mail, below a bar that chooses one. It fills the height that it is given. */
export function MailView({ mail: { subject, html, text }, view, isDark, set, nothing, more = [] }: Props) {
  const [withPictures, setPictures] = useState(false);
  const views = [
    ...(html ? [{ value: "html", label: "Mail" }] : []),
    ...(text ? [{ value: "text", label: "Plain text" }] : []),
    ...more,
  ];
  const shown = views.find(({ value }) => value === view)?.value ?? views[0]?.value;
  const isMail = shown === "html" && html !== null;
  return (
    <div className={classes.view}>
      {!html && !text && (
        <Alert variant="light" color="gray" icon={<InfoIcon size={16} />}>
          {nothing}
        </Alert>
      )}
      <div className={classes.bar}>
        {views.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label="View"
            value={shown!}
            onChange={(next) => set({ view: next })}
            data={views.map(({ value, label }) => ({ value, label }))}
          />
        )}
        {isMail && (
          <Tooltip label="As mail programs show it in dark mode">
            <ActionIcon
              aria-label="Dark"
              aria-pressed={isDark}
              variant={isDark ? "light" : "subtle"}
              color={isDark ? "terracotta" : "gray"}
              onClick={() => set({ isDark: !isDark })}
            >
              <MoonIcon size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        {isMail && hasPicturesElsewhere(html) && !withPictures && (
          <Button variant="default" size="xs" className={classes.last!} onClick={() => setPictures(true)}>
            Show pictures
          </Button>
        )}
      </div>
      {isMail && (
        <div className={classes.frame} data-dark={isDark || undefined}>
          <MailFrame
            html={html}
            title={`Mail: ${subject ?? ""}`}
            withPictures={withPictures}
            isDark={isDark}
          />
        </div>
      )}
      {shown === "text" && <Plain>{text}</Plain>}
      {more.find(({ value }) => value === shown)?.content}
    </div>
  );
}

/** Text as it is: of a mail, or of its source. */
export function Plain({ children }: { children: ReactNode }) {
  return (
    <pre className={classes.text} tabIndex={0}>
      {children}
    </pre>
  );
}

/** Headers of a mail, by their names. */
export function Headers({ headers }: { headers: { name: string; value: string }[] }) {
  return (
    <dl className={classes.headers}>
      {headers.map(({ name, value }, n) => (
        <div key={n}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
