// Who is logged in, how the console looks, and the way out.
import { ActionIcon, type MantineColorScheme, Menu, Text, useMantineColorScheme } from "@mantine/core";
import { Link } from "wouter";
import { BASE } from "../api.ts";
import { leave } from "../leaving.ts";
import { APP } from "../place.ts";
import { useFeatures, useLogOut, useSession } from "../session.ts";
import { MenuButton } from "./menu_button.tsx";
import { CheckIcon, GuideIcon, KeyboardIcon, LogOutIcon, MailIcon, PersonIcon } from "./icons.tsx";

const SCHEMES: { value: MantineColorScheme; label: string }[] = [
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
  { value: "auto", label: "System" },
];

/** The button, and what is behind it. */
export function UserMenu({ showKeys }: { showKeys: () => void }) {
  return (
    <MenuButton
      width={252}
      button={(opener) => (
        <ActionIcon {...opener} size="lg" radius="xl" variant="default" aria-label="Account">
          <PersonIcon size={17} />
        </ActionIcon>
      )}
    >
      <Entries showKeys={showKeys} />
    </MenuButton>
  );
}

function Entries({ showKeys }: { showKeys: () => void }) {
  const email = useSession().data?.user?.email;
  const logOut = useLogOut();
  const features = useFeatures();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Text size="sm" px="sm" py={6} style={{ overflowWrap: "anywhere" }}>
        {email}
      </Text>
      <Menu.Label>Colours</Menu.Label>
      {SCHEMES.map(({ value, label }) => (
        <Menu.RadioItem
          key={value}
          value={value}
          checked={value === colorScheme}
          checkIcon={<CheckIcon size={14} />}
          onChange={() => setColorScheme(value)}
        >
          {label}
        </Menu.RadioItem>
      ))}
      <Menu.Divider />
      <Menu.Item component={Link} href={`~${APP}/account`} leftSection={<PersonIcon size={16} />}>
        Account
      </Menu.Item>
      <Menu.Item leftSection={<KeyboardIcon size={16} />} onClick={showKeys}>
        Keys
      </Menu.Item>
      <Menu.Item
        component="a"
        href={`${BASE}/docs`}
        target="_blank"
        rel="noreferrer"
        leftSection={<GuideIcon size={16} />}
      >
        Guides
      </Menu.Item>
      {features && !features.smtp && (
        <Menu.Item
          component="a"
          href={`${BASE}/inbox`}
          target="_blank"
          rel="noreferrer"
          leftSection={<MailIcon size={16} />}
        >
          Inbox of captured mails
        </Menu.Item>
      )}
      <Menu.Item leftSection={<LogOutIcon size={16} />} onClick={() => leave(logOut)}>
        Log out
      </Menu.Item>
    </>
  );
}
