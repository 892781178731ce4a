// How keys are shown.
import { Kbd, Modal } from "@mantine/core";
import { useFirstOpening } from "./first_opening.ts";
import { useShortcuts, writtenKeys } from "./shortcuts.ts";
import classes from "./keys.module.css";

/** `g` `c`. */
export function Keys({ keys }: { keys: string }) {
  return (
    <span className={classes.keys}>
      {writtenKeys(keys).map((key) => (
        <Kbd key={key}>{key}</Kbd>
      ))}
    </span>
  );
}

/** The list that `?` shows: all keys that do something where one is. */
export function KeysDialog({ isOpen: isWanted, close }: { isOpen: boolean; close: () => void }) {
  const { isDrawn, isOpen } = useFirstOpening(isWanted);
  if (!isDrawn) return null;
  return (
    <Modal opened={isOpen} onClose={close} title="Keys" size="lg">
      <AllKeys />
    </Modal>
  );
}

function AllKeys() {
  const shortcuts = useShortcuts();
  const groups = Map.groupBy(shortcuts, ({ group }) => group);
  return (
    <div className={classes.groups}>
      {[...groups].map(([group, keys]) => (
        <section key={group}>
          <h3 className={classes.group}>{group}</h3>
          <dl className={classes.list}>
            {keys.map((shortcut) => (
              <div key={shortcut.keys + shortcut.label}>
                <dt>{shortcut.label}</dt>
                <dd>
                  <Keys keys={shortcut.keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
