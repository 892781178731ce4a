// The files of a mail, each a download.
import { formatBytes } from "./format.ts";
import { AttachmentIcon } from "./icons.tsx";
import classes from "./file_links.module.css";

interface File {
  filename: string;
  /** In bytes. */
  size: number;
  /** Where it is. */
  href: string;
}

/** A list of them; nothing if there are none. */
export function FileLinks({ files }: { files: File[] }) {
  if (files.length === 0) return null;
  return (
    <ul className={classes.files} aria-label="Attachments">
      {files.map(({ filename, size, href }) => (
        <li key={href}>
          <a className={classes.file} href={href} download={filename}>
            <AttachmentIcon size={14} />
            <span>{filename}</span>
            <span className={classes.size}>{formatBytes(size)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
