// How a mail that is being written looks to somebody.
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { UnsavedPreview } from "../../api.gen.ts";
import { call, type FieldFault, Refusal } from "../../api.ts";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import type { MailWords } from "./mail.ts";

/** A preview, as far as there is one. */
export interface LivePreview {
  /** The last one that could be made. */
  mail: UnsavedPreview | undefined;
  /** What is wrong with what is written now. */
  faults: FieldFault[];
  /** Why there is none, where no field is to blame. */
  error: Error | null;
  /** What is written is newer than what is shown. */
  isOld: boolean;
}

const TYPING_MS = 400;

/** Rendered again when the typing pauses; for a contact, or for one who does not exist. */
export function useLivePreview(words: MailWords, contactId: string): LivePreview {
  const projectId = useProjectId();
  const { subject, preheader, body, type } = words;
  const written = JSON.stringify({ subject, preheader: preheader || null, body, type });
  const [settled] = useDebouncedValue(written, TYPING_MS);
  const preview = useQuery({
    queryKey: [...keyOf(projectId, "POST /templates/preview", { contactId }), settled],
    queryFn: ({ signal }) =>
      call(
        "POST /templates/preview",
        { body: { ...(JSON.parse(settled) as UnsavedBody), ...(contactId && { contactId }) } },
        { projectId, signal },
      ),
    staleTime: Infinity,
    // Each pause makes one.
    gcTime: 10_000,
    retry: false,
  });
  const { data, error } = preview;
  // While one is on its way, and while what is written has a fault, the one before stays.
  const [last, setLast] = useState<Last>({ mail: undefined, error: null });
  if (!preview.isPending && (data ?? last.mail) !== last.mail) setLast({ mail: data, error: null });
  else if (!preview.isPending && error !== last.error) setLast({ mail: last.mail, error });
  const faults = last.error instanceof Refusal ? last.error.fields : [];
  return {
    mail: last.mail,
    faults,
    error: faults.length > 0 ? null : last.error,
    isOld: settled !== written || preview.isPending,
  };
}

interface Last {
  mail: UnsavedPreview | undefined;
  error: Error | null;
}

type UnsavedBody = Pick<MailWords, "subject" | "body" | "type"> & { preheader: string | null };
