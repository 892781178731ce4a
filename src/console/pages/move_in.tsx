// Moving in from another service: where from, and what was moved before.
import { Alert, Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import { Link } from "wouter";
import type { Move } from "../api.gen.ts";
import { BASE } from "../api.ts";
import { formatCount } from "../parts/format.ts";
import { InfoIcon, RightIcon } from "../parts/icons.tsx";
import { More } from "../parts/more.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Loaded } from "../parts/states.tsx";
import { Status } from "../parts/status.tsx";
import { Time } from "../parts/time.tsx";
import { useUrlState } from "../place.ts";
import { useApiPages } from "../queries.ts";
import { AccessForm } from "./move_in/access_form.tsx";
import { NewFiles } from "./move_in/files.tsx";
import { isSource, named, type Source, SOURCES } from "./move_in/sources.ts";
import { isOpen, stateOf } from "./move_in/state.ts";
import { Steps } from "./move_in/steps.tsx";
import classes from "./move_in/move_in.module.css";

const SETTINGS = { label: "Settings", to: "/settings" };
const OTHERS = { label: "Other services", to: "/move-in" };

/** `/move-in`, and with `?from=plunk` what that service needs. */
export default function MoveInPage() {
  const [{ from }] = useUrlState({ from: "" });
  return isSource(from) ? <From key={from} source={from} /> : <WhereFrom />;
}

function WhereFrom() {
  const list = useApiPages("GET /moves", { query: { limit: 20 } });
  const moves = list.data?.pages.flatMap(({ data }) => data);
  const open = moves?.find(isOpen);
  const past = moves?.filter((move) => !isOpen(move));
  return (
    <div className={classes.page}>
      <PageHeader
        title="Move in"
        back={SETTINGS}
        about={
          <>
            Brings what another service has of you. You see what would come before anything is changed.{" "}
            <a href={`${BASE}/docs/guides/moving`} target="_blank" rel="noreferrer">
              What comes, and how
            </a>
          </>
        }
      />
      <Steps at={0} />
      {open && <GoOn move={open} />}
      <ul className={classes.cards} aria-label="Services">
        {Object.entries(SOURCES).map(([source, { name, about }]) => (
          <li key={source}>
            <Link href={`/move-in?from=${source}`} className={classes.card!}>
              <span>
                <strong>{name}</strong>
                <span className={classes.faded}>{about}</span>
              </span>
              <RightIcon size={16} />
            </Link>
          </li>
        ))}
      </ul>
      <p className={classes.quiet}>
        From elsewhere, <Link href="/imports">import contacts</Link> from a CSV file, and who has unsubscribed
        or bounced as <Link href="/suppressions">suppressions</Link>.
      </p>
      <section aria-labelledby="past-moves">
        <h2 className={classes.heading} id="past-moves">
          Past moves
        </h2>
        <Loaded query={{ ...list, data: past }}>
          {(all) =>
            all.length === 0 ? (
              <p className={classes.quiet}>None yet.</p>
            ) : (
              <>
                <ul className={classes.list} aria-label="Past moves">
                  {all.map((move) => (
                    <Past key={move.id} move={move} />
                  ))}
                </ul>
                <More query={list}>Older moves</More>
              </>
            )
          }
        </Loaded>
      </section>
    </div>
  );
}

/** A project takes in one service at a time. */
function GoOn({ move }: { move: Move }) {
  return (
    <Alert
      color="gray"
      variant="light"
      icon={<InfoIcon size={16} />}
      title={`The move from ${named(move.from)} has not ended`}
      mb="md"
    >
      <p className={classes.alertWords}>Finish it or cancel it before you begin another one.</p>
      <Button component={Link} href={`/move-in/${move.id}`} size="xs" variant="default">
        Go on with it
      </Button>
    </Alert>
  );
}

function Past({ move }: { move: Move }) {
  const { id, from, createdAt, createdBy, moved } = move;
  const { status, label } = stateOf(move);
  return (
    <li className={classes.item}>
      <div className={classes.itemWords}>
        <Link href={`/move-in/${id}`}>{SOURCES[from].name}</Link>
        <div className={classes.faded}>
          {moved
            ? `${formatCount(moved.contacts.created, "new contact")}, by ${createdBy}`
            : `By ${createdBy}`}
        </div>
      </div>
      <Status status={status}>{label}</Status>
      <span className={classes.when}>
        <Time at={createdAt} />
      </span>
    </li>
  );
}

function From({ source }: { source: Source }) {
  const { how, by } = SOURCES[source];
  const open = useApiPages("GET /moves", { query: { limit: 20 } }).data?.pages[0]?.data.find(isOpen);
  // What was pressed has gone with the cards.
  const head = useRef<HTMLParagraphElement>(null);
  useEffect(() => head.current?.focus({ preventScroll: true }), []);
  return (
    <div className={classes.page}>
      <PageHeader title={`Move in from ${named(source)}`} back={OTHERS} />
      <Steps at={0} />
      {open && <GoOn move={open} />}
      <p className={classes.how} tabIndex={-1} ref={head}>
        {how}
      </p>
      {by === "files" ? <NewFiles source={source} /> : <AccessForm source={source} />}
    </div>
  );
}
