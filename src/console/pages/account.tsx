// The account that is logged in: it belongs to no project.
import { Button, Text } from "@mantine/core";
import { Link } from "wouter";
import { lastProject } from "../last_project.ts";
import { BrandIcon, LeftIcon, LogOutIcon } from "../parts/icons.tsx";
import { PageHeader } from "../parts/page_header.tsx";
import { Sections } from "../parts/section.tsx";
import { Loaded } from "../parts/states.tsx";
import { useAccountApi } from "../queries.ts";
import { useLogOut, useProjects } from "../session.ts";
import { AddressSection } from "./account/address.tsx";
import { DeleteSection } from "./account/delete.tsx";
import { NameSection } from "./account/name.tsx";
import { PasswordSection } from "./account/password.tsx";
import { Proofs } from "../parts/proof.tsx";
import { TwoFactorSection } from "./account/two_factor.tsx";
import { SessionsSection } from "./account/sessions.tsx";
import classes from "./account/account.module.css";

/** `/account`, beside the projects. */
export default function AccountPage() {
  const user = useAccountApi("GET /users/@me", {});
  const logOut = useLogOut();
  return (
    <div className={classes.frame}>
      <header className={classes.bar}>
        <Link href="/" className={classes.brand!}>
          <BrandIcon />
          Postrider
        </Link>
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          leftSection={<LogOutIcon size={15} />}
          onClick={() => void logOut()}
        >
          Log out
        </Button>
      </header>
      <main className={classes.main}>
        <Back />
        <PageHeader title="Account" about={user.data && `You are logged in as ${user.data.email}.`} />
        <Loaded query={user}>
          {(me) => (
            <Sections>
              <NameSection me={me} />
              <AddressSection me={me} />
              <PasswordSection me={me} />
              <TwoFactorSection me={me} />
              <SessionsSection />
              <DeleteSection me={me} />
            </Sections>
          )}
        </Loaded>
      </main>
      <Proofs />
      <div id="announcements" className="for-readers" role="status" aria-live="polite" />
    </div>
  );
}

/** To the project that was opened last. */
function Back() {
  const { data: projects = [] } = useProjects();
  const last = projects.find(({ id }) => id === lastProject()) ?? projects[0];
  return (
    <Text size="sm" component="div" mb={4}>
      <Link href={last ? `/p/${last.id}` : "/"} className={classes.back!}>
        <LeftIcon size={14} />
        {last?.name ?? "Back"}
      </Link>
    </Text>
  );
}
