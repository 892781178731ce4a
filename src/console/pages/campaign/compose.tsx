// A campaign that is being written, in four steps, and saved as one goes.
import { Button, Tabs } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { Unreachable } from "../../api.ts";
import { Conflict } from "../../parts/edits/conflict.tsx";
import { useDraft } from "../../parts/edits/draft.ts";
import { Restored } from "../../parts/edits/restored.tsx";
import { FormError } from "../../parts/form.tsx";
import { RightIcon, WarningIcon } from "../../parts/icons.tsx";
import { lazyPage } from "../../parts/lazy_page.tsx";
import { PageHeader } from "../../parts/page_header.tsx";
import { useSaveKey } from "../../parts/save_key.ts";
import { Status } from "../../parts/status.tsx";
import { useUrlState } from "../../place.ts";
import { Audience } from "./audience.tsx";
import classes from "./campaign.module.css";
import { More, SaveState } from "./head.tsx";
import { CAMPAIGN, type CampaignDraft, gapOf, type Stored } from "./kind.ts";
import { nextOf, type Step, STEPS, stepOf, wrongSteps } from "./steps.ts";

interface StepProps {
  stored: Stored;
  draft: CampaignDraft;
}

const Write = lazyPage<StepProps>(() => import("./write.tsx"));
const Check = lazyPage<StepProps & { go: (step: Step) => void }>(() => import("./check.tsx"));
const Send = lazyPage<StepProps & { go: (step: Step) => void }>(() => import("./send.tsx"));

/** A draft saves itself; what is scheduled is saved when somebody says so, and never half. */
export default function Compose({ stored }: { stored: Stored }) {
  const { status } = stored.answer;
  const [state, set] = useUrlState({ step: "content" });
  const step = stepOf(state.step);
  const draft = useDraft(CAMPAIGN, stored, { savesItself: status === "DRAFT" });
  const { changed, other, isSaving, isHeld, save } = draft;
  const canSave = changed.length > 0 && other === null && !isSaving && gapOf(draft.words) === null;
  useSaveKey(() => void (canSave && save()));
  const go = (next: Step) => {
    // What comes next looks at what is stored.
    if (canSave && !isHeld && status === "DRAFT") void save({ isQuiet: true });
    set({ step: next });
  };
  const wrong = wrongSteps(draft.words, draft.faults);
  const next = nextOf(step);
  return (
    <div className={classes.page}>
      <PageHeader
        title={draft.words.name || stored.answer.name}
        back={{ label: "Campaigns", to: "/campaigns" }}
        badge={<Status status={status} />}
        about={<SaveState stored={stored} draft={draft} />}
        actions={
          <>
            <More stored={stored} />
            {status === "SCHEDULED" && changed.length > 0 && (
              <>
                <Button variant="default" onClick={draft.discard}>
                  Discard
                </Button>
                <Button onClick={() => void save()} loading={isSaving} disabled={!canSave}>
                  Save
                </Button>
              </>
            )}
            {next && (
              <Button
                variant={status === "SCHEDULED" ? "default" : "filled"}
                rightSection={<RightIcon size={15} />}
                onClick={() => go(next.value)}
              >
                Next: {next.label.toLowerCase()}
              </Button>
            )}
          </>
        }
      />
      <Restored draft={draft} />
      <Conflict kind={CAMPAIGN} draft={draft} />
      <FormError error={draft.faults.length > 0 || draft.error instanceof Unreachable ? null : draft.error} />
      <Tabs
        value={step}
        onChange={(to) => go(stepOf(to ?? ""))}
        className={classes.tabs!}
        keepMounted={false}
        activateTabWithKeyboard={false}
      >
        <Tabs.List className={classes.steps!}>
          {STEPS.map(({ value, label }, n) => (
            <Tabs.Tab
              key={value}
              value={value}
              leftSection={
                wrong.has(value) ? (
                  <WarningIcon size={15} className={classes.wrong} />
                ) : (
                  <span className={classes.number} aria-hidden="true">
                    {n + 1}
                  </span>
                )
              }
              aria-description={wrong.has(value) ? "Something is missing here" : undefined}
            >
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {/* What is written can be taken back, and half of a condition stays, whatever else is looked at meanwhile. */}
        <Tabs.Panel value="content" className={classes.panel!} keepMounted>
          <WhenSeen isNow={step === "content"}>
            <Write stored={stored} draft={draft} />
          </WhenSeen>
        </Tabs.Panel>
        <Tabs.Panel value="audience" className={classes.panel!} keepMounted>
          <WhenSeen isNow={step === "audience"}>
            <Audience key={draft.round} draft={draft} />
          </WhenSeen>
        </Tabs.Panel>
        <Tabs.Panel value="check" className={classes.panel!}>
          <Check stored={stored} draft={draft} go={go} />
        </Tabs.Panel>
        <Tabs.Panel value="send" className={classes.panel!}>
          <Send stored={stored} draft={draft} go={go} />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

/** Nothing, until it has been checked once. */
function WhenSeen({ isNow, children }: { isNow: boolean; children: ReactNode }) {
  const [isSeen, setSeen] = useState(isNow);
  if (isNow && !isSeen) setSeen(true);
  return isSeen && children;
}
