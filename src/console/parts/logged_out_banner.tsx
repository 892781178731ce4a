// A quiet line where the session has ended while somebody writes.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { APP } from "../place.ts";
import { SESSION_KEY } from "../queries.ts";
import classes from "./connection_banner.module.css";

/** Goes away by itself when somebody has logged in, in another window. */
export function LoggedOutBanner() {
  const cache = useQueryClient();
  useEffect(() => {
    const look = () => void cache.invalidateQueries({ queryKey: SESSION_KEY });
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [cache]);
  return (
    <div role="status" className={classes.banner}>
      You are logged out. What you have written is still here.{" "}
      <a href={`${APP}/log-in`} target="_blank" rel="noreferrer">
        Log in in another window
      </a>
      , then go on.
    </div>
  );
}
