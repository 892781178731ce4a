import { Elysia } from "elysia";
import type { Context } from "../context.ts";

export function inboxRoutes(_ctx: Context) {
  return new Elysia();
}
