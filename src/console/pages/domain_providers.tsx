// What to do where the DNS of a domain is managed, in the words of the larger providers.
import { Select } from "@mantine/core";
import { useUrlState } from "../place.ts";
import classes from "./domains.module.css";

/** Whether the field for the name takes `bounces` or `bounces.shop.example`. */
type Naming = "short" | "long";

const PROVIDERS: { id: string; name: string; naming: Naming; steps: string[] }[] = [
  {
    id: "cloudflare",
    name: "Cloudflare",
    naming: "short",
    steps: [
      "Open the domain, then DNS, then Records.",
      "Press Add record, and choose the type.",
      "Leave Proxy status off where it is offered, and TTL on Auto.",
    ],
  },
  {
    id: "route53",
    name: "Amazon Route 53",
    naming: "short",
    steps: [
      "Open Hosted zones, then the domain, then Create record.",
      "Put a TXT value in double quotes. Break a long one into strings of at most 255 characters, each in quotes, with a blank between.",
      "An MX value has its priority before it, such as 10 mail.example.com.",
    ],
  },
  {
    id: "godaddy",
    name: "GoDaddy",
    naming: "short",
    steps: ["Open the domain, then DNS, then Add New Record.", "For the domain itself the name is @."],
  },
  {
    id: "namecheap",
    name: "Namecheap",
    naming: "short",
    steps: [
      "Open Domain List, then Manage, then Advanced DNS.",
      "An MX record is offered only after Custom MX was chosen under Mail Settings.",
      "For the domain itself the host is @.",
    ],
  },
  {
    id: "hetzner",
    name: "Hetzner",
    naming: "short",
    steps: ["Open the zone, then Records, then Add record.", "For the domain itself the name is @."],
  },
  {
    id: "ionos",
    name: "IONOS",
    naming: "short",
    steps: [
      "Open Domains & SSL, then the domain, then DNS, then Add record.",
      "For the domain itself the host name is @.",
    ],
  },
  {
    id: "squarespace",
    name: "Squarespace (formerly Google Domains)",
    naming: "short",
    steps: [
      "Open Domains, then the domain, then DNS, then Custom records.",
      "For the domain itself the host is @.",
    ],
  },
  {
    id: "bind",
    name: "Your own zone file",
    naming: "long",
    steps: [
      "End each name with a dot, such as bounces.shop.example.",
      "Break a TXT value into strings of at most 255 characters, each in quotes.",
      "Raise the serial number, and reload the zone.",
    ],
  },
];

/** A choice of providers, with what to do there. */
export function Providers({ domain }: { domain: string }) {
  const [{ provider }, set] = useUrlState({ provider: "" });
  const chosen = PROVIDERS.find(({ id }) => id === provider);
  return (
    <section className={classes.providers} aria-label="How to publish the records">
      <h2 className={classes.recordTitle}>How to publish the records</h2>
      <Select
        mt="xs"
        maw={360}
        label="Where the DNS is managed"
        placeholder="Choose a provider"
        data={PROVIDERS.map(({ id, name }) => ({ value: id, label: name }))}
        value={provider || null}
        onChange={(id) => set({ provider: id ?? "" }, { replace: true })}
        clearable
      />
      <ol className={classes.steps}>
        {(
          chosen?.steps ?? ["Open the DNS of the domain, and add each record with its type, name and value."]
        ).map((step) => (
          <li key={step}>{step}</li>
        ))}
        <li>
          {chosen?.naming === "long"
            ? "Enter the names exactly as shown here."
            : `Many forms add “.${domain}” to the name automatically: in that case, leave out that part.`}
        </li>
        <li>
          If the domain has an SPF record already, do not add a second one: put the part before “~all” into
          the one that is there.
        </li>
        <li>
          It takes minutes at most providers, and up to a day at some. This page checks again automatically.
        </li>
      </ol>
    </section>
  );
}
