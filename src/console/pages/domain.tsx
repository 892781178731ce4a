// One domain: the records to publish, what the DNS has in their place, and what to do.
import { Alert, Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { Domain } from "../api.gen.ts";
import { call } from "../api.ts";
import { confirm } from "../parts/confirm.tsx";
import { Gate } from "../parts/gate.tsx";
import { DeleteIcon, DoneIcon, RefreshIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../parts/toast.tsx";
import { useProjectId } from "../place.ts";
import { keyOf, readAgain, useApi } from "../queries.ts";
import { DOMAIN_STATES } from "./domains.tsx";
import { Providers } from "./domain_providers.tsx";
import { Records } from "./domain_records.tsx";
import classes from "./domains.module.css";

/** While somebody watches, and something may still change. */
const LOOK_MS = 10_000;

/** `/domains/:id`. */
export default function DomainPage() {
  const { id } = useParams<{ id: string }>();
  const domain = useApi(
    "GET /domains/{id}",
    { path: { id } },
    { refetchInterval: ({ state }) => (isSettled(state.data) ? false : LOOK_MS) },
  );
  return <Loaded query={domain}>{(shown) => <Shown domain={shown} />}</Loaded>;
}

function isSettled(domain: Domain | undefined): boolean {
  return domain?.records.every(({ status }) => status === "VERIFIED") ?? false;
}

function Shown({ domain }: { domain: Domain }) {
  const { tone, word } = DOMAIN_STATES[domain.status];
  const { check, isChecking } = useCheck(domain);
  const remove = useRemove(domain);
  return (
    <div className={classes.page}>
      <PageHeader
        title={domain.domain}
        back={{ label: "Domains", to: "/domains" }}
        badge={
          <Status status={domain.status} tone={tone}>
            {word}
          </Status>
        }
        about={
          domain.lastCheckedAt ? (
            <>
              Checked <Time at={domain.lastCheckedAt} />
            </>
          ) : (
            "Not checked yet"
          )
        }
        actions={
          <>
            <Gate role="ADMIN">
              <Button variant="default" leftSection={<DeleteIcon size={16} />} onClick={remove}>
                Remove
              </Button>
            </Gate>
            <Button leftSection={<RefreshIcon size={16} />} onClick={check} loading={isChecking}>
              Check now
            </Button>
          </>
        }
      />
      <Standing domain={domain} />
      <Records records={domain.records} />
      {!isSettled(domain) && <Providers domain={domain.domain} />}
    </div>
  );
}

/** What the state of the domain means for its mail. */
function Standing({ domain: { id, domain, status } }: { domain: Domain }) {
  if (status === "VERIFIED") {
    return (
      <Alert color="green" variant="light" icon={<DoneIcon />} mb="lg">
        Mail can be sent from any address at {domain}, and is signed. The records that are marked as
        recommended help it to arrive.{" "}
        <Link href={`/deliverability?domain=${id}`}>What Google, Yahoo and Microsoft ask of senders</Link>
      </Alert>
    );
  }
  return (
    <Alert color={status === "FAILED" ? "red" : "yellow"} variant="light" mb="lg">
      {status === "FAILED" &&
        "The required record was not found for some time, so mail from here is refused. "}
      Publish these records where the DNS of {domain} is managed. They are looked for every few minutes, and
      this page shows what was found.
    </Alert>
  );
}

function useCheck({ id }: Domain) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [isChecking, setChecking] = useState(false);
  const check = async () => {
    setChecking(true);
    try {
      const { verified } = await call("GET /domains/{id}/verify", { path: { id } }, { projectId });
      await cache.invalidateQueries({ queryKey: keyOf(projectId, "GET /domains/{id}", { path: { id } }) });
      await readAgain(cache, projectId, ["GET /domains/project", "GET /projects"]);
      toast.done(verified ? "The domain is verified" : "Checked: the required record is not there yet");
    } catch (error) {
      toast.failed(error);
    } finally {
      setChecking(false);
    }
  };
  return { check, isChecking };
}

function useRemove({ id, domain }: Domain) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  return () =>
    confirm({
      title: `Remove ${domain}?`,
      action: "Remove",
      children: (
        <>
          Mail from {domain} is refused from now on, and its key is deleted: if you add it again, it gets
          other records. Mails that were sent stay as they are.
        </>
      ),
      act: async () => {
        await call("DELETE /domains/{id}", { path: { id } }, { projectId });
        navigate("/domains");
        await readAgain(cache, projectId, ["GET /domains/project", "GET /projects"]);
        toast.done(`${domain} was removed`);
      },
    });
}
