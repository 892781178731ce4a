// Pictures on their way to the service.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { UploadedImage } from "../api.gen.ts";
import { call, Refusal } from "../api.ts";
import { useProjectId } from "../place.ts";
import { readAgain } from "../queries.ts";
import { toast } from "./toast.tsx";

/** What the service takes. */
export const IMAGE_TYPES = "image/png,image/jpeg,image/gif,image/webp";

/** Uploads files, and says what happened to them. `upload` answers with those that have arrived. */
export function useUpload() {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [isUploading, setUploading] = useState(false);
  const upload = async (files: File[]): Promise<UploadedImage[]> => {
    if (files.length === 0) return [];
    setUploading(true);
    const done: UploadedImage[] = [];
    // One after the other: decoding a large picture is work.
    for (const file of files) {
      const body = new FormData();
      body.append("image", file);
      try {
        done.push(await call("POST /uploads/image", { body }, { projectId }));
      } catch (error) {
        toast.failed(new Error(`${file.name}: ${messageOf(error)}`));
      }
    }
    setUploading(false);
    await readAgain(cache, projectId, ["GET /uploads"]);
    if (done.length > 0) toast.done(done.length === 1 ? "Image uploaded" : `${done.length} images uploaded`);
    return done;
  };
  return { upload, isUploading };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Refusal)) return (error as Error).message;
  return [error.message, error.suggestion].filter(Boolean).join(". ");
}
