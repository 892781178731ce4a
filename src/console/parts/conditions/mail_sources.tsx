// Of which mails a filter speaks: of any, of those of one campaign, or of those of one template.
import { NativeSelect } from "@mantine/core";
import { CampaignPicker, TemplatePicker } from "../name_picker.tsx";
import type { MailSource } from "./catalogue.ts";
import classes from "./conditions.module.css";
import type { DraftFilter, LineFaults } from "./draft.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** A line with what there is to choose from. */
export interface OperandProps {
  vocabulary: Vocabulary;
  line: DraftFilter;
  change: (patch: Partial<DraftFilter>) => void;
  faults: LineFaults;
}

const CHOICES = [
  { value: "", label: "of any mail" },
  { value: "campaignId", label: "of the campaign" },
  { value: "templateId", label: "of the template" },
];
/** Only the API can say this: the console shows it, and lets one leave it. */
const BOTH = { value: "both", label: "of campaign and template" };

/** The choice, and the campaign or template that is chosen. */
export function MailSources({ line, change, faults }: OperandProps) {
  const { campaignId, templateId } = line;
  const isBoth = campaignId !== null && templateId !== null;
  const chosen = isBoth
    ? "both"
    : campaignId !== null
      ? "campaignId"
      : templateId !== null
        ? "templateId"
        : "";
  const choose = (next: string) => {
    if (next === "both") return;
    const keep = (source: MailSource) => (next === source ? (line[source] ?? "") : null);
    change({ campaignId: keep("campaignId"), templateId: keep("templateId") });
  };
  return (
    <>
      <NativeSelect
        className={classes.choice!}
        aria-label="Which mails"
        data={isBoth ? [...CHOICES, BOTH] : CHOICES}
        value={chosen}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {campaignId !== null && (
        <CampaignPicker
          isBare
          className={classes.value!}
          value={campaignId}
          onChange={(id) => change({ campaignId: id })}
          error={faults.campaignId}
        />
      )}
      {templateId !== null && (
        <TemplatePicker
          isBare
          className={classes.value!}
          value={templateId}
          onChange={(id) => change({ templateId: id })}
          error={faults.templateId}
        />
      )}
    </>
  );
}
