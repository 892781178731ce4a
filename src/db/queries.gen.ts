// Generated from sql/queries by `bun run sql:types`. Do not edit.
import type { Db, Fragment, Json, JsonArg } from "./types.ts";

type On = { sql: Db };

export interface Queries {
  audience: {
    /** Gives the rest of this transaction memory for hash tables over the events of one name: beside an OR, Postgres looks
     * events up contact by contact when it expects the table not to fit.
     * (sql/queries/audience.sql:1) */
    allowHashing(on: On): Promise<number>;
    /** How many contacts satisfy a compiled condition.
     * (sql/queries/audience.sql:6) */
    countMatching(on: On, args: { projectId: string; audience: Fragment }): Promise<{ total: number }>;
    /** Ids of the contacts that satisfy a compiled condition, in id order, after `after_id`.
     * (sql/queries/audience.sql:13) */
    matching(on: On, args: { projectId: string; afterId: string | null; audience: Fragment; limit: number }): Promise<{ id: string }[]>;
  };
  bulkJobs: {
    /** (sql/queries/bulk_jobs.sql:1) */
    insert(on: On, args: { projectId: string; jobId: string; operation: "subscribe" | "unsubscribe" | "delete"; contactIds: string[] | null; filter: JsonArg | null; excludeIds: string[] }): Promise<number>;
    /** The report, without the ids.
     * (sql/queries/bulk_jobs.sql:6) */
    byId(on: On, args: { projectId: string; jobId: string }): Promise<{ id: string; operation: "subscribe" | "unsubscribe" | "delete"; state: "waiting" | "active" | "completed" | "failed"; contactCount: number | null; successCount: number; unchangedCount: number; failureCount: number; errors: Json; failedReason: string | null; createdAt: Date; finishedAt: Date | null } | null>;
    /** Marks a job as under way, also one that a crash has left so. Null when it is done.
     * (sql/queries/bulk_jobs.sql:14) */
    begin(on: On, args: { projectId: string; jobId: string }): Promise<{ contactIds: string[] | null; filter: Json | null; excludeIds: string[]; contactCount: number | null } | null>;
    /** (sql/queries/bulk_jobs.sql:21) */
    counted(on: On, args: { contactCount: number; projectId: string; jobId: string }): Promise<number>;
    /** Locks a job and tells how far it has come. Null when it is done.
     * (sql/queries/bulk_jobs.sql:26) */
    hold(on: On, args: { projectId: string; jobId: string }): Promise<{ operation: "subscribe" | "unsubscribe" | "delete"; contactIds: string[] | null; filter: Json | null; excludeIds: string[]; afterId: string | null; failureCount: number } | null>;
    /** The contacts that were there when the job was made, and that its filter and its segment let through.
     * (sql/queries/bulk_jobs.sql:33) */
    countMatching(on: On, args: { projectId: string; jobId: string; excludeIds: string[]; filter: Fragment; audience: Fragment }): Promise<{ total: number }>;
    /** The next of them, in the order of their ids. Those that come while the job runs are not among them: it ends.
     * (sql/queries/bulk_jobs.sql:45) */
    matching(on: On, args: { projectId: string; afterId: string | null; jobId: string; excludeIds: string[]; filter: Fragment; audience: Fragment; limit: number }): Promise<{ id: string }[]>;
    /** Subscribes or unsubscribes contacts. Answers those that there are, and which of them it changed: each change is
     * told once, also when two jobs meet. The rows are locked in the order of `contacts.upsert_many`.
     * (sql/queries/bulk_jobs.sql:61) */
    setSubscribed(on: On, args: { projectId: string; contactIds: string[]; subscribed: boolean }): Promise<{ id: string; isChanged: boolean }[]>;
    /** Adds what became of the contacts up to `after_id`, which the holder of the lock has worked on.
     * (sql/queries/bulk_jobs.sql:86) */
    advance(on: On, args: { afterId: string; changed: number; unchanged: number; failed: number; errors: JsonArg; projectId: string; jobId: string }): Promise<number>;
    /** (sql/queries/bulk_jobs.sql:97) */
    complete(on: On, args: { projectId: string; jobId: string }): Promise<number>;
    /** A job that cannot be done. It stays so.
     * (sql/queries/bulk_jobs.sql:102) */
    fail(on: On, args: { reason: string; projectId: string; jobId: string }): Promise<number>;
  };
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
  contactDeletion: {
    /** The ledger outlives the contact: who it was is forgotten (the address becomes a hash that only the same address of
     * the same project has), what became of the mail is kept, and what has not gone out does not go out.
     * (sql/queries/contact_deletion.sql:1) */
    partWithEmails(on: On, args: { projectId: string; contactIds: string[] }): Promise<number>;
    /** Locks contacts, in the order of `contacts.upsert_many`. From now on nobody adds a mail for one of them.
     * (sql/queries/contact_deletion.sql:19) */
    hold(on: On, args: { projectId: string; contactIds: string[] }): Promise<{ id: string }[]>;
    /** (sql/queries/contact_deletion.sql:27) */
    deleteMany(on: On, args: { projectId: string; contactIds: string[] }): Promise<{ id: string }[]>;
  };
  contactFields: {
    /** The values of one key, the most frequent first. Null and what is no plain value is left out.
     * (sql/queries/contact_fields.sql:1) */
    values(on: On, args: { key: string; source: Fragment; projectId: string; pattern: string | null; limit: number }): Promise<{ value: Json }[]>;
    /** Removes a key from up to `limit` contacts that have it, in the order of their ids, after `after_id`.
     * (sql/queries/contact_fields.sql:15) */
    remove(on: On, args: { projectId: string; afterId: string; key: string; limit: number }): Promise<{ id: string }[]>;
  };
  contactImports: {
    /** (sql/queries/contact_imports.sql:1) */
    insert(on: On, args: { projectId: string; importId: string; dryRun: boolean }): Promise<number>;
    /** (sql/queries/contact_imports.sql:5) */
    addPiece(on: On, args: { projectId: string; importId: string; position: number; deflated: Uint8Array }): Promise<number>;
    /** The report.
     * (sql/queries/contact_imports.sql:9) */
    byId(on: On, args: { projectId: string; importId: string }): Promise<{ id: string; state: "waiting" | "active" | "completed" | "failed"; dryRun: boolean; rowCount: number | null; rowsDone: number; createdCount: number; updatedCount: number; failureCount: number; errors: Json; failedReason: string | null; createdAt: Date; finishedAt: Date | null } | null>;
    /** Marks an import as under way, also one that a crash has left so. Null when it is done.
     * (sql/queries/contact_imports.sql:17) */
    begin(on: On, args: { projectId: string; importId: string }): Promise<{ dryRun: boolean; rowCount: number | null; rowsDone: number; failureCount: number } | null>;
    /** A piece of the file, counted from 0. Null after its end, and when the file is gone.
     * (sql/queries/contact_imports.sql:24) */
    piece(on: On, args: { projectId: string; importId: string; position: number }): Promise<{ deflated: Uint8Array } | null>;
    /** The file can be read to its end.
     * (sql/queries/contact_imports.sql:30) */
    counted(on: On, args: { rowCount: number; projectId: string; importId: string }): Promise<number>;
    /** Locks an import that stands at this row. Null when another process has taken it further, or it is done.
     * (sql/queries/contact_imports.sql:36) */
    hold(on: On, args: { projectId: string; importId: string; rowsDone: number }): Promise<{ id: string } | null>;
    /** Adds what became of the rows after `rows_done`. 0 when another process has taken the import further.
     * (sql/queries/contact_imports.sql:43) */
    advance(on: On, args: { rows: number; created: number; updated: number; failed: number; errors: JsonArg; projectId: string; importId: string; rowsDone: number }): Promise<number>;
    /** An import that stands at its last row is done, and its file is dropped.
     * (sql/queries/contact_imports.sql:54) */
    complete(on: On, args: { projectId: string; importId: string; rowsDone: number }): Promise<number>;
    /** An import that cannot be done. It stays so, and its file is dropped.
     * (sql/queries/contact_imports.sql:66) */
    fail(on: On, args: { reason: string; projectId: string; importId: string }): Promise<number>;
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
    /** Marks these contacts as not wanting mail, and unsubscribes them. `was_subscribed` says for which of them that is a
     * change of the subscription. Rows are locked in the order that the upsert has, and no harder than it does, so that
     * they cannot deadlock.
     * (sql/queries/contacts.sql:40) */
    optOutMany(on: On, args: { projectIds: string[]; contactIds: string[] }): Promise<{ projectId: string; id: string; wasSubscribed: boolean }[]>;
    /** (sql/queries/contacts.sql:58) */
    byId(on: On, args: { projectId: string; contactId: string }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** Changes one contact. `sets` and `deletes` merge into its data, unless `clear_data`. Null when it does not exist.
     * (sql/queries/contacts.sql:63) */
    patch(on: On, args: { email: string | null; subscribed: boolean | null; clearData: boolean; sets: JsonArg; deletes: JsonArg; projectId: string; contactId: string }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; wasSubscribed: boolean } | null>;
    /** Which of these addresses there are.
     * (sql/queries/contacts.sql:85) */
    among(on: On, args: { projectId: string; emails: string[] }): Promise<{ email: string }[]>;
    /** One page of contacts, in the order and after the place that the cursor says. `sort_key` is what the next cursor
     * holds: a time as text, because a Date would lose its microseconds.
     * (sql/queries/contacts.sql:91) */
    list(on: On, args: { sortKey: Fragment; projectId: string; filter: Fragment; after: Fragment; direction: Fragment; limit: number }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; sortKey: string }[]>;
    /** (sql/queries/contacts.sql:106) */
    countMatchingSearch(on: On, args: { projectId: string; filter: Fragment }): Promise<{ total: number }>;
    /** The part of a sample of contacts that matches. `percent` of the table's blocks are read.
     * (sql/queries/contacts.sql:112) */
    sampleMatchingSearch(on: On, args: { filter: Fragment; percent: number; projectId: string }): Promise<{ seen: number; matching: number }>;
  };
  contents: {
    /** Whether its mails are followed is settled here, by the project's setting of this moment.
     * (sql/queries/contents.sql:1) */
    insert(on: On, args: { id: string; subject: string; html: string; text: string | null; fromEmail: string; fromName: string | null; replyTo: string | null; headers: JsonArg | null; data: JsonArg | null; templateId: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; shared: boolean; projectId: string }): Promise<number>;
    /** Adds the attachments of a content. `rows` holds `{filename, content_type, cid?, disposition, content}`, the
     * content in base64 as the request carried it.
     * (sql/queries/contents.sql:14) */
    attach(on: On, args: { projectId: string; contentId: string; rows: JsonArg }): Promise<number>;
    /** The attachments of these contents, in the order of the request.
     * (sql/queries/contents.sql:24) */
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
    /** Adds mails to the ledger. `rows` holds `{id, contact_id, address, to_name?}`; they share one content. The caller has
     * just written the contacts, so none of them can be deleted meanwhile.
     * (sql/queries/emails.sql:1) */
    insertMany(on: On, args: { projectId: string; contentId: string; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; templateId: string | null; now: Date; rows: JsonArg }): Promise<number>;
    /** One turn of a delivering process: writes the outcomes of the mails that it sent, with the events and the retries that
     * follow from them, and takes the next mails, all in one commit. Either half may be empty.
     * 
     * `outcomes` holds `{project_id, id, status, message_id, error, at, retry_at, event_id, event, event_data}`. A row that
     * was taken away meanwhile (a lease that ran out) keeps what the newer owner wrote, unless it is still in doubt: then
     * the word of the one who was there settles it.
     * 
     * A claim is SENDING, committed, before a socket is written to. Left out is what another process has, what was sent
     * already, and what belongs to a disabled project. Answers everything that sending needs; where nothing was taken, one
     * row without an id, because the retries must be counted to be made.
     * (sql/queries/emails.sql:12) */
    turn(on: On, args: { outcomes: JsonArg; workerId: string; now: Date; projectIds: string[]; ids: string[] }): Promise<{ projectId: string | null; id: string | null; contactId: string | null; contentId: string | null; address: string; toName: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; attempts: number; queuedAt: Date; subscribed: boolean | null; optedOutAt: Date | null; contactData: Json | null; subject: string | null; html: string | null; text: string | null; fromEmail: string | null; fromName: string | null; replyTo: string | null; headers: Json | null; requestData: Json | null; templateId: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; hasAttachments: boolean }[]>;
    /** Gives back mails that this process claimed and never began to send, as when it is told to stop.
     * (sql/queries/emails.sql:111) */
    putBack(on: On, args: { projectIds: string[]; ids: string[]; workerId: string }): Promise<{ projectId: string; id: string }[]>;
    /** What a dead process had in flight: nobody knows whether it was sent, so the ledger says so.
     * (sql/queries/emails.sql:120) */
    doubtDead(on: On, args: { now: Date; workerIds: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** What has been held since `before` by a process that is not in the table of workers.
     * (sql/queries/emails.sql:127) */
    doubtOrphans(on: On, args: { now: Date; before: Date }): Promise<{ projectId: string; id: string }[]>;
    /** Settles what has been in doubt since `before`, as the project wants it: sent again, or kept as it is for good.
     * (sql/queries/emails.sql:136) */
    settleDoubts(on: On, args: { now: Date; before: Date; limit: number }): Promise<{ projectId: string; id: string; status: "PENDING" | "SENDING" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED" }[]>;
    /** Mails that have been due since `before` and whose job is lost, as when a project was disabled meanwhile. They get
     * a new job; moving `due_at` keeps a long queue from being enqueued again at each sweep.
     * (sql/queries/emails.sql:155) */
    requeueOverdue(on: On, args: { now: Date; before: Date; limit: number }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/emails.sql:171) */
    byId(on: On, args: { projectId: string; emailId: string }): Promise<{ id: string; contactId: string | null; campaignId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; status: "PENDING" | "SENDING" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; messageId: string | null; attempts: number; error: string | null; queuedAt: Date; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; opens: number; clicks: number } | null>;
    /** One page of mails, after the place where the cursor stands. The filter is one of a closed set.
     * (sql/queries/emails.sql:178) */
    list(on: On, args: { projectId: string; after: Fragment; filter: Fragment; direction: Fragment; limit: number }): Promise<{ id: string; contactId: string | null; campaignId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; status: "PENDING" | "SENDING" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; messageId: string | null; attempts: number; error: string | null; queuedAt: Date; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; opens: number; clicks: number }[]>;
    /** How many mails the filter lets through, as far as `up_to`.
     * (sql/queries/emails.sql:193) */
    count(on: On, args: { projectId: string; filter: Fragment; upTo: number }): Promise<{ total: number }>;
    /** What a process has held since `before`, by the ledger's word.
     * (sql/queries/emails.sql:204) */
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
  segmentCandidates: {
    /** Takes up to `limit` contacts whose memberships may have changed. They are gone when the transaction commits.
     * (sql/queries/segment_candidates.sql:1) */
    take(on: On, args: { projectId: string; limit: number }): Promise<{ contactId: string }[]>;
    /** Contacts whose memberships may have changed without a change of their own, as when a list is edited.
     * (sql/queries/segment_candidates.sql:16) */
    note(on: On, args: { projectId: string; contactIds: string[] }): Promise<number>;
    /** Projects with contacts that nobody has looked at, and projects that track a segment.
     * (sql/queries/segment_candidates.sql:20) */
    projects(on: On): Promise<{ projectId: string }[]>;
    /** What is left of projects that track nothing any more.
     * (sql/queries/segment_candidates.sql:29) */
    purge(on: On): Promise<number>;
    /** Projects with contacts that are still to be looked at.
     * (sql/queries/segment_candidates.sql:36) */
    waiting(on: On): Promise<{ projectId: string }[]>;
  };
  segmentMembers: {
    /** One page of the members, the newest contacts first.
     * (sql/queries/segment_members.sql:1) */
    page(on: On, args: { projectId: string; audience: Fragment; limit: number; offset: number }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date }[]>;
    /** Adds the contacts that match and are no members yet, and records the event of each, in one statement. With
     * `contact_ids` it looks at those only.
     * (sql/queries/segment_members.sql:11) */
    enter(on: On, args: { segmentId: string; now: Date; projectId: string; contactIds: string[] | null; audience: Fragment; event: string; eventData: JsonArg }): Promise<{ added: number }>;
    /** Removes the members that match no more, and records the event of each, in one statement.
     * (sql/queries/segment_members.sql:40) */
    exit(on: On, args: { projectId: string; segmentId: string; contactIds: string[] | null; audience: Fragment; event: string; eventData: JsonArg; now: Date }): Promise<{ removed: number }>;
    /** Adds contacts to a static segment. Answers only those that were none before.
     * (sql/queries/segment_members.sql:61) */
    add(on: On, args: { projectId: string; segmentId: string; now: Date; emails: string[] }): Promise<{ contactId: string }[]>;
    /** Removes contacts from a static segment. Answers only those that were members.
     * (sql/queries/segment_members.sql:72) */
    remove(on: On, args: { projectId: string; segmentId: string; emails: string[] }): Promise<{ contactId: string }[]>;
  };
  segments: {
    /** (sql/queries/segments.sql:1) */
    list(on: On, args: { projectId: string }): Promise<{ id: string; name: string; slug: string; description: string | null; type: "DYNAMIC" | "STATIC"; condition: Json | null; trackMembership: boolean; memberCount: number; projectId: string; createdAt: Date; updatedAt: Date }[]>;
    /** (sql/queries/segments.sql:8) */
    byId(on: On, args: { projectId: string; segmentId: string }): Promise<{ id: string; name: string; slug: string; description: string | null; type: "DYNAMIC" | "STATIC"; condition: Json | null; trackMembership: boolean; memberCount: number; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** The segment, held until the end of the transaction: memberships of one segment are computed one after another.
     * (sql/queries/segments.sql:14) */
    lock(on: On, args: { projectId: string; segmentId: string }): Promise<{ id: string; name: string; slug: string; type: "DYNAMIC" | "STATIC"; condition: Json | null; trackMembership: boolean } | null>;
    /** Segments of one project are made and changed one after another: slugs stay unique, and no two conditions that are
     * saved at once can lead to each other.
     * (sql/queries/segments.sql:21) */
    lockAll(on: On, args: { projectId: string }): Promise<number>;
    /** What every segment of the project is made of: conditions may refer to any of them.
     * (sql/queries/segments.sql:29) */
    conditions(on: On, args: { projectId: string }): Promise<{ id: string; type: "DYNAMIC" | "STATIC"; condition: Json | null }[]>;
    /** A slug that is taken gets the next free number behind it. Two at once meet at the unique constraint.
     * (sql/queries/segments.sql:35) */
    insert(on: On, args: { projectId: string; name: string; slug: string; description: string | null; type: "DYNAMIC" | "STATIC"; condition: JsonArg | null; trackMembership: boolean }): Promise<{ id: string }>;
    /** (sql/queries/segments.sql:58) */
    patch(on: On, args: { name: string | null; setDescription: boolean; description: string | null; condition: JsonArg | null; trackMembership: boolean | null; projectId: string; segmentId: string }): Promise<number>;
    /** (sql/queries/segments.sql:69) */
    setCount(on: On, args: { memberCount: number; projectId: string; segmentId: string }): Promise<number>;
    /** (sql/queries/segments.sql:74) */
    remove(on: On, args: { projectId: string; segmentId: string }): Promise<number>;
    /** The other segments whose condition names this one; an id may be written in either case.
     * (sql/queries/segments.sql:78) */
    referringTo(on: On, args: { projectId: string; segmentId: string; field: string }): Promise<{ id: string; name: string }[]>;
    /** The segments whose condition names this field of contacts, or a path below it.
     * (sql/queries/segments.sql:87) */
    referringToField(on: On, args: { projectId: string; field: string }): Promise<{ id: string; name: string }[]>;
    /** The dynamic segments whose membership is kept up, of one project or of all. Outdated is one that was never worked out,
     * or not since its condition changed.
     * (sql/queries/segments.sql:97) */
    tracked(on: On, args: { projectId: string | null }): Promise<{ projectId: string; id: string; outdated: boolean }[]>;
    /** Counts the stored members of a segment that is held, and notes that its membership is worked out.
     * (sql/queries/segments.sql:108) */
    countStored(on: On, args: { projectId: string; segmentId: string }): Promise<{ memberCount: number }>;
    /** The membership of this tracked segment, and of those that may refer to it, has to be worked out anew.
     * (sql/queries/segments.sql:119) */
    outdate(on: On, args: { projectId: string; segmentId: string }): Promise<number>;
    /** The segments that keep any of these contacts as members.
     * (sql/queries/segments.sql:128) */
    holding(on: On, args: { projectId: string; contactIds: string[] }): Promise<{ segmentId: string }[]>;
    /** Counts the stored members of a segment that is held, after contacts were deleted.
     * (sql/queries/segments.sql:134) */
    recount(on: On, args: { projectId: string; segmentId: string }): Promise<number>;
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
