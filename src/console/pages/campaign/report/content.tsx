// What was sent, and to whom.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Campaign } from "../../../api.gen.ts";
import { call } from "../../../api.ts";
import { MailFrame } from "../../../parts/mail_frame.tsx";
import { hasPicturesElsewhere } from "../../../parts/mail_html.ts";
import { MAIL_TYPES } from "../../../parts/mail_types.ts";
import { Panel } from "../../../parts/panel.tsx";
import { Fact, Facts } from "../../../parts/section.tsx";
import { Loaded, SkeletonLines } from "../../../parts/states.tsx";
import { useProjectId } from "../../../place.ts";
import { keyOf, useApi } from "../../../queries.ts";
import { audienceOf } from "../../campaigns/words.ts";
import classes from "./report.module.css";

export function Content({ campaign }: { campaign: Campaign }) {
  const projectId = useProjectId();
  const path = { id: campaign.id };
  const preview = useQuery({
    queryKey: keyOf(projectId, "POST /campaigns/{id}/preview", { path }),
    queryFn: ({ signal }) => call("POST /campaigns/{id}/preview", { path, body: {} }, { projectId, signal }),
    staleTime: Infinity,
  });
  const [withPictures, setPictures] = useState(false);
  const html = preview.data?.html ?? "";
  return (
    <div className={classes.content}>
      <About campaign={campaign} />
      <Panel
        title="Mail"
        aside={
          hasPicturesElsewhere(html) &&
          !withPictures && (
            <Button variant="default" size="xs" onClick={() => setPictures(true)}>
              Show pictures
            </Button>
          )
        }
      >
        <Loaded query={preview} skeleton={<SkeletonLines count={8} />}>
          {() => (
            <div className={classes.frame}>
              <MailFrame html={html} title={`Mail: ${campaign.subject}`} withPictures={withPictures} />
            </div>
          )}
        </Loaded>
      </Panel>
    </div>
  );
}

function About({ campaign }: { campaign: Campaign }) {
  const { subject, preheader, from, fromName, replyTo, type, segmentId } = campaign;
  const segments = useApi("GET /segments", {}, { enabled: segmentId !== null });
  const names = new Map(segments.data?.map(({ id, name }) => [id, name]));
  return (
    <Panel title="What was sent">
      <Facts>
        <Fact name="Subject">{subject}</Fact>
        {preheader && <Fact name="Preview text">{preheader}</Fact>}
        <Fact name="From">{fromName ? `${fromName} <${from}>` : from}</Fact>
        {replyTo && <Fact name="Reply to">{replyTo}</Fact>}
        <Fact name="Kind">{MAIL_TYPES[type].label}</Fact>
        <Fact name="Audience">{audienceOf(campaign, names)}</Fact>
      </Facts>
    </Panel>
  );
}
