// The transports of the project: how each stands, and what can be done with it.
import { Button, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Transport } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { formatNumber } from "../../parts/format.ts";
import { FormDialog } from "../../parts/form_dialog.tsx";
import { Gate } from "../../parts/gate.tsx";
import { SendIcon } from "../../parts/icons.tsx";
import { RowMenu } from "../../parts/menu_button.tsx";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Empty } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";
import { useRole } from "../../session.ts";
import { FeedbackForm } from "./feedback_form.tsx";
import { PauseForm } from "./pause_form.tsx";
import { TransportForm } from "./transport_form.tsx";
import { Trial } from "./trial.tsx";
import { addressOf, FEEDBACK, STATES } from "./words.ts";
import classes from "./transports.module.css";

interface Props {
  transports: Transport[];
  /** The button that adds the first. */
  add: ReactNode;
}

type Doing = "change" | "test" | "pause" | "feedback";

export function OwnTransports({ transports, add }: Props) {
  const [doing, setDoing] = useState<{ what: Doing; transport: Transport } | null>(null);
  const close = () => setDoing(null);
  const is = (what: Doing) => doing?.what === what;
  return (
    <Section title="Of this project" about="The ones with the lowest priority are used first.">
      {transports.length === 0 ? (
        <Empty icon={SendIcon} title="No transport of its own" action={add}>
          This project sends by the transports of the installation. Add one to send by a provider of your own,
          to keep mail going when a provider is down, or to keep newsletters apart from mail that must arrive
          at once.
        </Empty>
      ) : (
        <Rows label="Transports of this project">
          {transports.map((transport) => (
            <TransportRow
              key={transport.id}
              transport={transport}
              act={(what) => setDoing({ what, transport })}
            />
          ))}
        </Rows>
      )}
      <FormDialog opened={is("change")} onClose={close} title="Change the transport">
        {doing && is("change") && <TransportForm transport={doing.transport} done={close} />}
      </FormDialog>
      <FormDialog opened={is("test")} onClose={close} title={`Test ${doing?.transport.name ?? ""}`}>
        {doing && is("test") && <Trial transport={doing.transport} close={close} />}
      </FormDialog>
      <FormDialog
        opened={is("feedback")}
        onClose={close}
        title={`Webhook about ${doing?.transport.name ?? ""}`}
      >
        {doing?.transport.feedback && is("feedback") && (
          <FeedbackForm transport={{ ...doing.transport, feedback: doing.transport.feedback }} done={close} />
        )}
      </FormDialog>
      <FormDialog opened={is("pause")} onClose={close} title={`Pause ${doing?.transport.name ?? ""}?`}>
        {doing && is("pause") && <PauseForm transport={doing.transport} done={close} />}
      </FormDialog>
    </Section>
  );
}

function TransportRow({ transport, act }: { transport: Transport; act: (what: Doing) => void }) {
  const { name, state } = transport;
  const { tone, word } = STATES[state];
  const { isAllowed } = useRole("OWNER");
  const resume = useResume(transport);
  const remove = useRemove(transport);
  return (
    <Row
      name={name}
      badge={
        <Status status={state} tone={tone}>
          {word}
        </Status>
      }
      about={
        <>
          {transport.kind === "SMTP" ? <code>{transport.url}</code> : addressOf(transport)}
          <Facts transport={transport} />
          <Reason transport={transport} />
        </>
      }
      actions={
        <>
          <Gate role="OWNER">
            <Button variant="default" size="xs" onClick={() => act("test")} aria-label={`Test ${name}`}>
              Test
            </Button>
          </Gate>
          <Gate role="OWNER">
            <Button variant="default" size="xs" onClick={() => act("change")} aria-label={`Change ${name}`}>
              Change
            </Button>
          </Gate>
          {isAllowed && (
            <RowMenu label={`More about ${name}`}>
              {transport.feedback && (
                <Menu.Item onClick={() => act("feedback")}>
                  {transport.feedback.provider === "arf" ? "Complaint reports…" : "Webhook…"}
                </Menu.Item>
              )}
              {state === "PAUSED" ? (
                <Menu.Item onClick={resume}>Resume</Menu.Item>
              ) : (
                <Menu.Item onClick={() => act("pause")}>Pause…</Menu.Item>
              )}
              <Menu.Item color="red" onClick={remove}>
                Remove…
              </Menu.Item>
            </RowMenu>
          )}
        </>
      }
    />
  );
}

/** In a line: when it is used, and how much of its limits. */
function Facts({ transport }: { transport: Transport }) {
  const { priority, weight, ratePerSecond, perDay, connections, warmup, sentToday, feedback } = transport;
  const limit = Math.min(perDay ?? Infinity, warmup?.limitToday ?? Infinity);
  const facts = [
    `Priority ${formatNumber(priority)}`,
    weight !== 1 && `weight ${formatNumber(weight)}`,
    ratePerSecond !== null && `${formatNumber(ratePerSecond)} a second`,
    sentToday !== null && `${formatNumber(sentToday)} of ${formatNumber(limit)} mails today`,
    sentToday === null && perDay !== null && `${formatNumber(perDay)} a day`,
    warmup && (warmup.limitToday === null ? "warmed up" : `day ${warmup.day} of its warm-up`),
    connections !== null && `${formatNumber(connections)} connections`,
    feedback && feedbackFact(feedback),
  ].filter((fact): fact is string => Boolean(fact));
  return <div>{facts.join(" · ")}</div>;
}

/** Complaint reports are for those who have a mail server that gets them: nobody is missing them. */
function feedbackFact({ provider, hasSecret }: NonNullable<Transport["feedback"]>): string | null {
  if (provider === "arf") return hasSecret ? "takes complaint reports" : null;
  return hasSecret ? `${FEEDBACK[provider]} reports` : "no webhook yet";
}

function Reason({ transport: { state, stateReason, stateUntil } }: { transport: Transport }) {
  if (state === "HEALTHY" || (!stateReason && !stateUntil)) return null;
  return (
    <div className={classes.reason} data-tone={STATES[state].tone}>
      {stateReason}
      {stateUntil && (
        <>
          {stateReason && ". "}
          {state === "HELD" ? "It is tried again " : "It sends again "}
          <Time at={stateUntil} />
        </>
      )}
    </div>
  );
}

function useResume({ id, name }: Transport) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return async () => {
    try {
      await call("PATCH /transports/{id}", { path: { id }, body: { paused: false } }, { projectId });
      await readAgain(cache, projectId, ["GET /transports"]);
      toast.done(`${name} takes mail again within seconds`);
    } catch (error) {
      toast.failed(error);
    }
  };
}

function useRemove({ id, name }: Transport) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  return () =>
    confirm({
      title: `Remove ${name}?`,
      action: "Remove",
      children: (
        <>
          Its address and password are deleted. Mails that wait for it take another transport; without another
          one of this project, they take those of the installation.
        </>
      ),
      act: async () => {
        await call("DELETE /transports/{id}", { path: { id } }, { projectId });
        await readAgain(cache, projectId, ["GET /transports"]);
        toast.done(`${name} was removed`);
      },
    });
}
