// Generated from sql/queries by `bun run sql:types`. Do not edit.
import type { Db, Fragment, Json, JsonArg } from "./types.ts";

type On = { sql: Db };

export interface Queries {
  capturedMails: {
    /** (sql/queries/captured_mails.sql:1) */
    insert(on: On, args: { fromAddress: string; toAddress: string; subject: string; source: Uint8Array }): Promise<{ id: string }>;
    /** The newest first; with `after_id` only what came since.
     * (sql/queries/captured_mails.sql:6) */
    list(on: On, args: { afterId: string | null; limit: number }): Promise<{ id: string; fromAddress: string; toAddress: string; subject: string; capturedAt: Date }[]>;
    /** (sql/queries/captured_mails.sql:15) */
    byId(on: On, args: { id: string }): Promise<{ id: string; fromAddress: string; toAddress: string; subject: string; source: Uint8Array; capturedAt: Date } | null>;
    /** Keeps the newest `keep` mails.
     * (sql/queries/captured_mails.sql:20) */
    prune(on: On, args: { keep: number }): Promise<number>;
    /** (sql/queries/captured_mails.sql:25) */
    clear(on: On): Promise<number>;
  };
  contactCounts: {
    /** How many contacts have each field, by type; under the field '' how many there are, by subscription.
     * (sql/queries/contact_counts.sql:1) */
    byProject(on: On, args: { projectId: string }): Promise<{ field: string; type: string; contacts: number }[]>;
    /** Adds up to `limit` deltas to the counts. Several processes may fold at once: each takes other deltas.
     * (sql/queries/contact_counts.sql:17) */
    fold(on: On, args: { limit: number }): Promise<number>;
    /** How many contacts a project has, by subscription.
     * (sql/queries/contact_counts.sql:45) */
    total(on: On, args: { projectId: string }): Promise<{ subscribed: number; unsubscribed: number }>;
  };
  contactFields: {
    /** The values of one key, the most frequent first. Null and what is no plain value is left out.
     * (sql/queries/contact_fields.sql:1) */
    values(on: On, args: { key: string; source: Fragment; projectId: string; pattern: string | null; limit: number }): Promise<{ value: Json }[]>;
    /** Removes a key from up to `limit` contacts that have it, in the order of their ids, after `after_id`.
     * (sql/queries/contact_fields.sql:15) */
    remove(on: On, args: { projectId: string; afterId: string; key: string; limit: number }): Promise<{ id: string }[]>;
  };
  contacts: {
    /** Creates contacts, or merges into those that have the address already. `rows` holds
     * `{project_id, email, subscribed, sets}`, each address once; `changes` holds, by `<project_id> <email>`, what an
     * existing row needs besides: `{subscribed?, deletes?}`. They are looked up there because ON CONFLICT sees
     * nothing but the row it could not insert. The rows are locked in one order, so that two calls cannot deadlock.
     * `was_subscribed` is null for a contact that is new.
     * (sql/queries/contacts.sql:1) */
    upsertMany(on: On, args: { rows: JsonArg; changes: JsonArg }): Promise<{ projectId: string; id: string; email: string; subscribed: boolean; wasSubscribed: boolean | null; optedOutAt: Date | null }[]>;
    /** Which of these addresses belong to contacts who do not want mail any more.
     * (sql/queries/contacts.sql:34) */
    optedOut(on: On, args: { projectId: string; emails: string[] }): Promise<{ email: string }[]>;
    /** Unsubscribes these contacts. Answers only those that were subscribed, so that the event is written once.
     * (sql/queries/contacts.sql:40) */
    optOutMany(on: On, args: { projectIds: string[]; contactIds: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/contacts.sql:54) */
    byId(on: On, args: { projectId: string; contactId: string }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** Changes one contact. `sets` and `deletes` merge into its data, unless `clear_data`. Null when it does not exist.
     * (sql/queries/contacts.sql:59) */
    patch(on: On, args: { email: string | null; subscribed: boolean | null; clearData: boolean; sets: JsonArg; deletes: JsonArg; projectId: string; contactId: string }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; wasSubscribed: boolean } | null>;
    /** Which of these addresses there are.
     * (sql/queries/contacts.sql:81) */
    among(on: On, args: { projectId: string; emails: string[] }): Promise<{ email: string }[]>;
    /** One page of contacts, in the order and after the place that the cursor says. `sort_key` is what the next cursor
     * holds: a time as text, because a Date would lose its microseconds.
     * (sql/queries/contacts.sql:87) */
    list(on: On, args: { sortKey: Fragment; projectId: string; filter: Fragment; after: Fragment; direction: Fragment; limit: number }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; sortKey: string }[]>;
    /** (sql/queries/contacts.sql:102) */
    countMatchingSearch(on: On, args: { projectId: string; filter: Fragment }): Promise<{ total: number }>;
    /** The part of a sample of contacts that matches. `percent` of the table's blocks are read.
     * (sql/queries/contacts.sql:108) */
    sampleMatchingSearch(on: On, args: { filter: Fragment; percent: number; projectId: string }): Promise<{ seen: number; matching: number }>;
  };
  contents: {
    /** (sql/queries/contents.sql:1) */
    insert(on: On, args: { projectId: string; id: string; subject: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; headers: JsonArg | null; data: JsonArg | null; templateId: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" }): Promise<number>;
    /** Adds the attachments of a content. `rows` holds `{filename, content_type, cid?, disposition, content}`, the
     * content in base64 as the request carried it.
     * (sql/queries/contents.sql:8) */
    attach(on: On, args: { projectId: string; contentId: string; rows: JsonArg }): Promise<number>;
    /** The attachments of these contents, in the order of the request.
     * (sql/queries/contents.sql:18) */
    attachments(on: On, args: { projectIds: string[]; contentIds: string[] }): Promise<{ projectId: string; contentId: string; filename: string; contentType: string; cid: string | null; disposition: string; content: Uint8Array }[]>;
  };
  domains: {
    /** The domain, when this project may send from it.
     * (sql/queries/domains.sql:1) */
    verified(on: On, args: { projectId: string; domain: string }): Promise<{ domain: string } | null>;
    /** For the operator and the first start: a domain that is trusted without a look at the DNS.
     * (sql/queries/domains.sql:7) */
    addVerified(on: On, args: { projectId: string; domain: string }): Promise<{ id: string; domain: string }>;
  };
  emails: {
    /** Adds mails to the ledger. `rows` holds `{id, contact_id, address, to_name?}`; they share one content.
     * (sql/queries/emails.sql:1) */
    insertMany(on: On, args: { projectId: string; contentId: string; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; now: Date; rows: JsonArg }): Promise<number>;
    /** Takes mails for this process: SENDING is committed before a socket is written to. What another process has, what
     * was sent already and what belongs to a disabled project is left out. Answers everything that sending needs.
     * (sql/queries/emails.sql:11) */
    claim(on: On, args: { workerId: string; now: Date; projectIds: string[]; ids: string[] }): Promise<{ projectId: string; id: string; contactId: string | null; contentId: string | null; address: string; toName: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; attempts: number; queuedAt: Date; subscribed: boolean | null; optedOutAt: Date | null; contactData: Json | null; subject: string | null; html: string | null; fromEmail: string | null; fromName: string | null; replyTo: string | null; headers: Json | null; requestData: Json | null; templateId: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; hasAttachments: boolean }[]>;
    /** Writes the outcomes of mails that this process holds, with the events and the retries that follow from them, in
     * one statement. `rows` holds `{project_id, id, status, message_id, error, at, retry_at, event_id, event, event_data}`.
     * A row that was taken away meanwhile (a lease that ran out) keeps what the newer owner wrote, unless it is still
     * in doubt: then the word of the one who was there settles it. Answers the rows that were written.
     * (sql/queries/emails.sql:59) */
    settle(on: On, args: { rows: JsonArg; workerId: string }): Promise<{ projectId: string; id: string; contactId: string | null; status: "PENDING" | "SENDING" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; retries: number }[]>;
    /** Gives back mails that this process claimed and never began to send, as when it is told to stop.
     * (sql/queries/emails.sql:108) */
    putBack(on: On, args: { projectIds: string[]; ids: string[]; workerId: string }): Promise<{ projectId: string; id: string }[]>;
    /** What a dead process had in flight: nobody knows whether it was sent, so the ledger says so.
     * (sql/queries/emails.sql:117) */
    doubtDead(on: On, args: { now: Date; workerIds: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** What has been held since `before` by a process that is not in the table of workers.
     * (sql/queries/emails.sql:124) */
    doubtOrphans(on: On, args: { now: Date; before: Date }): Promise<{ projectId: string; id: string }[]>;
    /** Settles what has been in doubt since `before`, as the project wants it: sent again, or kept as it is for good.
     * (sql/queries/emails.sql:133) */
    settleDoubts(on: On, args: { now: Date; before: Date; limit: number }): Promise<{ projectId: string; id: string; status: "PENDING" | "SENDING" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED" }[]>;
    /** Mails that have been due since `before` and whose job is lost, as when a project was disabled meanwhile. They get
     * a new job; moving `due_at` keeps a long queue from being enqueued again at each sweep.
     * (sql/queries/emails.sql:152) */
    requeueOverdue(on: On, args: { now: Date; before: Date; limit: number }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/emails.sql:168) */
    byId(on: On, args: { projectId: string; emailId: string }): Promise<{ id: string; contactId: string | null; campaignId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; status: "PENDING" | "SENDING" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; messageId: string | null; attempts: number; error: string | null; queuedAt: Date; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; opens: number; clicks: number } | null>;
    /** The newest mails first, after the one the cursor stands on. The filter is one of a closed set.
     * (sql/queries/emails.sql:175) */
    list(on: On, args: { projectId: string; beforeId: string | null; filter: Fragment; limit: number }): Promise<{ id: string; contactId: string | null; campaignId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; status: "PENDING" | "SENDING" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; messageId: string | null; attempts: number; error: string | null; queuedAt: Date; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; opens: number; clicks: number }[]>;
    /** (sql/queries/emails.sql:189) */
    count(on: On, args: { projectId: string; filter: Fragment }): Promise<{ total: number }>;
    /** What a process has held since `before`, by the ledger's word.
     * (sql/queries/emails.sql:195) */
    heldBy(on: On, args: { workerId: string; before: Date }): Promise<{ projectId: string; id: string }[]>;
  };
  events: {
    /** Records events. `rows` holds `{project_id, id, contact_id?, email_id?, name, data}`.
     * (sql/queries/events.sql:1) */
    insertMany(on: On, args: { now: Date; rows: JsonArg }): Promise<number>;
  };
  idempotencyKeys: {
    /** Claims the key for the request of this transaction. Null when it is in use: another request that holds it is
     * waited for, and if that one fails, the key is free again. An expired key is claimed anew.
     * (sql/queries/idempotency_keys.sql:1) */
    claim(on: On, args: { projectId: string; key: string; request: string; now: Date; expiresAt: Date }): Promise<{ key: string } | null>;
    /** Keeps the answer beside the key, for whoever repeats the request.
     * (sql/queries/idempotency_keys.sql:16) */
    answer(on: On, args: { statusCode: number; response: JsonArg; projectId: string; key: string }): Promise<number>;
    /** (sql/queries/idempotency_keys.sql:22) */
    byKey(on: On, args: { projectId: string; key: string }): Promise<{ key: string; request: string; statusCode: number | null; response: Json | null; createdAt: Date } | null>;
    /** Deletes expired keys, at most `limit` at a time. They count for nothing since they expired.
     * (sql/queries/idempotency_keys.sql:27) */
    purge(on: On, args: { now: Date; limit: number }): Promise<number>;
  };
  jobs: {
    /** Enqueues a job in the transaction that is open: it exists if and only if that one commits. A job with the same
     * key replaces the one that still waits.
     * (sql/queries/jobs.sql:1) */
    add(on: On, args: { task: string; payload: JsonArg; runAt: Date | null; maxAttempts: number | null; key: string | null }): Promise<number>;
    /** Enqueues one job per payload; all of them run as soon as they can.
     * (sql/queries/jobs.sql:13) */
    addMany(on: On, args: { task: string; payloads: JsonArg }): Promise<number>;
    /** Gives back the jobs that these dead pools of workers held.
     * (sql/queries/jobs.sql:20) */
    forceUnlock(on: On, args: { pools: string[] }): Promise<number>;
  };
  projects: {
    /** The projects of these public keys. Asked for every request: a rotated key fails on the next one.
     * (sql/queries/projects.sql:1) */
    byPublicKeys(on: On, args: { keys: string[] }): Promise<{ key: string; id: string; disabled: boolean; disabledReason: string | null }[]>;
    /** The projects of these secret keys, by their SHA-256 in hex.
     * (sql/queries/projects.sql:11) */
    bySecretHashes(on: On, args: { hashes: string[] }): Promise<{ key: string; id: string; disabled: boolean; disabledReason: string | null }[]>;
    /** (sql/queries/projects.sql:21) */
    insert(on: On, args: { id: string; name: string; publicKey: string; secretHash: Uint8Array; secretHint: string }): Promise<{ id: string; name: string; createdAt: Date }>;
    /** (sql/queries/projects.sql:26) */
    count(on: On): Promise<{ total: number }>;
    /** For the operator: every project, oldest first.
     * (sql/queries/projects.sql:29) */
    list(on: On): Promise<{ id: string; name: string; publicKey: string; secretHint: string; disabledAt: Date | null; disabledReason: string | null; createdAt: Date }[]>;
    /** 0 when it does not exist or was disabled before. Mail that waits is held, not lost.
     * (sql/queries/projects.sql:36) */
    disable(on: On, args: { reason: string | null; projectId: string }): Promise<number>;
    /** (sql/queries/projects.sql:43) */
    enable(on: On, args: { projectId: string }): Promise<number>;
    /** So that only one process makes the first project.
     * (sql/queries/projects.sql:48) */
    lockAll(on: On): Promise<number>;
  };
  rateLimits: {
    /** Takes requests from the current minute of several projects at once. `used` is what all processes took, this
     * one included. A clock that is behind joins the newer minute instead of opening the old one again.
     * (sql/queries/rate_limits.sql:1) */
    take(on: On, args: { minute: number; projectIds: string[]; requests: number[] }): Promise<{ projectId: string; minute: number; used: number }[]>;
  };
  session: {
    /** Ends any statement of this transaction that takes longer, with SQLSTATE 57014.
     * (sql/queries/session.sql:1) */
    limitTime(on: On, args: { ms: string }): Promise<{ timeout: string }>;
  };
  templates: {
    /** (sql/queries/templates.sql:1) */
    byId(on: On, args: { projectId: string; templateId: string }): Promise<{ id: string; name: string; subject: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" } | null>;
    /** (sql/queries/templates.sql:6) */
    insert(on: On, args: { projectId: string; name: string; description: string | null; subject: string; body: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" }): Promise<{ id: string; name: string; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" }>;
  };
  workers: {
    /** The heartbeat of a process that takes jobs; the first one registers it, and so does the one after it was taken
     * for dead. `lock_id` is the advisory lock that it holds while it lives.
     * (sql/queries/workers.sql:1) */
    beat(on: On, args: { id: string; host: string; pid: number; pools: string[] }): Promise<{ lockId: number }>;
    /** Takes the lock of this process, unless this connection has it. Postgres frees it when the process is gone, however
     * it went.
     * (sql/queries/workers.sql:10) */
    holdLock(on: On, args: { lockId: number }): Promise<number>;
    /** Processes that are gone: silent for 10 s with their connection closed, or silent for 30 s (frozen, or cut off).
     * They leave the table in the same transaction that settles what they held, so one survivor does it once.
     * (sql/queries/workers.sql:20) */
    buryDead(on: On, args: { self: string }): Promise<{ id: string; pools: string[] }[]>;
    /** A process that ended in order.
     * (sql/queries/workers.sql:37) */
    leave(on: On, args: { id: string }): Promise<number>;
    /** Whether any process takes jobs.
     * (sql/queries/workers.sql:41) */
    alive(on: On): Promise<{ total: number }>;
  };
}
