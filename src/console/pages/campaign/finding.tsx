// One finding of the check: what it is, where exactly, and the way to fix it.
import { Button } from "@mantine/core";
import { Link } from "wouter";
import type { CampaignCheck } from "../../api.gen.ts";
import { formatPercent } from "../../parts/format.ts";
import { DoneIcon, InfoIcon, WarningIcon } from "../../parts/icons.tsx";
import { useHasPage } from "../../place.ts";
import classes from "./campaign.module.css";
import { type Step, stepOfField } from "./steps.ts";

const ICONS = { ERROR: WarningIcon, WARNING: InfoIcon, OK: DoneIcon };

/** Where something is fixed that is not in the campaign. */
const PAGES: Partial<Record<CampaignCheck["id"], { label: string; to: string }>> = {
  SENDER: { label: "Domains", to: "/domains" },
  POSTAL_ADDRESS: { label: "Settings", to: "/settings" },
  SUPPRESSED: { label: "Suppressions", to: "/suppressions" },
  USAGE_LIMIT: { label: "Limits", to: "/limits" },
};

/** More than these are counted, and not listed. */
const SHOWN = 8;

interface Props {
  check: CampaignCheck;
  go: (step: Step) => void;
}

export function Finding({ check, go }: Props) {
  const { level, title, message } = check;
  const Shape = ICONS[level];
  const places = placesOf(check);
  return (
    <li className={classes.finding} data-level={level}>
      <Shape size={18} />
      <div className={classes.words}>
        <strong>{title}</strong>
        <p className={classes.plain}>{message}</p>
        {places.length > 0 && (
          <ul className={classes.places}>
            {places.slice(0, SHOWN).map((place) => (
              <li key={place}>{place}</li>
            ))}
            {places.length > SHOWN && <li>and {places.length - SHOWN} more</li>}
          </ul>
        )}
      </div>
      {level !== "OK" && <Way check={check} go={go} />}
    </li>
  );
}

/** Leads to where it is fixed. */
function Way({ check: { id, field, title }, go }: Props) {
  const page = PAGES[id];
  const hasPage = useHasPage(page?.to ?? "");
  if (page && hasPage) {
    return (
      <Button
        variant="default"
        size="xs"
        component={Link}
        href={page.to}
        aria-label={`${page.label}: ${title}`}
      >
        {page.label}
      </Button>
    );
  }
  if (field === undefined) return null;
  return (
    <Button variant="default" size="xs" onClick={() => go(stepOfField(field))} aria-label={`Edit: ${title}`}>
      Edit
    </Button>
  );
}

/** Where exactly: links, pictures, variables. */
function placesOf({ level, details = {} }: CampaignCheck): string[] {
  if (level === "OK") return [];
  const { links = [], images = [], variables = [], records = [], spam } = details;
  return [
    ...links.map(({ url, reason }) => `${url}: ${reason}`),
    ...images,
    ...(spam?.symbols ?? []).map(({ description, score }) => `${description}: ${score.toLocaleString("en")}`),
    ...variables.map(({ name, share }) => `${name}: ${formatPercent(share / 100)} have no value`),
    ...records
      .filter(({ status }) => status !== "VERIFIED")
      .map(({ purpose, type, name }) => `${purpose.replace("_", " ")}: ${type} ${name}`),
  ];
}
