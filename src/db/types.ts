import type postgres from "postgres";

/** The pool, or the transaction that is in progress. */
export type Db = postgres.ISql;

/** A piece of SQL with its own values, made with a tagged template. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

/** What a `json` or `jsonb` column holds. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** What a `json` or `jsonb` parameter takes: anything that `JSON.stringify` writes. */
export type JsonArg = object | string | number | boolean;
