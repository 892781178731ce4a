// The transports of the installation: its operator looks after them.
import type { SharedTransport } from "../../api.gen.ts";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Status } from "../../parts/status.tsx";
import { STATES } from "./words.ts";

export function SharedTransports({ transports }: { transports: SharedTransport[] }) {
  return (
    <Section
      title="Of the installation"
      about="For all projects. Whoever runs this installation looks after them; rules can name them."
    >
      <Rows label="Transports of the installation">
        {transports.map(({ id, name, kind, state, inUse }) => (
          <Row
            key={id}
            name={name}
            badge={
              state && (
                <Status status={state} tone={STATES[state].tone}>
                  {STATES[state].word}
                </Status>
              )
            }
            about={`${kind === "CAPTURE" ? "Keeps mails in the inbox, and sends them to nobody" : "Sends"} · ${
              inUse ? "in use" : "not in use: this project has its own"
            }`}
          />
        ))}
      </Rows>
    </Section>
  );
}
