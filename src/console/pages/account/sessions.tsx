// Where somebody is logged in.
import { Button } from "@mantine/core";
import { useLocation } from "wouter";
import type { UserSession } from "../../api.gen.ts";
import { Row, Rows, Section } from "../../parts/section.tsx";
import { Loaded } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { confirm } from "../../parts/confirm.tsx";
import { formatCount } from "../../parts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { useAccountApi, useAccountChange } from "../../queries.ts";
import { useLogOut } from "../../session.ts";

const READS = { reads: ["GET /users/@me/sessions"] };

export function SessionsSection() {
  const list = useAccountApi("GET /users/@me/sessions", {});
  const sessions = list.data?.sessions ?? [];
  const others = sessions.filter(({ current }) => !current).length;
  const endAll = useAccountChange("DELETE /users/@me/sessions", { ...READS, showsErrors: true });
  const ask = () =>
    confirm({
      title: `End ${formatCount(others, "other session")}?`,
      action: "End",
      children: <>They are logged out at once. This one stays.</>,
      act: async () => {
        await endAll.mutateAsync({});
        toast.done("Your other sessions have ended");
      },
    });
  return (
    <Section
      title="Sessions"
      about="Where you are logged in. If you do not recognise a session, end it and change your password."
      actions={
        others > 0 && (
          <Button variant="default" size="xs" onClick={ask}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={list}>
        {() => (
          <Rows label="Sessions">
            {sessions.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Rows>
        )}
      </Loaded>
    </Section>
  );
}

function SessionRow({ session }: { session: UserSession }) {
  const { id, device, createdAt, lastUsedAt, current } = session;
  const logOut = useLogOut();
  const [, navigate] = useLocation();
  const end = useAccountChange("DELETE /users/@me/sessions/{id}", {
    ...READS,
    onSuccess: () => toast.done(`The session in ${device} has ended`),
  });
  const leave = async () => {
    await logOut();
    navigate("/log-in");
  };
  return (
    <Row
      name={device}
      badge={
        current && (
          <Status status="current" tone="fine">
            This one
          </Status>
        )
      }
      about={
        <>
          Used <Time at={lastUsedAt} />, since <Time at={createdAt} />
        </>
      }
      actions={
        current ? (
          <Button variant="subtle" color="gray" size="xs" onClick={() => void leave()}>
            Log out
          </Button>
        ) : (
          <Button
            variant="subtle"
            color="red"
            size="xs"
            loading={end.isPending}
            onClick={() => end.mutate({ path: { id } })}
            aria-label={`End the session in ${device}`}
          >
            End
          </Button>
        )
      }
    />
  );
}
