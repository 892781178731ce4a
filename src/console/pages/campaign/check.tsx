// The third step: what to look at before it goes out.
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CampaignCheck } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { formatCount } from "../../parts/format.ts";
import { RefreshIcon } from "../../parts/icons.tsx";
import { Loaded, SkeletonLines } from "../../parts/states.tsx";
import { useProjectId } from "../../place.ts";
import { keyOf } from "../../queries.ts";
import classes from "./campaign.module.css";
import { Finding } from "./finding.tsx";
import type { CampaignDraft, Stored } from "./kind.ts";
import { NotSaved } from "./not_saved.tsx";
import type { Step } from "./steps.ts";

interface Props {
  stored: Stored;
  draft: CampaignDraft;
  go: (step: Step) => void;
}

/** What the service finds in a campaign; asked for again when it has been changed. */
export function useCheck({ answer: { id }, etag }: Stored, isEnabled: boolean) {
  const projectId = useProjectId();
  const path = { id };
  return useQuery({
    queryKey: [...keyOf(projectId, "POST /campaigns/{id}/check", { path }), etag],
    queryFn: ({ signal }) => call("POST /campaigns/{id}/check", { path }, { projectId, signal }),
    enabled: isEnabled,
    staleTime: 10 * 60_000,
    retry: false,
  });
}

export default function Check({ stored, draft, go }: Props) {
  const isSaved = draft.changed.length === 0;
  const check = useCheck(stored, isSaved);
  if (!isSaved) return <NotSaved stored={stored} draft={draft} go={go} />;
  const isFirst = check.data === undefined && check.isFetching;
  return (
    <div className={classes.check}>
      <div className={classes.bar}>
        <p className={classes.quiet} role="status">
          {isFirst ? "Links and images are being checked: this takes a few seconds." : summaryOf(check.data)}
        </p>
        <Button
          variant="default"
          size="xs"
          leftSection={<RefreshIcon size={14} />}
          loading={check.isFetching}
          onClick={() => void check.refetch()}
        >
          Check again
        </Button>
      </div>
      <Loaded query={check} skeleton={<SkeletonLines count={6} />}>
        {({ checks }) => <Findings checks={checks} go={go} />}
      </Loaded>
    </div>
  );
}

const of = (checks: CampaignCheck[], level: CampaignCheck["level"]) =>
  checks.filter((check) => check.level === level);

/** `1 error, 2 warnings`. */
export function summaryOf(data: { checks: CampaignCheck[] } | undefined): string {
  if (!data) return "";
  const errors = of(data.checks, "ERROR").length;
  const warnings = of(data.checks, "WARNING").length;
  if (errors + warnings === 0) return "Everything is fine.";
  const said = [
    errors > 0 && formatCount(errors, "problem"),
    warnings > 0 && formatCount(warnings, "warning"),
  ];
  return `${said.filter(Boolean).join(", ")}.`;
}

function Findings({ checks, go }: { checks: CampaignCheck[]; go: (step: Step) => void }) {
  const passed = of(checks, "OK");
  const hasOthers = passed.length < checks.length;
  const [isOpen, setOpen] = useState(!hasOthers);
  return (
    <>
      <Group title="Problems" checks={of(checks, "ERROR")} go={go} />
      <Group title="Warnings" checks={of(checks, "WARNING")} go={go} />
      {passed.length > 0 && hasOthers && (
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? "Hide passed checks" : `Show ${formatCount(passed.length, "check")} that passed`}
        </Button>
      )}
      {isOpen && <Group title="Fine" checks={passed} go={go} />}
    </>
  );
}

interface GroupProps {
  title: string;
  checks: CampaignCheck[];
  go: (step: Step) => void;
}

function Group({ title, checks, go }: GroupProps) {
  if (checks.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={classes.heading}>{title}</h2>
      <ul className={classes.findings}>
        {checks.map((check) => (
          <Finding key={check.id} check={check} go={go} />
        ))}
      </ul>
    </section>
  );
}
