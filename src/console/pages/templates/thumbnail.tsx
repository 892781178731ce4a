// A small picture of a template: the mail itself, drawn in a frame while it can be seen.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api.ts";
import { MailIcon } from "../../parts/icons.tsx";
import { MailFrame } from "../../parts/mail_frame.tsx";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import type { Listed } from "./list.ts";
import classes from "./templates.module.css";

/** How far out of sight it is drawn already. */
const MARGIN = "240px";
/** One that only passes by is not asked for. */
const PAUSE_MS = 80;

/** Without links and scripts, and hidden from screen readers: the name beside it says what it is. */
export function Thumbnail({ template: { id, name, updatedAt } }: { template: Listed }) {
  const projectId = useProjectId();
  const { holder, isNear } = useIsNear();
  const mail = useQuery({
    // A template that has changed has another picture.
    queryKey: [...keyOf(projectId, "POST /templates/{id}/preview", { path: { id } }), updatedAt],
    queryFn: ({ signal }) =>
      call("POST /templates/{id}/preview", { path: { id }, body: {} }, { projectId, signal }),
    enabled: isNear,
    staleTime: Infinity,
    retry: false,
  });
  return (
    <span ref={holder} className={classes.picture} aria-hidden="true" inert>
      {isNear && mail.data ? (
        <span className={classes.mail}>
          <MailFrame html={mail.data.html} title={`Picture of ${name}`} />
        </span>
      ) : (
        <MailIcon size={26} />
      )}
    </span>
  );
}

function useIsNear() {
  const holder = useRef<HTMLElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    let timer = 0;
    const watch = new IntersectionObserver(
      ([entry]) => {
        clearTimeout(timer);
        timer = window.setTimeout(() => setNear(entry!.isIntersecting), PAUSE_MS);
      },
      { root: holder.current!.closest("main"), rootMargin: MARGIN },
    );
    watch.observe(holder.current!);
    return () => {
      clearTimeout(timer);
      watch.disconnect();
    };
  }, []);
  return { holder, isNear };
}
