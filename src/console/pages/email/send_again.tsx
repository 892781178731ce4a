// Sending a mail again: what happens is said before, and why it cannot be done where it cannot.
import { Button, Tooltip } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import type { Email } from "../../api.gen.ts";
import { call } from "../../api.ts";
import { confirm } from "../../parts/confirm.tsx";
import { SendIcon } from "../../parts/icons.tsx";
import { toast } from "../../parts/toast.tsx";
import { useProjectId } from "../../place.ts";
import { readAgain } from "../../queries.ts";

interface Props {
  mail: Email;
  /** Whether what it said is still kept; undefined until that is known. */
  isKept: boolean | undefined;
}

export function SendAgain({ mail, isKept }: Props) {
  const projectId = useProjectId();
  const cache = useQueryClient();
  const [, navigate] = useLocation();
  const reason = reasonAgainst(mail, isKept);
  const ask = () => {
    // One for each time that somebody asks: pressing twice, or an answer that is lost, sends one mail.
    const idempotencyKey = crypto.randomUUID();
    confirm({
      title: "Send this mail again?",
      children: <WhatHappens mail={mail} />,
      action: "Send again",
      isDestructive: false,
      act: async () => {
        const path = { id: mail.id };
        const sent = await call("POST /emails/{id}/resend", { path }, { projectId, idempotencyKey });
        navigate(`/emails/${sent.id}`);
        if (sent.status !== "SUPPRESSED") toast.done(`On its way to ${sent.to ?? "the recipient"}`);
        await readAgain(cache, projectId, ["GET /emails", "GET /inbox"]);
      },
    });
  };
  const button = (
    <Button
      variant="default"
      leftSection={<SendIcon size={15} />}
      onClick={ask}
      disabled={reason !== null || isKept === undefined}
    >
      Send again
    </Button>
  );
  if (reason === null) return button;
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }}>
      <span tabIndex={0} role="note" aria-label={reason}>
        {button}
      </span>
    </Tooltip>
  );
}

function WhatHappens({ mail: { to, status, campaignId, workflowId, parentId } }: { mail: Email }) {
  const isDoubtful = status === "IN_DOUBT";
  return (
    <>
      The same mail goes to <strong>{to}</strong> again, filled in with what the contact’s fields say now. If
      the contact has a new address, it goes there. It counts as a single mail
      {campaignId && ": the campaign’s figures do not change"}
      {workflowId && ": the workflow is not affected"}. Nothing is sent if the address is on the suppression
      list or has opted out.
      {parentId !== null && " The other recipients of the message do not get it again."}
      {isDoubtful && " The first one may have arrived: the recipient would then have it twice."}
    </>
  );
}

/** Why it cannot be sent again; null if it can. */
function reasonAgainst({ status, to }: Email, isKept: boolean | undefined): string | null {
  if (status === "PENDING" || status === "SENDING") return "It is still on its way";
  if (to === null) return "Its contact has been deleted";
  return isKept === false ? "Its content is no longer kept" : null;
}
