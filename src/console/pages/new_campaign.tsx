// A new campaign: what it begins as, what it is called, and who sends it.
import { SegmentedControl } from "@mantine/core";
import { FormDialog } from "../parts/form_dialog.tsx";
import { MailStartCards } from "../parts/mail_starts/mail_start_cards.tsx";
import { STARTS } from "../parts/mail_starts/starts.ts";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { useUrlState } from "../place.ts";
import { useApi } from "../queries.ts";
import { CampaignChoice, TemplateChoice } from "./new_campaign/choices.tsx";
import { CopyForm, NewCampaignForm } from "./new_campaign/forms.tsx";
import classes from "./new_campaign/new_campaign.module.css";

const ORIGINS = [
  { value: "new", label: "New mail" },
  { value: "template", label: "Template" },
  { value: "campaign", label: "Earlier campaign" },
];

/** `/campaigns/new`. The address says what it begins from, as what, and for which segment. */
export default function NewCampaignPage() {
  const [{ from, origin, segment }, set] = useUrlState({ from: "new", origin: "", segment: "" });
  const choose = (next: string) => set({ origin: next });
  const close = () => set({ origin: "" });
  return (
    <>
      <PageHeader
        title="New campaign"
        about="Choose a starting point. You can change everything, and nothing is sent yet."
        back={{ label: "Campaigns", to: "/campaigns" }}
      />
      {segment !== "" && <ForSegment id={segment} />}
      <SegmentedControl
        className={classes.origins!}
        aria-label="Begin with"
        data={ORIGINS}
        value={from}
        onChange={(next) => set({ from: next, origin: "" }, { replace: true })}
      />
      {from === "new" && (
        // What somebody is told about an order goes to them alone.
        <MailStartCards choose={choose} isOffered={({ type }) => type !== "TRANSACTIONAL"} />
      )}
      {from === "template" && <TemplateChoice choose={choose} />}
      {from === "campaign" && <CampaignChoice choose={choose} />}
      <FormDialog opened={origin !== ""} onClose={close} title="New campaign" isInAddress>
        {origin !== "" && <Chosen key={origin} {...{ from, origin, segment, close }} />}
      </FormDialog>
    </>
  );
}

interface ChosenProps {
  from: string;
  /** The name of a start, or an id. */
  origin: string;
  /** The id of the one that it is for; empty: everybody. */
  segment: string;
  close: () => void;
}

/** The form for what was chosen. */
function Chosen({ from, origin, segment, close }: ChosenProps) {
  if (from === "template") return <OfTemplate id={origin} segment={segment} close={close} />;
  if (from === "campaign") return <OfCampaign id={origin} close={close} />;
  const start = Object.hasOwn(STARTS, origin) ? STARTS[origin]! : STARTS.blank!;
  const { name, subject, body, type } = start;
  return <NewCampaignForm name={name} content={{ subject, body, type }} segment={segment} close={close} />;
}

function OfTemplate({ id, segment, close }: { id: string; segment: string; close: () => void }) {
  const template = useApi("GET /templates/{id}", { path: { id } });
  return (
    <Loaded query={template}>
      {({ name, type, from }) => (
        <NewCampaignForm
          name={name}
          content={{ templateId: id, type }}
          sender={from}
          segment={segment}
          close={close}
        />
      )}
    </Loaded>
  );
}

function OfCampaign({ id, close }: { id: string; close: () => void }) {
  const campaign = useApi("GET /campaigns/{id}", { path: { id } });
  return <Loaded query={campaign}>{({ name }) => <CopyForm id={id} name={name} close={close} />}</Loaded>;
}

function ForSegment({ id }: { id: string }) {
  const segment = useApi("GET /segments/{id}", { path: { id } });
  return segment.data ? (
    <p className={classes.segment}>
      It will go to the segment {segment.data.name}. That can be changed, too. A copy of an earlier campaign
      keeps its own audience.
    </p>
  ) : null;
}
