// The ways out for the mail of a project, and which mails take which.
import { Button } from "@mantine/core";
import { useState } from "react";
import { BASE } from "../api.ts";
import { FormDialog } from "../parts/form_dialog.tsx";
import { Gate } from "../parts/gate.tsx";
import { AddIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Sections } from "../parts/section.tsx";
import { Loaded } from "../parts/states.tsx";
import { useApi } from "../queries.ts";
import { OwnTransports } from "./transports/own.tsx";
import { Plans } from "./transports/plans.tsx";
import { RouteRules } from "./transports/rules.tsx";
import { SharedTransports } from "./transports/shared.tsx";
import { TransportForm } from "./transports/transport_form.tsx";

/** While somebody watches, states change by themselves. */
const LOOK_MS = 15_000;

/** `/transports`. */
export default function TransportsPage() {
  const list = useApi("GET /transports", {}, { refetchInterval: LOOK_MS });
  const [isAdding, setAdding] = useState(false);
  const add = (
    <Gate role="OWNER">
      <Button leftSection={<AddIcon size={16} />} onClick={() => setAdding(true)}>
        Add a transport
      </Button>
    </Gate>
  );
  return (
    <>
      <PageHeader
        title="Transports"
        count={list.data?.transports.length}
        about={
          <>
            The mail servers and providers that this project&apos;s mail leaves by.{" "}
            <a href={`${BASE}/docs/guides/transports`} target="_blank" rel="noreferrer">
              How transports work
            </a>
          </>
        }
        actions={list.data?.transports.length ? add : null}
      />
      <Loaded query={list}>
        {({ transports, installation }) => (
          <Sections>
            <OwnTransports transports={transports} add={add} />
            <SharedTransports transports={installation} />
            <RouteRules transports={transports} installation={installation} />
            <Plans />
          </Sections>
        )}
      </Loaded>
      <FormDialog opened={isAdding} onClose={() => setAdding(false)} title="Add a transport">
        <TransportForm done={() => setAdding(false)} />
      </FormDialog>
    </>
  );
}
