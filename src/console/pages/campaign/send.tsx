// The last step: a test to look at in a mail program, and then now, or at a time.
import { Alert, Button } from "@mantine/core";
import { WarningIcon } from "../../parts/icons.tsx";
import { Section, Sections } from "../../parts/section.tsx";
import { summaryOf, useCheck } from "./check.tsx";
import type { CampaignDraft, Stored } from "./kind.ts";
import { NotSaved } from "./not_saved.tsx";
import type { Step } from "./steps.ts";
import { TestMailForm } from "./test_mail.tsx";
import { When } from "./when.tsx";

interface Props {
  stored: Stored;
  draft: CampaignDraft;
  go: (step: Step) => void;
}

export default function Send({ stored, draft, go }: Props) {
  const isSaved = draft.changed.length === 0;
  const { data } = useCheck(stored, isSaved);
  if (!isSaved) return <NotSaved stored={stored} draft={draft} go={go} />;
  const hasErrors = data?.checks.some(({ level }) => level === "ERROR");
  return (
    <Sections>
      {hasErrors && (
        <Alert color="red" variant="light" icon={<WarningIcon size={18} />} title="The check found problems">
          {summaryOf(data)}{" "}
          <Button variant="default" size="compact-xs" onClick={() => go("check")}>
            Review them
          </Button>
        </Alert>
      )}
      <Section
        title="Test mail"
        about="To one address, with [TEST] before its subject and the data of the contact with that address. It is not counted in reports."
      >
        <TestMailForm campaign={stored.answer} />
      </Section>
      <When stored={stored} words={draft.words} />
    </Sections>
  );
}
