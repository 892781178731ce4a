// A quiet line while the service does not answer.
import { useSyncExternalStore } from "react";
import { connection } from "../connection.ts";
import classes from "./connection_banner.module.css";

/** Appears when contact is lost, and goes away by itself when it is there again. */
export function ConnectionBanner() {
  const isLost = useSyncExternalStore(connection.subscribe, connection.isLost);
  return (
    <div role="status" className={isLost ? classes.banner : undefined}>
      {isLost && "No connection to the service. What you see may be out of date; trying again…"}
    </div>
  );
}
