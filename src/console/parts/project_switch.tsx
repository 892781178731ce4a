// Which project one is in, and the way to another.
import { Menu } from "@mantine/core";
import { useLocation } from "wouter";
import { placeOf, APP, useProject } from "../place.ts";
import { useProjects } from "../session.ts";
import { MenuButton } from "./menu_button.tsx";
import { AddIcon, CheckIcon, ChooseIcon, TestIcon } from "./icons.tsx";
import classes from "./project_switch.module.css";

/** The present project, as a button that shows the others. */
export function ProjectSwitch() {
  const project = useProject();
  return (
    <MenuButton
      position="bottom-start"
      width={232}
      className={classes.list}
      button={(opener) => (
        <button {...opener} type="button" className={classes.button}>
          <span className={classes.sign} aria-hidden="true">
            {project.name.slice(0, 1).toUpperCase()}
          </span>
          <span className={classes.name}>
            <span className="for-readers">Project: </span>
            {project.name}
          </span>
          <ChooseIcon size={15} />
        </button>
      )}
    >
      <Projects />
    </MenuButton>
  );
}

function Projects() {
  const { data: projects = [] } = useProjects();
  const [, navigate] = useLocation();
  const { id: here, sandbox, sandboxOf } = useProject();
  const present = sandboxOf ?? here;
  return (
    <>
      {projects.map(({ id, name }) => (
        <Menu.Item
          key={id}
          onClick={() => navigate(`~${placeOf(id)}`)}
          rightSection={id === present ? <CheckIcon size={15} /> : null}
        >
          {name}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item
        leftSection={<TestIcon size={15} />}
        // Without a sandbox: where it is made.
        onClick={() =>
          navigate(`~${sandbox ? placeOf(sandbox.id) : placeOf(present, sandboxOf ? "/" : "/keys#test")}`)
        }
      >
        {sandboxOf ? "Leave test mode" : "Test mode"}
      </Menu.Item>
      <Menu.Item leftSection={<AddIcon size={15} />} onClick={() => navigate(`~${APP}/new-project`)}>
        New project
      </Menu.Item>
    </>
  );
}
