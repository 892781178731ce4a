// Generated from sql/queries by `bun run sql:types`. Do not edit.
import type { Db, Fragment, Json, JsonArg } from "./types.ts";

type On = { sql: Db; patienceMs?: number };

export interface Queries {
  accountTokens: {
    /** Null when this user was sent `allowed` of them since `since`: a mailbox is not filled by asking again and again.
     * (sql/queries/account_tokens.sql:1) */
    insert(on: On, args: { tokenHash: Uint8Array; userId: string; purpose: "VERIFY_EMAIL" | "RESET_PASSWORD" | "REMOVE_ACCOUNT" | "CHANGE_EMAIL"; now: Date; expiresAt: Date; newEmail: string | null; since: Date; allowed: number }): Promise<{ userId: string } | null>;
    /** Whose token this is, if `use` would take it; `proven` as in `users.sql`.
     * (sql/queries/account_tokens.sql:13) */
    owner(on: On, args: { tokenHash: Uint8Array; purpose: "VERIFY_EMAIL" | "RESET_PASSWORD" | "REMOVE_ACCOUNT" | "CHANGE_EMAIL"; now: Date }): Promise<{ id: string; email: string; emailVerifiedAt: Date | null; createdAt: Date; hasPassword: boolean; newEmail: string | null; proven: boolean } | null>;
    /** What this token is for, whatever that is, and whose; `proven` as in `users.sql`. It is left to be used.
     * (sql/queries/account_tokens.sql:22) */
    about(on: On, args: { tokenHash: Uint8Array; now: Date }): Promise<{ purpose: "VERIFY_EMAIL" | "RESET_PASSWORD" | "REMOVE_ACCOUNT" | "CHANGE_EMAIL"; email: string; newEmail: string | null; userId: string | null; verified: boolean; proven: boolean; hasPassword: boolean } | null>;
    /** Whose token this is, locked for the rest of the transaction: two tokens of one person are used one after another.
     * Null when it is unknown, used, expired, or for another purpose.
     * (sql/queries/account_tokens.sql:32) */
    holdOwner(on: On, args: { tokenHash: Uint8Array; purpose: "VERIFY_EMAIL" | "RESET_PASSWORD" | "REMOVE_ACCOUNT" | "CHANGE_EMAIL"; now: Date }): Promise<{ id: string } | null>;
    /** A token works once; using it uses up all others of its user for the same purpose. Null when one of them was used in
     * the meantime.
     * (sql/queries/account_tokens.sql:41) */
    use(on: On, args: { userId: string; purpose: "VERIFY_EMAIL" | "RESET_PASSWORD" | "REMOVE_ACCOUNT" | "CHANGE_EMAIL"; tokenHash: Uint8Array }): Promise<{ used: boolean } | null>;
    /** Every token of a user.
     * (sql/queries/account_tokens.sql:53) */
    drop(on: On, args: { userId: string }): Promise<number>;
    /** No token for this purpose that was mailed until now is good any more. The rows stay: they count how many were mailed.
     * (sql/queries/account_tokens.sql:58) */
    expire(on: On, args: { userId: string; purpose: "VERIFY_EMAIL" | "RESET_PASSWORD" | "REMOVE_ACCOUNT" | "CHANGE_EMAIL" }): Promise<number>;
    /** The address that is to become that of a user, once a mail to it is answered.
     * (sql/queries/account_tokens.sql:64) */
    pendingEmail(on: On, args: { userId: string; now: Date }): Promise<{ newEmail: string; expiresAt: Date } | null>;
    /** (sql/queries/account_tokens.sql:72) */
    purge(on: On, args: { before: Date; limit: number }): Promise<number>;
  };
  activity: {
    /** The next items of the feed, newest first. `key` is the place of an item in the order of time; `kind` and `id`
     * break ties. Only items not before `since` and after a given place are read: the place has the key `before`, and for
     * each kind the ids that items with this key must be below. The key of an event is its id. `sources` says which parts
     * are read at all; each reads no more than a page, by an index.
     * (sql/queries/activity.sql:1) */
    page(on: On, args: { projectId: string; since: string; before: string; sources: string[]; names: string[]; limit: number; startedBelow: string; completedBelow: string; sentBelow: string; scheduledBelow: string }): Promise<{ kind: number; key: string; id: string }[]>;
    /** The same for one contact, which has few executions. Where it has many events, those from `recent` on are looked for first.
     * (sql/queries/activity.sql:66) */
    pageOfContact(on: On, args: { sources: string[]; projectId: string; contactId: string; since: string; before: string; recent: string; names: string[]; limit: number; startedBelow: string; completedBelow: string }): Promise<{ kind: number; key: string; id: string }[]>;
  };
  activityItems: {
    /** What the feed shows of events, which lie between the first and the last of these ids. Everything is looked up one by
     * one, whatever the planner estimates. Expired events are not found.
     * (sql/queries/activity_items.sql:1) */
    events(on: On, args: { ids: string[]; projectId: string; firstId: string; lastId: string }): Promise<{ id: string; name: string; data: Json; bot: boolean; emailId: string | null; contactId: string | null; contactEmail: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN" | null; error: string | null; subject: string | null; fromEmail: string | null; campaignName: string | null; workflowName: string | null }[]>;
    /** (sql/queries/activity_items.sql:55) */
    campaigns(on: On, args: { projectId: string; ids: string[] }): Promise<{ id: string; name: string }[]>;
    /** (sql/queries/activity_items.sql:60) */
    executions(on: On, args: { ids: string[]; projectId: string }): Promise<{ id: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; exitReason: string | null; workflowId: string; workflowName: string; contactId: string | null; contactEmail: string | null }[]>;
  };
  activityStats: {
    /** Every event of some days (UTC), both among them.
     * (sql/queries/activity_stats.sql:1) */
    events(on: On, args: { projectId: string; firstDay: string; lastDay: string }): Promise<{ events: number }>;
    /** Every execution that began on these days.
     * (sql/queries/activity_stats.sql:6) */
    executions(on: On, args: { projectId: string; firstDay: string; lastDay: string }): Promise<{ executions: number }>;
    /** How many items the feed has from a place on; of each kind no more than `up_to` are counted.
     * (sql/queries/activity_stats.sql:11) */
    countSince(on: On, args: { projectId: string; since: string; upTo: number }): Promise<{ count: number }>;
  };
  activityTypes: {
    /** Which of these names events have, by the counters; whether there are events of other names, and what else the feed
     * has. The order makes each an index look-up, whatever the planner estimates about the project's share of a table.
     * (sql/queries/activity_types.sql:1) */
    present(on: On, args: { projectId: string; names: string[] }): Promise<{ names: string[]; isTriggered: boolean; isScheduled: boolean; isSent: boolean; isStarted: boolean; isCompleted: boolean }>;
  };
  activityUpcoming: {
    /** What is to happen until then, next first: scheduled campaigns, and executions that continue by themselves.
     * (sql/queries/activity_upcoming.sql:1) */
    list(on: On, args: { projectId: string; until: Date; limit: number }): Promise<{ type: string; at: Date; id: string; campaignName: string | null; workflowId: string | null; workflowName: string | null; stepName: string | null; stepType: string | null; contactId: string | null; contactEmail: string | null }[]>;
  };
  apart: {
    /** The recipient domains of those of these mails that are still to be sent, but for those that wait apart: they come back by
     * themselves, and those whose time has not come. By their keys, as in `settle_and_claim`.
     * (sql/queries/apart.sql:4) */
    recipients(on: On, args: { projectIds: string[]; ids: string[]; now: Date }): Promise<{ projectId: string; id: string; domain: string; contentId: string | null }[]>;
    /** Mails whose domain has no capacity wait apart, without a job, until `come_back` fetches them. For a domain that
     * accepts no mail, one of `failing`, this starts the day in which the mail is retried.
     * (sql/queries/apart.sql:20) */
    setApart(on: On, args: { failing: string[]; now: Date; projectIds: string[]; ids: string[] }): Promise<number>;
    /** Fetches mails that wait apart, up to `counts` for each of these domains: single mails first, then those that were
     * tried first (a greylisting server must see the same mail again), then the oldest; and `lasts` from the other end, so
     * that it is not always the same mails that try a domain. The row says who has fetched it, until it is claimed.
     * (sql/queries/apart.sql:35) */
    comeBack(on: On, args: { domains: string[]; counts: number[]; lasts: number[]; now: Date; workerId: string }): Promise<{ projectId: string; id: string; campaignId: string | null; contentId: string | null; domain: string }[]>;
    /** What these processes have fetched and not begun to send waits apart again: they are gone, or do not know that they have it. Not
     * what they have `kept`, or fetched since `before`. It has no job, but for what was given another time: that comes by itself. What
     * nobody may send, as of a disabled project, is let go of: apart it would be fetched again and again, before what is behind it.
     * The sweep of overdue mails brings it.
     * (sql/queries/apart.sql:72) */
    returnFetched(on: On, args: { workerIds: string[]; before: Date | null; kept: string[]; now: Date }): Promise<number>;
    /** Mails that this process has fetched, and that have a job now.
     * (sql/queries/apart.sql:100) */
    letGo(on: On, args: { projectIds: string[]; ids: string[]; workerId: string }): Promise<number>;
    /** Domains behind this one for which mails wait apart, in order; each costs one look into the index.
     * (sql/queries/apart.sql:108) */
    apartDomains(on: On, args: { after: string; limit: number }): Promise<{ domain: string }[]>;
    /** Mails that were sent to wait apart before it was known that their domain accepts none: from now on they are retried for a day.
     * (sql/queries/apart.sql:131) */
    beginApart(on: On, args: { domain: string; limit: number; now: Date }): Promise<number>;
    /** Ends mails that have waited apart since `before` for a domain that accepts no mail.
     * (sql/queries/apart.sql:148) */
    giveUpApart(on: On, args: { domain: string; before: Date; limit: number; now: Date; error: string }): Promise<number>;
  };
  audience: {
    /** Gives the rest of this transaction memory for hash tables over the events of one name. Beside an OR, Postgres looks
     * up events contact by contact when it expects the table not to fit. Nor may it keep rows to compare each contact with all of
     * them: that is what it plans for members that it has no statistics of yet, and 40,000 new ones took 28 s among 200,000
     * contacts, where a hash table takes 0.2.
     * (sql/queries/audience.sql:1) */
    allowHashing(on: On): Promise<number>;
    /** How many contacts match a compiled condition.
     * (sql/queries/audience.sql:8) */
    countMatching(on: On, args: { projectId: string; audience: Fragment }): Promise<{ total: number }>;
    /** Ids of the contacts that match a compiled condition, in id order, after `after_id`.
     * (sql/queries/audience.sql:15) */
    matching(on: On, args: { projectId: string; afterId: string | null; audience: Fragment; limit: number }): Promise<{ id: string }[]>;
    /** How many contacts match a compiled condition, and how many of them are subscribed.
     * (sql/queries/audience.sql:27) */
    countReachable(on: On, args: { projectId: string; audience: Fragment }): Promise<{ count: number; reachable: number }>;
    /** Whether each of some compiled filters holds for a contact.
     * (sql/queries/audience.sql:34) */
    answers(on: On, args: { answers: Fragment; projectId: string; contactId: string }): Promise<{ answers: boolean[] } | null>;
    /** Which of these campaigns and templates the project has, or had: there are mails of one that was deleted. Each is looked up
     * by itself, whatever Postgres believes about the size of the project.
     * (sql/queries/audience.sql:41) */
    knownSources(on: On, args: { campaignIds: string[]; projectId: string; templateIds: string[] }): Promise<{ id: string }[]>;
    /** How often events happened to a contact, counted to `up_to`, and when last: of a name, ever or since a time, and of mails of one
     * campaign or template only. Opens and clicks by bots are not the contact's.
     * (sql/queries/audience.sql:62) */
    happened(on: On, args: { asked: { n: number; name: string; since: Date | string | null | undefined; campaign_id: string | null | undefined; template_id: string | null | undefined }[]; projectId: string; contactId: string; now: Date; upTo: number }): Promise<{ n: number; count: number; lastAt: Date | null }[]>;
    /** How many contacts match a compiled condition whose address is on the suppression list: the shorter of the two lists
     * leads.
     * (sql/queries/audience.sql:83) */
    countSuppressed(on: On, args: { projectId: string; audience: Fragment }): Promise<{ total: number }>;
    /** Of a sample of contacts: how many match a compiled condition, how many of these are subscribed, and whose address is on
     * the suppression list. `percent` of the table's blocks are read, the same each time, and one contact in `one_in`.
     * Materialized: the condition would otherwise be evaluated for each of the four results.
     * (sql/queries/audience.sql:92) */
    sampleReach(on: On, args: { audience: Fragment; projectId: string; percent: number; oneIn: number }): Promise<{ seen: number; matching: number; subscribed: number; suppressed: number; subscribedSuppressed: number }>;
    /** Some of the contacts who match a compiled condition, from `percent` of the table's blocks, in an order that has to do
     * with nothing.
     * (sql/queries/audience.sql:113) */
    sampleIds(on: On, args: { percent: number; projectId: string; audience: Fragment; limit: number }): Promise<{ id: string }[]>;
    /** Of some contacts, how many have no value, or an empty one, at each of some paths. `names` holds `{name, path}`.
     * (sql/queries/audience.sql:123) */
    missingValues(on: On, args: { names: { name: string; path: unknown }[]; projectId: string; ids: string[] }): Promise<{ name: string; missing: number }[]>;
  };
  audit: {
    /** Lines of the log, in the order of their ids.
     * (sql/queries/audit.sql:1) */
    record(on: On, args: { now: Date; actorKind: "USER" | "KEY" | "OPERATOR" | "SERVICE"; actorUserId: string | null; actorName: string | null; lines: { project_id: string; id: string; action: string; subject: string | null | undefined; details: JsonArg | null | undefined }[] }): Promise<number>;
    /** The newest first, after the line `after_id`.
     * (sql/queries/audit.sql:10) */
    list(on: On, args: { projectId: string; afterId: string | null; limit: number }): Promise<{ id: string; at: Date; actorKind: "USER" | "KEY" | "OPERATOR" | "SERVICE"; actorUserId: string | null; actorName: string | null; action: string; subject: string | null; details: Json }[]>;
    /** (sql/queries/audit.sql:19) */
    total(on: On, args: { projectId: string }): Promise<{ total: number }>;
  };
  billing: {
    /** The account of a project, if it has none yet.
     * (sql/queries/billing.sql:1) */
    open(on: On, args: { projectId: string }): Promise<number>;
    /** (sql/queries/billing.sql:9) */
    account(on: On, args: { projectId: string }): Promise<{ customerId: string | null; subscriptionId: string | null; status: string | null; isLive: boolean; periodEndsAt: Date | null; cancelsAt: Date | null; endedAt: Date | null; version: number; checkouts: number } | null>;
    /** (sql/queries/billing.sql:14) */
    byCustomer(on: On, args: { customerId: string }): Promise<{ projectId: string } | null>;
    /** 0 when somebody else was first.
     * (sql/queries/billing.sql:19) */
    setCustomer(on: On, args: { customerId: string; now: Date; projectId: string; version: number }): Promise<number>;
    /** Stores what was read at Stripe; null when somebody else has written since `version`. Returns whether it was live
     * before.
     * (sql/queries/billing.sql:25) */
    save(on: On, args: { customerId: string | null; subscriptionId: string | null; status: string | null; periodEndsAt: Date | null; cancelsAt: Date | null; endedAt: Date | null; now: Date; projectId: string; version: number }): Promise<{ wasLive: boolean; isLive: boolean } | null>;
    /** The next checkout is another one.
     * (sql/queries/billing.sql:48) */
    countCheckout(on: On, args: { projectId: string; checkouts: number }): Promise<number>;
  };
  bulkJobs: {
    /** (sql/queries/bulk_jobs.sql:1) */
    insert(on: On, args: { projectId: string; jobId: string; operation: "subscribe" | "unsubscribe" | "delete" | "add" | "remove"; contactIds: string[] | null; filter: JsonArg | null; excludeIds: string[]; segmentId: string | null }): Promise<number>;
    /** The report, without the ids.
     * (sql/queries/bulk_jobs.sql:6) */
    byId(on: On, args: { projectId: string; jobId: string }): Promise<{ id: string; operation: "subscribe" | "unsubscribe" | "delete" | "add" | "remove"; state: "waiting" | "active" | "completed" | "failed"; contactCount: number | null; successCount: number; unchangedCount: number; failureCount: number; errors: Json; failedReason: string | null; createdAt: Date; finishedAt: Date | null } | null>;
    /** Marks a job as in progress, also one that a crash has left so. Null when it is done.
     * (sql/queries/bulk_jobs.sql:14) */
    begin(on: On, args: { projectId: string; jobId: string }): Promise<{ contactIds: string[] | null; filter: Json | null; excludeIds: string[]; contactCount: number | null } | null>;
    /** (sql/queries/bulk_jobs.sql:21) */
    counted(on: On, args: { contactCount: number; projectId: string; jobId: string }): Promise<number>;
    /** Locks a job and tells how far it has come. Null when it is done.
     * (sql/queries/bulk_jobs.sql:26) */
    hold(on: On, args: { projectId: string; jobId: string }): Promise<{ operation: "subscribe" | "unsubscribe" | "delete" | "add" | "remove"; contactIds: string[] | null; filter: Json | null; excludeIds: string[]; segmentId: string | null; afterId: string | null; failureCount: number } | null>;
    /** The contacts that were there when the job was made, and that its filter lets through.
     * (sql/queries/bulk_jobs.sql:33) */
    countMatching(on: On, args: { projectId: string; jobId: string; excludeIds: string[]; filter: Fragment }): Promise<{ total: number }>;
    /** The next of them, in the order of their ids. Those that come while the job runs are not among them: it ends.
     * (sql/queries/bulk_jobs.sql:43) */
    matching(on: On, args: { projectId: string; afterId: string | null; jobId: string; excludeIds: string[]; filter: Fragment; limit: number }): Promise<{ id: string }[]>;
    /** (sql/queries/bulk_jobs.sql:57) */
    existing(on: On, args: { projectId: string; contactIds: string[] }): Promise<{ id: string }[]>;
    /** Subscribes or unsubscribes contacts. Returns those that exist, and which of them it changed: each change is reported
     * once, even when two jobs overlap. Rows are locked in the order of `contacts.upsert_many`.
     * (sql/queries/bulk_jobs.sql:62) */
    setSubscribed(on: On, args: { projectId: string; contactIds: string[]; subscribed: boolean }): Promise<{ id: string; isChanged: boolean }[]>;
    /** Adds what happened to the contacts up to `after_id`, which the holder of the lock has worked on.
     * (sql/queries/bulk_jobs.sql:87) */
    advance(on: On, args: { afterId: string; changed: number; unchanged: number; failed: number; errors: JsonArg; projectId: string; jobId: string }): Promise<number>;
    /** (sql/queries/bulk_jobs.sql:98) */
    complete(on: On, args: { projectId: string; jobId: string }): Promise<number>;
    /** A job that cannot be done. It stays so.
     * (sql/queries/bulk_jobs.sql:103) */
    fail(on: On, args: { reason: string; projectId: string; jobId: string }): Promise<number>;
  };
  campaignLinks: {
    /** The links of a campaign that people followed, the most followed first.
     * (sql/queries/campaign_links.sql:1) */
    list(on: On, args: { projectId: string; campaignId: string; limit: number }): Promise<{ link: string; clicks: number; firstClicks: number }[]>;
    /** Adds up to `limit` deltas to the counts.
     * (sql/queries/campaign_links.sql:17) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
    /** What happened to the mails of a campaign, hour by hour (UTC): the hours in which something did.
     * (sql/queries/campaign_links.sql:52) */
    series(on: On, args: { projectId: string; since: Date; until: Date; campaignId: string }): Promise<{ hour: Date; sent: number; delivered: number; opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number }[]>;
  };
  campaignRanking: {
    /** Those that were sent, the best first by a metric: of equals the larger one, then the newer one.
     * (sql/queries/campaign_ranking.sql:4) */
    top(on: On, args: { projectId: string; metric: string; limit: number }): Promise<{ id: string; name: string; subject: string; sentCount: number; openedCount: number; clickedCount: number }[]>;
    /** All campaigns of a project. Under way are those that are scheduled or being sent.
     * (sql/queries/campaign_ranking.sql:33) */
    total(on: On, args: { projectId: string }): Promise<{ total: number; active: number; completed: number; sent: number; opened: number; clicked: number }>;
  };
  campaignReasons: {
    /** Why mails of a campaign did not arrive, most frequent first, by the newest `sample` mails of each state. What differs
     * from mail to mail in the words of a server, addresses and ids, is left out, so that the same reason counts as one.
     * (sql/queries/campaign_reasons.sql:1) */
    list(on: On, args: { projectId: string; campaignId: string; sample: number; limit: number }): Promise<{ status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; reason: string; mails: number; example: string; seen: number }[]>;
  };
  campaignSend: {
    /** Until the commit no contact of the project is deleted: so no mail is made for one that is gone. A lock of each contact
     * would be written into a million rows.
     * (sql/queries/campaign_send.sql:1) */
    keepContacts(on: On, args: { projectId: string }): Promise<number>;
    /** The campaign while a snapshot of its audience is taken; null when that is done, or the campaign was cancelled.
     * (sql/queries/campaign_send.sql:6) */
    holdForSnapshot(on: On, args: { projectId: string; campaignId: string }): Promise<{ id: string; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; audience: Json | null; contentId: string; snapshotUpTo: string | null; sentAt: Date } | null>;
    /** Turns the next contacts of the audience into mails, in the order of their ids, moves the cursor past them and adds
     * the jobs that send them, all in one commit: each range is taken exactly once, and the next call continues after it.
     * Contacts created after the campaign was sent are not included. The first batches of every campaign are sent before
     * the later ones of any: a large campaign does not delay small ones. Mails beyond this month's limit are FAILED from
     * the start.
     * (sql/queries/campaign_send.sql:13) */
    snapshotRange(on: On, args: { projectId: string; afterId: string | null; sentAt: Date; audience: Fragment; limit: number; now: Date; contentId: string; campaignId: string; overLimit: string; batchSize: number }): Promise<{ added: number; enqueued: number }>;
    /** The whole audience is in the ledger.
     * (sql/queries/campaign_send.sql:104) */
    endSnapshot(on: On, args: { now: Date; projectId: string; campaignId: string }): Promise<{ name: string; snapshotCount: number; overLimitCount: number } | null>;
    /** After so many new rows the planner would use outdated statistics.
     * (sql/queries/campaign_send.sql:111) */
    analyze(on: On): Promise<number>;
    /** The mails of one batch that wait to be sent. By their ids and nothing else: before the next ANALYZE the planner would
     * rather walk through all pending ones. Some seconds ahead of their time, because the queue goes by another clock.
     * (sql/queries/campaign_send.sql:115) */
    batch(on: On, args: { projectId: string; fromId: string; toId: string; campaignId: string; now: Date; limit: number }): Promise<{ id: string; domain: string }[]>;
    /** Those of these mails of a campaign that wait to be sent, as in `batch`, each by its key.
     * (sql/queries/campaign_send.sql:129) */
    named(on: On, args: { ids: string[]; projectId: string; campaignId: string; now: Date; limit: number }): Promise<{ id: string; domain: string }[]>;
    /** Whether mails of a campaign may still be sent; null when it is gone.
     * (sql/queries/campaign_send.sql:146) */
    sendable(on: On, args: { projectId: string; campaignId: string }): Promise<{ sendable: boolean } | null>;
    /** Whether nothing of a campaign waits to be sent. What `finish` holds it for, and asks again, is left to that.
     * (sql/queries/campaign_send.sql:152) */
    seemsOver(on: On, args: { projectId: string; campaignId: string }): Promise<{ over: boolean } | null>;
    /** Until the commit these campaigns neither come to their end nor are cancelled.
     * (sql/queries/campaign_send.sql:168) */
    hold(on: On, args: { projectIds: string[]; ids: string[] }): Promise<number>;
    /** A campaign whose snapshot is complete and of whose mails none is open is SENT; a cancelled one is done. Open mails are
     * looked for from the newest: behind them there is nothing but rows that have been sent. What is in doubt is open where
     * the project wants it sent again. The caller holds it: a statement that waited here would go by the mails of before.
     * (sql/queries/campaign_send.sql:176) */
    finish(on: On, args: { now: Date; projectId: string; campaignId: string }): Promise<number>;
    /** Closes the mails of a cancelled or deleted campaign that have not been handed over. Mails being sent now
     * are left alone, and so are those that are about to be deleted anyway.
     * (sql/queries/campaign_send.sql:210) */
    suppress(on: On, args: { campaignId: string; projectId: string; limit: number }): Promise<number>;
    /** Campaigns on their way, or whose time has come, whose project may send; and whether a job of theirs exists that will
     * still be tried: without one they are stalled.
     * (sql/queries/campaign_send.sql:237) */
    unfinished(on: On, args: { now: Date }): Promise<{ projectId: string; id: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; hasSnapshot: boolean; hasJobs: boolean }[]>;
    /** While the mail server accepted no connections, waiting did not count as an attempt: the next due mails become due
     * again. Calling it again, from another process too, counts nothing twice. Returns the last mail that it checked.
     * (sql/queries/campaign_send.sql:254) */
    forgive(on: On, args: { afterCampaignId: string; after: Date; before: Date; limit: number; now: Date }): Promise<{ mails: number; campaignId: string | null; dueAt: Date | null }>;
    /** The first of these mails that can still be sent now: somebody else held it when the others were taken.
     * (sql/queries/campaign_send.sql:278) */
    left(on: On, args: { projectId: string; ids: string[]; now: Date }): Promise<{ id: string } | null>;
    /** Gives jobs to due mails that have none, batch by batch, oldest first. The period in which they are retried
     * restarts, as in `delivery.requeue_overdue`. It uses lists instead of joins: without statistics, as in a new database, a
     * join would compare every mail with every other.
     * (sql/queries/campaign_send.sql:288) */
    requeue(on: On, args: { campaignId: string; now: Date; projectId: string; limit: number; batchSize: number }): Promise<{ enqueued: number }>;
  };
  campaigns: {
    /** (sql/queries/campaigns.sql:1) */
    byId(on: On, args: { projectId: string; campaignId: string }): Promise<{ id: string; name: string; description: string | null; subject: string; preheader: string | null; body: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; audienceType: "ALL" | "SEGMENT" | "FILTERED"; segmentId: string | null; audienceCondition: Json | null; templateId: string | null; scheduledFor: Date | null; totalRecipients: number; sentCount: number; deliveredCount: number; openedCount: number; clickedCount: number; bouncedCount: number; complainedCount: number; unsubscribedCount: number; failedCount: number; capturedCount: number; processedCount: number; projectId: string; sentAt: Date | null; createdAt: Date; updatedAt: Date } | null>;
    /** One page, with bodies only if they are asked for. A project has hundreds of campaigns, and not millions: sorting them
     * all costs little.
     * (sql/queries/campaigns.sql:20) */
    list(on: On, args: { withBody: boolean; sort: string; dir: string; projectId: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED" | null; pattern: string | null; offset: number; limit: number }): Promise<{ id: string; name: string; description: string | null; subject: string; preheader: string | null; body: string | null; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; audienceType: "ALL" | "SEGMENT" | "FILTERED"; segmentId: string | null; audienceCondition: Json | null; templateId: string | null; scheduledFor: Date | null; totalRecipients: number; sentCount: number; deliveredCount: number; openedCount: number; clickedCount: number; bouncedCount: number; complainedCount: number; unsubscribedCount: number; failedCount: number; capturedCount: number; processedCount: number; projectId: string; sentAt: Date | null; createdAt: Date; updatedAt: Date }[]>;
    /** (sql/queries/campaigns.sql:62) */
    count(on: On, args: { projectId: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED" | null; pattern: string | null }): Promise<{ total: number }>;
    /** (sql/queries/campaigns.sql:70) */
    insert(on: On, args: { projectId: string; id: string; name: string; description: string | null; subject: string; preheader: string | null; body: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; audienceType: "ALL" | "SEGMENT" | "FILTERED"; segmentId: string | null; audienceCondition: JsonArg | null; templateId: string | null; totalRecipients: number }): Promise<number>;
    /** 0 when it does not exist, is past being changed, or has been changed since `unchanged_since`. Its time stays where that is
     * what it was.
     * (sql/queries/campaigns.sql:81) */
    replace(on: On, args: { name: string; description: string | null; subject: string; preheader: string | null; body: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; audienceType: "ALL" | "SEGMENT" | "FILTERED"; segmentId: string | null; audienceCondition: JsonArg | null; templateId: string | null; totalRecipients: number; projectId: string; id: string; unchangedSince: Date | null }): Promise<number>;
    /** A new draft with the content and the audience of another campaign, and nothing of its history. One whose segment is
     * gone reaches nobody.
     * (sql/queries/campaigns.sql:117) */
    duplicate(on: On, args: { maxName: number; suffix: string; projectId: string; campaignId: string }): Promise<{ id: string } | null>;
    /** Null when it does not exist, or is on its way.
     * (sql/queries/campaigns.sql:132) */
    remove(on: On, args: { projectId: string; campaignId: string }): Promise<{ hasOpenMails: boolean } | null>;
    /** The campaign, locked until the end of the transaction. A claim of its mails holds a weaker lock on it: the holder of
     * this lock has waited for all claims in progress.
     * (sql/queries/campaigns.sql:138) */
    lock(on: On, args: { projectId: string; campaignId: string }): Promise<{ id: string; name: string; subject: string; preheader: string | null; body: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; audienceType: "ALL" | "SEGMENT" | "FILTERED"; segmentId: string | null; audienceCondition: Json | null; templateId: string | null; scheduledFor: Date | null; contentId: string | null } | null>;
    /** (sql/queries/campaigns.sql:148) */
    schedule(on: On, args: { scheduledFor: Date; totalRecipients: number; now: Date; projectId: string; campaignId: string }): Promise<number>;
    /** From here on the snapshot of the audience is being taken. A scheduled campaign that is sent early is no longer
     * scheduled.
     * (sql/queries/campaigns.sql:153) */
    begin(on: On, args: { contentId: string; audience: JsonArg; now: Date; totalRecipients: number; projectId: string; campaignId: string }): Promise<number>;
    /** What else of the project was due before this one, and has not begun, in the order in which it was due.
     * (sql/queries/campaigns.sql:167) */
    dueBefore(on: On, args: { campaignId: string; projectId: string; now: Date; limit: number }): Promise<{ id: string }[]>;
    /** Back to a draft: somebody wants it so, or something that it needs to be sent is gone.
     * (sql/queries/campaigns.sql:179) */
    unschedule(on: On, args: { now: Date; projectId: string; campaignId: string }): Promise<number>;
    /** Returns the status before; null when the campaign cannot be cancelled. A campaign that was only scheduled has no
     * mails: it is finished.
     * (sql/queries/campaigns.sql:185) */
    cancel(on: On, args: { now: Date; projectId: string; campaignId: string }): Promise<{ name: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED" } | null>;
    /** The campaigns that are being sent, or will be at their time, oldest first.
     * (sql/queries/campaigns.sql:202) */
    underWay(on: On, args: { projectId: string }): Promise<{ id: string; name: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED" }[]>;
    /** Adds the deltas to the counters. A reader sums both, and sees either all of this or nothing.
     * (sql/queries/campaigns.sql:209) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
  };
  capturedMails: {
    /** (sql/queries/captured_mails.sql:3) */
    insert(on: On, args: { projectId: string | null; emailId: string | null; fromAddress: string; toAddress: string; subject: string; source: Uint8Array }): Promise<{ id: string }>;
    /** One page, newest first, of the mails that match. It looks through `window` mails at most, from the place on. One of
     * the two parts is never entered: each has its index, whatever plan is cached.
     * (sql/queries/captured_mails.sql:12) */
    list(on: On, args: { projectId: string | null; after: string; before: string; window: number; to: string | null; isRead: boolean | null; pattern: string | null; addressPattern: string | null; limit: number }): Promise<{ id: string; projectId: string | null; emailId: string | null; fromAddress: string; toAddress: string; subject: string; capturedAt: Date; readAt: Date | null }[]>;
    /** How many of the newest `window` mails match, and how many of them all are unread.
     * (sql/queries/captured_mails.sql:53) */
    count(on: On, args: { to: string | null; isRead: boolean | null; pattern: string | null; addressPattern: string | null; projectId: string | null; window: number }): Promise<{ total: number; unread: number }>;
    /** (sql/queries/captured_mails.sql:86) */
    byId(on: On, args: { id: string; projectId: string | null }): Promise<{ id: string; projectId: string | null; emailId: string | null; fromAddress: string; toAddress: string; subject: string; source: Uint8Array; capturedAt: Date; readAt: Date | null } | null>;
    /** (sql/queries/captured_mails.sql:95) */
    mark(on: On, args: { isRead: boolean; now: Date; id: string; projectId: string | null }): Promise<number>;
    /** (sql/queries/captured_mails.sql:101) */
    markSome(on: On, args: { isRead: boolean; now: Date; ids: string[]; projectId: string | null }): Promise<number>;
    /** (sql/queries/captured_mails.sql:109) */
    markAll(on: On, args: { isRead: boolean; now: Date; projectId: string }): Promise<number>;
    /** (sql/queries/captured_mails.sql:114) */
    markEverywhere(on: On, args: { isRead: boolean; now: Date }): Promise<number>;
    /** (sql/queries/captured_mails.sql:119) */
    delete(on: On, args: { id: string; projectId: string | null }): Promise<number>;
    /** (sql/queries/captured_mails.sql:124) */
    deleteSome(on: On, args: { ids: string[]; projectId: string | null }): Promise<number>;
    /** (sql/queries/captured_mails.sql:129) */
    clear(on: On, args: { projectId: string }): Promise<number>;
    /** (sql/queries/captured_mails.sql:133) */
    clearEverywhere(on: On): Promise<number>;
    /** Those that have captured mails, by name; each costs one look into the index.
     * (sql/queries/captured_mails.sql:136) */
    projects(on: On, args: { limit: number }): Promise<{ id: string; name: string }[]>;
    /** Keeps the newest `keep` mails of a project, or of the installation itself.
     * (sql/queries/captured_mails.sql:144) */
    prune(on: On, args: { projectId: string | null; keep: number }): Promise<number>;
    /** Deletes some of those captured before that time.
     * (sql/queries/captured_mails.sql:159) */
    dropOld(on: On, args: { before: Date; limit: number }): Promise<number>;
  };
  capturedRelease: {
    /** The next captured mails after a place. There is always a place, and no other table, so that the index is entered
     * there whatever plan is cached.
     * (sql/queries/captured_release.sql:3) */
    next(on: On, args: { until: Date; afterAt: Date; afterProjectId: string; afterId: string; limit: number }): Promise<{ projectId: string; id: string; campaignId: string | null; capturedAt: Date }[]>;
    /** The same of one project, however much others have captured.
     * (sql/queries/captured_release.sql:13) */
    nextOfProject(on: On, args: { projectId: string; until: Date; afterAt: Date; afterId: string; limit: number }): Promise<{ projectId: string; id: string; campaignId: string | null; capturedAt: Date }[]>;
    /** The captured ones of some mails.
     * (sql/queries/captured_release.sql:23) */
    ofIds(on: On, args: { ids: string[]; since: Date; until: Date; projectId: string | null }): Promise<{ projectId: string; id: string; campaignId: string | null; capturedAt: Date }[]>;
    /** Those of these mails that are still captured and that nobody else has locked, locked until the commit.
     * (sql/queries/captured_release.sql:32) */
    hold(on: On, args: { projectIds: string[]; ids: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** What decides whether these mails may still be sent, in the order in which they were captured.
     * (sql/queries/captured_release.sql:40) */
    look(on: On, args: { projectIds: string[]; ids: string[] }): Promise<{ projectId: string; id: string; contactId: string | null; address: string; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; isDisabled: boolean; isBeingReset: boolean; subscribed: boolean | null; optedOutAt: Date | null; suppressed: "MANUAL" | "BOUNCE" | "COMPLAINT" | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; fromEmail: string | null; isSenderVerified: boolean; isCancelled: boolean }[]>;
    /** These are to be sent, as if they had never been tried. The caller holds them.
     * (sql/queries/captured_release.sql:68) */
    release(on: On, args: { now: Date; projectIds: string[]; ids: string[] }): Promise<number>;
    /** These must not be sent any more: `closed` holds `{project_id, id, reason}`. The caller holds them.
     * (sql/queries/captured_release.sql:74) */
    close(on: On, args: { closed: { project_id: string; id: string; reason: string }[] }): Promise<number>;
    /** Campaigns that had come to their end have mails to send again, and come to it once more. The caller holds them.
     * (sql/queries/captured_release.sql:81) */
    reopenCampaigns(on: On, args: { now: Date; projectIds: string[]; ids: string[] }): Promise<number>;
  };
  contactAddresses: {
    /** Which of these addresses belong to contacts.
     * (sql/queries/contact_addresses.sql:4) */
    among(on: On, args: { emails: string[]; projectId: string }): Promise<{ email: string }[]>;
    /** Which of these addresses belong to contacts that somebody else has locked now. It waits for nobody.
     * (sql/queries/contact_addresses.sql:16) */
    heldAmong(on: On, args: { emails: string[]; projectId: string }): Promise<{ email: string }[]>;
    /** Which of these addresses belong to contacts who do not want mail any more.
     * (sql/queries/contact_addresses.sql:41) */
    optedOut(on: On, args: { emails: string[]; projectId: string }): Promise<{ email: string }[]>;
  };
  contactCounts: {
    /** How many contacts have each field, by type; under the field '' how many there are, by subscription.
     * (sql/queries/contact_counts.sql:1) */
    byProject(on: On, args: { projectId: string }): Promise<{ field: string; type: string; contacts: number }[]>;
    /** Adds up to `limit` deltas to the counts.
     * (sql/queries/contact_counts.sql:17) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
    /** How many contacts a project has, by subscription.
     * (sql/queries/contact_counts.sql:44) */
    total(on: On, args: { projectId: string }): Promise<{ subscribed: number; unsubscribed: number }>;
  };
  contactDays: {
    /** The days from `from` to `until` on which contacts came or went.
     * (sql/queries/contact_days.sql:1) */
    list(on: On, args: { projectId: string; from: Date; until: Date }): Promise<{ day: Date | null; created: number; deleted: number }[]>;
    /** By how many the contacts have grown after a day.
     * (sql/queries/contact_days.sql:16) */
    grownSince(on: On, args: { projectId: string; day: Date }): Promise<{ grown: number }>;
    /** How often each of these events happened on each day: from counters.
     * (sql/queries/contact_days.sql:25) */
    events(on: On, args: { projectId: string; from: Date; until: Date; names: string[] }): Promise<{ day: Date | null; name: string | null; count: number }[]>;
    /** Adds up to `limit` deltas to the days.
     * (sql/queries/contact_days.sql:31) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
  };
  contactDeletion: {
    /** No workflow continues for a contact that is deleted, and what its executions knew of it is forgotten.
     * (sql/queries/contact_deletion.sql:1) */
    endExecutions(on: On, args: { projectId: string; contactIds: string[]; now: Date }): Promise<number>;
    /** The ledger outlives the contact: its identity is erased (the address becomes a hash that only the same address in the
     * same project has), the outcome of each mail is kept, and unsent mails are not sent. No message names it any more.
     * (sql/queries/contact_deletion.sql:39) */
    partWithEmails(on: On, args: { projectId: string; contactIds: string[] }): Promise<number>;
    /** The copies that the inbox has of their mails are deleted. Of a project it keeps a few hundred.
     * (sql/queries/contact_deletion.sql:90) */
    partWithCaptured(on: On, args: { projectId: string; contactIds: string[] }): Promise<number>;
    /** What the log of requests says of them besides that there was one.
     * (sql/queries/contact_deletion.sql:105) */
    partWithRequests(on: On, args: { projectId: string; contactIds: string[] }): Promise<number>;
    /** Locks contacts, in the order of `contacts.upsert_many`. Together with `keep_out`, no mail can be added for them from
     * now on.
     * (sql/queries/contact_deletion.sql:121) */
    hold(on: On, args: { projectId: string; contactIds: string[] }): Promise<{ id: string }[]>;
    /** Waits until no audience snapshot of the project is being taken, and blocks new ones until the commit.
     * (sql/queries/contact_deletion.sql:130) */
    keepOut(on: On, args: { projectId: string }): Promise<number>;
    /** (sql/queries/contact_deletion.sql:134) */
    deleteMany(on: On, args: { projectId: string; contactIds: string[] }): Promise<{ id: string }[]>;
    /** What is known of a contact, before it is deleted: the hash is the one that its mails keep in place of the address.
     * (sql/queries/contact_deletion.sql:139) */
    receipt(on: On, args: { projectId: string; contactId: string }): Promise<{ hash: string; events: number; emails: number; executions: number; segments: number } | null>;
  };
  contactExport: {
    /** Why the address of a contact gets no mail.
     * (sql/queries/contact_export.sql:1) */
    suppression(on: On, args: { projectId: string; contactId: string }): Promise<{ reason: "MANUAL" | "BOUNCE" | "COMPLAINT"; createdAt: Date } | null>;
    /** Events of a contact by name, each name from the oldest to the newest: the order of `events_by_contact`.
     * (sql/queries/contact_export.sql:8) */
    events(on: On, args: { projectId: string; contactId: string; afterName: string | null; afterId: string | null; limit: number }): Promise<{ id: string; name: string; data: Json; emailId: string | null; bot: boolean; createdAt: Date }[]>;
    /** Mails to a contact, the oldest first.
     * (sql/queries/contact_export.sql:19) */
    emails(on: On, args: { projectId: string; contactId: string; afterId: string | null; limit: number }): Promise<{ id: string; to: string; toName: string | null; subject: string | null; from: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; templateId: string | null; workflowId: string | null; workflowExecutionId: string | null; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; error: string | null; queuedAt: Date; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; unsubscribedAt: Date | null; opens: number; clicks: number }[]>;
    /** Executions of workflows for a contact, in the order of their ids, with the history of each.
     * (sql/queries/contact_export.sql:34) */
    executions(on: On, args: { projectId: string; contactId: string; afterId: string | null; limit: number }): Promise<{ id: string; workflowId: string; workflowName: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; exitReason: string | null; context: Json; startedAt: Date; completedAt: Date | null; steps: Json }[]>;
  };
  contactFields: {
    /** The values of one key, most frequent first, without null and without objects and lists; and how many contacts have any.
     * (sql/queries/contact_fields.sql:1) */
    values(on: On, args: { key: string; source: Fragment; projectId: string; pattern: string | null; limit: number }): Promise<{ value: Json; contacts: number }[]>;
    /** Removes a key from up to `limit` contacts that have it, in the order of their ids, after `after_id`.
     * (sql/queries/contact_fields.sql:15) */
    remove(on: On, args: { projectId: string; afterId: string; key: string; limit: number }): Promise<{ id: string }[]>;
    /** The campaigns on their way to be sent that name this field of contacts, or a path below it: in the condition of
     * their audience, or in an expression of their text, which is what `pattern` finds. `word` is a part of the key:
     * texts without it, nearly all, are not looked through.
     * (sql/queries/contact_fields.sql:31) */
    usedByCampaigns(on: On, args: { projectId: string; field: string; word: string; pattern: string }): Promise<{ id: string; name: string }[]>;
  };
  contactImports: {
    /** (sql/queries/contact_imports.sql:1) */
    insert(on: On, args: { projectId: string; importId: string; dryRun: boolean }): Promise<number>;
    /** 0 when the import was cancelled meanwhile.
     * (sql/queries/contact_imports.sql:5) */
    addPiece(on: On, args: { position: number; deflated: Uint8Array; projectId: string; importId: string }): Promise<number>;
    /** The report.
     * (sql/queries/contact_imports.sql:12) */
    byId(on: On, args: { projectId: string; importId: string }): Promise<{ id: string; state: "waiting" | "active" | "completed" | "failed"; dryRun: boolean; rowCount: number | null; rowsDone: number; createdCount: number; updatedCount: number; failureCount: number; errors: Json; examples: Json; failedReason: string | null; createdAt: Date; finishedAt: Date | null; fileName: string | null; createdBy: string | null; uploadedAt: Date | null; undoState: "waiting" | "active" | "completed" | "failed" | null; undoDeleted: number; undoRestored: number; undoKept: number } | null>;
    /** Marks an import as in progress, also one that a crash has left so. Null when it is done.
     * (sql/queries/contact_imports.sql:20) */
    begin(on: On, args: { projectId: string; importId: string }): Promise<{ dryRun: boolean; rowCount: number | null; rowsDone: number; failureCount: number; mapping: Json | null; subscribes: boolean; bytesDone: string; linesDone: number } | null>;
    /** A piece of the file, counted from 0. Null after its end, and when the file is gone.
     * (sql/queries/contact_imports.sql:27) */
    piece(on: On, args: { projectId: string; importId: string; position: number }): Promise<{ deflated: Uint8Array } | null>;
    /** The file can be read to its end.
     * (sql/queries/contact_imports.sql:33) */
    counted(on: On, args: { rowCount: number; projectId: string; importId: string }): Promise<number>;
    /** Locks an import that is at this row. Null when another process has taken it further, or it is done.
     * (sql/queries/contact_imports.sql:39) */
    hold(on: On, args: { projectId: string; importId: string; rowsDone: number }): Promise<{ id: string } | null>;
    /** Adds what happened to the rows after `rows_done`. 0 when another process has taken the import further.
     * (sql/queries/contact_imports.sql:46) */
    advance(on: On, args: { rows: number; bytesDone: string; linesDone: number; created: number; updated: number; failed: number; errors: JsonArg; projectId: string; importId: string; rowsDone: number }): Promise<number>;
    /** An import that has reached its last row is done, and its file is dropped.
     * (sql/queries/contact_imports.sql:59) */
    complete(on: On, args: { projectId: string; importId: string; rowsDone: number }): Promise<number>;
    /** An import that cannot be done. It stays so, and its file is dropped.
     * (sql/queries/contact_imports.sql:71) */
    fail(on: On, args: { reason: string; projectId: string; importId: string }): Promise<number>;
    /** The reports, newest first, without their errors.
     * (sql/queries/contact_imports.sql:83) */
    page(on: On, args: { projectId: string; beforeId: string | null; limit: number }): Promise<{ id: string; state: "waiting" | "active" | "completed" | "failed"; dryRun: boolean; rowCount: number | null; rowsDone: number; createdCount: number; updatedCount: number; failureCount: number; errors: Json; examples: Json; failedReason: string | null; createdAt: Date; finishedAt: Date | null; fileName: string | null; createdBy: string | null; uploadedAt: Date | null; undoState: "waiting" | "active" | "completed" | "failed" | null; undoDeleted: number; undoRestored: number; undoKept: number }[]>;
    /** How many reports of a project are kept.
     * (sql/queries/contact_imports.sql:95) */
    count(on: On, args: { projectId: string }): Promise<{ total: number }>;
    /** How many files of a project wait for their import, or are on their way. An upload that began more than an hour ago and has
     * not ended is of a process that was killed.
     * (sql/queries/contact_imports.sql:101) */
    unfinished(on: On, args: { projectId: string }): Promise<{ files: number }>;
    /** (sql/queries/contact_imports.sql:110) */
    beginUpload(on: On, args: { projectId: string; importId: string; dryRun: boolean; fileName: string | null; mapping: JsonArg | null; subscribes: boolean; createdBy: string | null }): Promise<number>;
    /** The file is complete. 0 when the import was cancelled meanwhile.
     * (sql/queries/contact_imports.sql:115) */
    uploaded(on: On, args: { projectId: string; importId: string }): Promise<number>;
    /** (sql/queries/contact_imports.sql:121) */
    drop(on: On, args: { projectId: string; importId: string }): Promise<number>;
    /** Drops uploads that were never finished.
     * (sql/queries/contact_imports.sql:125) */
    dropAbandoned(on: On, args: { before: Date }): Promise<number>;
    /** The contacts that have these addresses. `columns` are all but their data.
     * (sql/queries/contact_imports.sql:130) */
    existing(on: On, args: { emails: string[]; projectId: string }): Promise<{ email: string; data: Json; columns: Json }[]>;
    /** (sql/queries/contact_imports.sql:142) */
    showExamples(on: On, args: { examples: JsonArg; projectId: string; importId: string }): Promise<number>;
    /** Notes what contacts have that an import is about to change, and holds them. Of one that it comes to again, what it had
     * at first stays. `rows` holds `{email, given, sets}`, each address once; `given` is by columns. Contacts are looked up as in
     * contact_addresses.sql.
     * (sql/queries/contact_imports.sql:147) */
    noteExisting(on: On, args: { projectId: string; importId: string; rows: { email: string; given: JsonArg; sets: JsonArg }[] }): Promise<number>;
    /** Notes the contacts that an import has made in this transaction.
     * (sql/queries/contact_imports.sql:186) */
    noteNew(on: On, args: { projectId: string; importId: string; contactIds: string[] }): Promise<number>;
    /** Marks an import as being undone, once, also one that failed half-way. Null if it has not ended, was a dry run, is older than
     * `since`, or is undone.
     * (sql/queries/contact_imports.sql:195) */
    requestUndo(on: On, args: { projectId: string; importId: string; since: Date }): Promise<{ id: string } | null>;
    /** (sql/queries/contact_imports.sql:204) */
    holdUndo(on: On, args: { projectId: string; importId: string }): Promise<{ undoAfter: string | null } | null>;
    /** The next contacts that an import has written, in the order of their ids.
     * (sql/queries/contact_imports.sql:210) */
    nextChanges(on: On, args: { projectId: string; importId: string; afterId: string | null; limit: number }): Promise<{ contactId: string }[]>;
    /** Those of them that the import has made, and that nobody has touched since: no change, no event of their own, no mail, no
     * workflow.
     * (sql/queries/contact_imports.sql:219) */
    untouched(on: On, args: { projectId: string; importId: string; contactIds: string[] }): Promise<{ id: string }[]>;
    /** What contacts have to get back, where they still have the values of the import: of their columns, and of their data. Holds
     * them, in the order of `contacts.upsert_many`. Those that a reset is about to delete are left to it.
     * (sql/queries/contact_imports.sql:237) */
    restorable(on: On, args: { projectId: string; importId: string; contactIds: string[] }): Promise<{ email: string; given: Json; data: Json }[]>;
    /** (sql/queries/contact_imports.sql:260) */
    advanceUndo(on: On, args: { afterId: string; deleted: number; restored: number; kept: number; projectId: string; importId: string }): Promise<number>;
    /** An import that is undone, and what it did is forgotten.
     * (sql/queries/contact_imports.sql:270) */
    completeUndo(on: On, args: { projectId: string; importId: string }): Promise<number>;
    /** Forgets what imports did that were done before that time and are not being undone.
     * (sql/queries/contact_imports.sql:282) */
    dropChanges(on: On, args: { before: Date; limit: number }): Promise<number>;
  };
  contacts: {
    /** See `upsert_contacts`.
     * (sql/queries/contacts.sql:1) */
    upsertMany(on: On, args: { rows: JsonArg; changes: JsonArg }): Promise<{ projectId: string; id: string; email: string; subscribed: boolean; wasSubscribed: boolean | null; optedOutAt: Date | null; isOutgoing: boolean }[]>;
    /** Marks these contacts as opted out, and unsubscribes them. `was_subscribed` says for which of them that changes the
     * subscription. Rows are locked in the same order and with the same strength as in the upsert, so that the two cannot
     * deadlock.
     * (sql/queries/contacts.sql:8) */
    optOutMany(on: On, args: { projectIds: string[]; contactIds: string[] }): Promise<{ projectId: string; id: string; wasSubscribed: boolean }[]>;
    /** What a person decided through a link in a mail. An unsubscription stands until it is taken back, even where the
     * contact was not subscribed before. Null when nothing changed, or when there is no such contact: of several concurrent
     * calls, one changes it.
     * (sql/queries/contacts.sql:26) */
    setSubscription(on: On, args: { subscribed: boolean; projectId: string; contactId: string }): Promise<{ wasSubscribed: boolean } | null>;
    /** (sql/queries/contacts.sql:41) */
    byId(on: On, args: { projectId: string; contactId: string }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** Changes one contact. `sets` and `deletes` merge into its data, unless `clear_data`. Null when it does not exist. Its time
     * stays where it is what it was.
     * (sql/queries/contacts.sql:46) */
    patch(on: On, args: { email: string | null; subscribed: boolean | null; clearData: boolean; sets: JsonArg; deletes: JsonArg; projectId: string; contactId: string }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; wasSubscribed: boolean } | null>;
    /** One page of contacts, in the order and after the place that the cursor gives. `sort_key` goes into the next cursor: a
     * time as text, because a Date would lose its microseconds.
     * (sql/queries/contacts.sql:79) */
    list(on: On, args: { sortKey: Fragment; projectId: string; filter: Fragment; after: Fragment; direction: Fragment; limit: number }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; sortKey: string }[]>;
    /** One page of the members of a segment, the newest contacts first. `sort_key` goes into the cursor.
     * (sql/queries/contacts.sql:94) */
    members(on: On, args: { projectId: string; audience: Fragment; limit: number; offset: number }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; sortKey: string }[]>;
    /** The newest contacts who match a compiled condition.
     * (sql/queries/contacts.sql:105) */
    newest(on: On, args: { projectId: string; audience: Fragment; limit: number }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date }[]>;
    /** The event down to which `contact_activity` tells all that happened. Null if that is everything.
     * (sql/queries/contacts.sql:114) */
    activityReached(on: On, args: { projectId: string; beforeId: string; maxEach: number }): Promise<{ reached: string | null }>;
    /** Contacts by what they did last, newest first, between two events. What a contact did before that does not count
     * again.
     * (sql/queries/contacts.sql:124) */
    byActivity(on: On, args: { projectId: string; beforeId: string; maxEach: number; reached: string; filter: Fragment; limit: number }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date; sortKey: string; lastActivityAt: Date }[]>;
    /** (sql/queries/contacts.sql:150) */
    countMatching(on: On, args: { projectId: string; filter: Fragment }): Promise<{ total: number }>;
    /** How many of a sample of contacts match, how many of these are subscribed, and the newest of them. `percent` of the table's
     * blocks are read, the same each time, and one contact in `one_in`: a number that is shown while somebody types does not
     * flicker. Materialized: the filter would otherwise be evaluated for each of the three results.
     * (sql/queries/contacts.sql:156) */
    sampleMatching(on: On, args: { filter: Fragment; percent: number; projectId: string; oneIn: number }): Promise<{ seen: number; matching: number; reachable: number; newest: string[] }>;
    /** The newest first.
     * (sql/queries/contacts.sql:173) */
    byIds(on: On, args: { projectId: string; ids: string[] }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; projectId: string; createdAt: Date; updatedAt: Date }[]>;
    /** The next contacts in the order of their ids, up to one: those that come while it is read are not among them. A row holds
     * the lines of 64 of them, in JSON, and the id of the last one. Rows of objects took 146 MB for 1,000,000 contacts and three
     * times the processor time, texts of 250 lines 60 MB, and these take 25. Pieces of text are joined because
     * json_build_object takes 8 µs for a line, and this takes 3.
     * (sql/queries/contacts.sql:180) */
    export(on: On, args: { projectId: string; afterId: string | null; uptoId: string; filter: Fragment; limit: number }): Promise<Uint8Array[][]>;
    /** The same as CSV, with a column for each of `keys`. Cells are guarded and quoted as `toCsvLine` does it, which a test
     * compares: made of objects of ours, the lines of 1,000,000 contacts take 75 MB, and twice our processor time. A row where
     * nothing can need either is told by one look at all of its cells, which saves 10 µs.
     * (sql/queries/contacts.sql:206) */
    exportCsv(on: On, args: { keys: string[]; projectId: string; afterId: string | null; uptoId: string; filter: Fragment; limit: number }): Promise<Uint8Array[][]>;
    /** (sql/queries/contacts.sql:270) */
    dataByEmail(on: On, args: { projectId: string; email: string }): Promise<{ id: string; data: Json } | null>;
  };
  contents: {
    /** Whether their mails are followed is decided here, by the project's current setting, and answered; `track_opens` and
     * `track_clicks` go over it.
     * (sql/queries/contents.sql:1) */
    insertMany(on: On, args: { rows: { id: string; subject: string; html: string; text: string | null | undefined; from_email: string; from_name: string | null | undefined; reply_to: string | null | undefined; headers: JsonArg | null | undefined; data: JsonArg | null | undefined; template_id: string | null | undefined; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; shared: boolean; tags: JsonArg | null | undefined; track_opens: boolean | null | undefined; track_clicks: boolean | null | undefined; offers_unsubscribe: boolean | null | undefined; recipients: JsonArg | null | undefined }[]; projectId: string }): Promise<{ id: string; tracked: boolean }[]>;
    /** Copies a content with its attachments under another id, for a mail of its own; nothing if its body is gone.
     * Whether it is tracked is decided again.
     * (sql/queries/contents.sql:22) */
    copy(on: On, args: { id: string; projectId: string; contentId: string }): Promise<number>;
    /** Adds the attachments of contents. `rows` holds `{content_id, position, filename, content_type, cid?, disposition,
     * content}`, the content in base64 as the request carried it.
     * (sql/queries/contents.sql:47) */
    attach(on: On, args: { projectId: string; rows: { content_id: string; position: number; filename: string; content_type: string; cid: string | null | undefined; disposition: string; content: string }[] }): Promise<number>;
    /** The attachments of these contents, in the order of the request.
     * (sql/queries/contents.sql:58) */
    attachments(on: On, args: { projectIds: string[]; contentIds: string[] }): Promise<{ projectId: string; contentId: string; filename: string; contentType: string; cid: string | null; disposition: string; content: Uint8Array }[]>;
    /** What routes ask of contents. By their keys, whatever the planner thinks.
     * (sql/queries/contents.sql:65) */
    kinds(on: On, args: { ids: string[]; projectId: string }): Promise<{ id: string; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; senderDomain: string }[]>;
    /** (sql/queries/contents.sql:73) */
    kindOfCampaign(on: On, args: { projectId: string; campaignId: string }): Promise<{ type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; senderDomain: string } | null>;
  };
  dailyCounts: {
    /** Adds one to today's count of each of these keys. Returns the new counts.
     * (sql/queries/daily_counts.sql:1) */
    add(on: On, args: { now: Date; keys: string[] }): Promise<{ key: string; count: number }[]>;
    /** Those of days that are over.
     * (sql/queries/daily_counts.sql:11) */
    purge(on: On, args: { now: Date }): Promise<number>;
  };
  deliverability: {
    /** Counts what came back, in the transaction that writes it down.
     * (sql/queries/deliverability.sql:1) */
    add(on: On, args: { figures: { project_id: string; hour: Date | string; sender_domain: string; provider: string; transport_id: string; accepted_times: unknown; deferred: number; bounced: number; refused: number; returned: number; complained: number; encrypted: number; unencrypted: number }[] }): Promise<number>;
    /** Adds up to `limit` deltas to the hours, and returns how many they were.
     * (sql/queries/deliverability.sql:15) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
    /** What was counted of a project, by what is asked for and by the hour or day (UTC) in which it happened; the row without a
     * bucket is the sum of each group. Filters that are null let everything through.
     * (sql/queries/deliverability.sql:49) */
    figures(on: On, args: { groupBy: string; bucket: string; projectId: string; since: Date; until: Date; provider: string | null; senderDomain: string | null; transportId: string | null }): Promise<{ group: string | null; bucket: Date | null; acceptedTimes: number[]; deferred: number; bounced: number; refused: number; returned: number; complained: number; encrypted: number; unencrypted: number }[]>;
    /** Deletes some of the hours before that time.
     * (sql/queries/deliverability.sql:86) */
    dropOld(on: On, args: { before: Date; limit: number }): Promise<number>;
    /** Deletes some of the alerts that were closed before that time.
     * (sql/queries/deliverability.sql:97) */
    dropAlerts(on: On, args: { before: Date; limit: number }): Promise<number>;
    /** The transports that a project may have sent by.
     * (sql/queries/deliverability.sql:102) */
    transportNames(on: On, args: { projectId: string; installationId: string }): Promise<{ id: string; name: string }[]>;
    /** The day (UTC) on which one of these providers accepted the most mails from a domain.
     * (sql/queries/deliverability.sql:108) */
    busiestDay(on: On, args: { projectId: string; since: Date; until: Date; senderDomain: string; providers: string[] }): Promise<{ provider: string; date: string; mails: number } | null>;
  };
  deliverabilityAlerts: {
    /** Opens an alert for each rate that is above its level, for each sender domain and, where it is not above it as a whole, at each
     * mailbox provider; notes those that are still bad, and closes those that have not been for an hour. Bounces and deferrals
     * are judged over the hours from `recent` on, complaints from `since` on: they come for days after a mail, so they are of the
     * mails that were accepted since then, or on the busiest day (UTC) from `busiest_since` on, where those were more. Levels are
     * in mails of a thousand.
     * (sql/queries/deliverability_alerts.sql:1) */
    judge(on: On, args: { recent: Date; since: Date; complaints: number; busiestSince: Date; minimumCount: number; bounces: number; deferrals: number; minimumMails: number; now: Date; overSince: Date }): Promise<number>;
    /** Projects with open alerts that nobody has been told of, unless they were told of others since that time.
     * (sql/queries/deliverability_alerts.sql:106) */
    untold(on: On, args: { toldSince: Date }): Promise<{ projectId: string }[]>;
    /** Takes those of one project. Of two that take them one gets none.
     * (sql/queries/deliverability_alerts.sql:116) */
    tell(on: On, args: { now: Date; projectId: string }): Promise<{ kind: string; senderDomain: string; provider: string; count: number; total: number }[]>;
    /** The open ones first, each the newest first.
     * (sql/queries/deliverability_alerts.sql:123) */
    list(on: On, args: { projectId: string; isOpen: boolean | null; limit: number }): Promise<{ id: string; kind: string; senderDomain: string; provider: string; count: number; total: number; openedAt: Date; closedAt: Date | null }[]>;
    /** Those of all projects, by kind; what a test in a sandbox has caused is no reason to wake an operator.
     * (sql/queries/deliverability_alerts.sql:132) */
    countOpen(on: On): Promise<{ kind: string; alerts: number; projects: number }[]>;
  };
  delivery: {
    /** One pass of a delivering process: writes the outcomes of the mails that it sent, with the events and the retries that
     * follow from them, and takes the next mails, all in one commit. Either half may be empty.
     * 
     * `outcomes` holds `{project_id, id, status, transport_id, subject, message_id, provider_id, mailbox_provider, error, at, retry_at, was_tried,
     * event_id, event, event_data, delivery_event_id}`. DELIVERED: by the server of the recipient itself, which is an event of its own
     * beside `email.sent`. Without a connection nothing was tried: that does not count as an attempt, and the period in which the
     * mail is retried restarts. A row that was changed in the meantime (by an expired lease, or a notice of the provider)
     * keeps what was written then, unless it is still in doubt: then the outcome of the process that sent it decides. Mails
     * of a campaign that are tried again share one job.
     * 
     * Every row is looked up by its key, whatever the planner thinks: a plan that was made when the installation was young is
     * kept, and one that reads a table would soon read millions of rows for a dozen. So tables are joined by `lateral` with a
     * limit or a lock, and the lists are asked for ids between the least and the greatest: the planner takes that for few.
     * 
     * A claim is SENDING, committed, before anything is written to a socket. Not claimed are mails that another process
     * has, mails already sent, mails whose time has not come, and those of a disabled project or a cancelled campaign: the campaign is locked until the
     * commit, so that nothing is claimed after its cancellation. Returns everything that sending needs, except contents
     * that the process says it knows; where nothing was claimed, one row without an id, because Postgres only runs the
     * retries if they are counted.
     * 
     * `figures` counts the attempts for `delivery_hours`: once, also where a commit has succeeded whose answer was lost, and the
     * outcomes are written again.
     * (sql/queries/delivery.sql:1) */
    settleAndClaim(on: On, args: { outcomes: { project_id: string; id: string; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; transport_id: string | null | undefined; subject: string | null | undefined; message_id: string | null | undefined; provider_id: string | null | undefined; mailbox_provider: string | null | undefined; error: string | null | undefined; at: Date | string; retry_at: Date | string | null | undefined; was_tried: boolean; event_id: string | null | undefined; event: string | null | undefined; event_data: JsonArg | null | undefined; delivery_event_id: string | null | undefined }[]; workerId: string; figures: { project_id: string; hour: Date | string; sender_domain: string; provider: string; transport_id: string; accepted_times: unknown; deferred: number; bounced: number; refused: number; returned: number; complained: number; encrypted: number; unencrypted: number }[]; campaignProjectIds: string[]; campaignIds: string[]; now: Date; projectIds: string[]; ids: string[]; knownContents: string[] }): Promise<{ projectId: string | null; id: string | null; contactId: string | null; contentId: string | null; address: string; toName: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; attempts: number; triedAt: Date; ownData: Json | null; role: "to" | "cc" | "bcc" | null; parentId: string | null; resendOf: string | null; firstRecipient: Json | null; subscribed: boolean | null; optedOutAt: Date | null; contactData: Json | null; suppressed: "MANUAL" | "BOUNCE" | "COMPLAINT" | null; hasContent: boolean; subject: string | null; html: string | null; text: string | null; fromEmail: string | null; fromName: string | null; replyTo: string | null; headers: Json | null; requestData: Json | null; templateId: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; tracked: boolean | null; trackOpens: boolean | null; trackClicks: boolean | null; offersUnsubscribe: boolean | null; tags: Json | null; recipients: Json | null; shared: boolean | null; projectName: string | null; language: string | null; postalAddress: string | null; hasAttachments: boolean }[]>;
    /** Single mails that wait for a job of theirs, due at `due_at`: so the sweep of overdue mails sees that they have one. The time
     * in which they are retried begins as much later. One that is due at about that time already is left as it is.
     * (sql/queries/delivery.sql:229) */
    postpone(on: On, args: { dueAt: Date; projectIds: string[]; ids: string[] }): Promise<number>;
    /** Gives back mails that this process claimed and never began to send, as when it stops.
     * (sql/queries/delivery.sql:239) */
    putBack(on: On, args: { projectIds: string[]; ids: string[]; workerId: string }): Promise<{ projectId: string; id: string; campaignId: string | null }[]>;
    /** What a process has held since `before`, by the ledger's word.
     * (sql/queries/delivery.sql:248) */
    heldBy(on: On, args: { workerId: string; before: Date }): Promise<{ projectId: string; id: string }[]>;
    /** Processes that have held a mail since `before`, or have fetched it from those that wait apart, and are not in the table of
     * workers.
     * (sql/queries/delivery.sql:254) */
    orphanedBy(on: On, args: { before: Date }): Promise<{ workerId: string }[]>;
    /** Settles what dead processes had in flight. Of mails that they have marked as ended it is unknown whether they were
     * sent, and the ledger says so. Mails without a mark were not sent, and are sent now; later where a mail has ended
     * several processes, because it may be the cause. The caller holds the marks of these processes
     * (`handover_marks.hold`).
     * (sql/queries/delivery.sql:265) */
    settleDead(on: On, args: { patience: number; now: Date; workerIds: string[] }): Promise<{ projectId: string; id: string; campaignId: string | null; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; dueAt: Date }[]>;
    /** Settles mails that have been in doubt since `before`, as the project has chosen: they are sent again, or stay in
     * doubt permanently. A workflow's mail with a transactional template counts as transactional. Mails of a cancelled
     * campaign are not sent again.
     * (sql/queries/delivery.sql:292) */
    settleDoubts(on: On, args: { before: Date; limit: number; now: Date }): Promise<{ projectId: string; id: string; campaignId: string | null; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED" }[]>;
    /** Since when the oldest single mails of each project have waited whose job is in the queue.
     * (sql/queries/delivery.sql:326) */
    oldestJobs(on: On, args: { now: Date }): Promise<{ projectId: string; runAt: Date }[]>;
    /** Mails that have been due since `before` and whose job is lost, as after their project was disabled. They get a new
     * job; moving `due_at` keeps everybody from enqueuing them twice. Waiting does not count as an attempt. Jobs of a
     * project run in order, so a mail that was due before the oldest waiting one has no job (`oldest_jobs`; 2 s are allowed
     * for clocks that differ). Also returns when they were due: the next slice begins there. Campaigns look after their
     * own.
     * (sql/queries/delivery.sql:335) */
    requeueOverdue(on: On, args: { waiting: { project_id: string; run_at: Date | string }[]; since: Date; before: Date; limit: number; now: Date }): Promise<{ projectId: string; id: string; campaignId: string | null; wasDueAt: Date }[]>;
  };
  demo: {
    /** Whether a project has contacts, and whether those of the demo are among them.
     * (sql/queries/demo.sql:1) */
    standing(on: On, args: { projectId: string }): Promise<{ hasContacts: boolean; hasDemo: boolean }>;
    /** The oldest project of this name.
     * (sql/queries/demo.sql:7) */
    projectNamed(on: On, args: { name: string }): Promise<{ id: string } | null>;
    /** Customers of a shop: a third is older than 90 days, the others came in growing numbers since, fewer of them at
     * weekends. Whatever is drawn is a hash of the number of the contact and of the seed, so that it is the same each time.
     * `places` holds `{country, city, locale}`.
     * (sql/queries/demo.sql:15) */
    addContacts(on: On, args: { places: { country: string; city: string; locale: string }[]; seed: number; firstNames: string[]; lastNames: string[]; contacts: number; now: Date; projectId: string }): Promise<number>;
    /** What the customers did in the last 90 days: visits, each of which may end at any step of the way to an order.
     * (sql/queries/demo.sql:98) */
    addEvents(on: On, args: { now: Date; seed: number; projectId: string; products: string[]; prices: number[] }): Promise<number>;
    /** What those who ordered have ordered, in their data: it equals their events.
     * (sql/queries/demo.sql:185) */
    totalOrders(on: On, args: { projectId: string }): Promise<number>;
    /** The members of a tracked segment, who entered when they came or in the weeks since.
     * (sql/queries/demo.sql:203) */
    enterSegment(on: On, args: { segmentId: string; now: Date; seed: number; projectId: string; audience: Fragment }): Promise<number>;
    /** The first so many of those with an order, for a list kept by hand.
     * (sql/queries/demo.sql:214) */
    listMembers(on: On, args: { projectId: string; limit: number; segmentId: string }): Promise<number>;
    /** How large the segments were on each of the last 90 days: they grew with the audience.
     * (sql/queries/demo.sql:232) */
    addSegmentSizes(on: On, args: { now: Date; projectId: string }): Promise<number>;
    /** Brings contacts and suppressions in line with the mails: who unsubscribed did so by a mail, and an address that
     * bounced, or whose owner complained, gets nothing any more.
     * (sql/queries/demo.sql:255) */
    leave(on: On, args: { projectId: string; now: Date; addresses: string[] }): Promise<number>;
    /** Nobody asks the DNS about these domains for a year.
     * (sql/queries/demo.sql:301) */
    restDomains(on: On, args: { now: Date; madeAt: Date; projectId: string }): Promise<number>;
    /** After so many new rows the planner would use outdated statistics.
     * (sql/queries/demo.sql:307) */
    analyzeContacts(on: On): Promise<number>;
    /** (sql/queries/demo.sql:311) */
    analyzeMails(on: On): Promise<number>;
    /** What `analyze_mails` has checked has not changed since.
     * (sql/queries/demo.sql:314) */
    analyze(on: On): Promise<number>;
    /** For the rest of this transaction no join goes row by row where it can be hashed: nothing is known yet of rows that were
     * just written, and of those drawn in a statement nothing ever is.
     * (sql/queries/demo.sql:318) */
    planForMany(on: On): Promise<number>;
    /** Until `heed_triggers` rows are written without triggers and foreign keys, where the role may do so: for rows that refer to
     * others of this transaction alone, and are counted afterwards. It halves the time of half a million events.
     * (sql/queries/demo.sql:323) */
    skipTriggers(on: On): Promise<number>;
    /** Ends what `skip_triggers` has begun.
     * (sql/queries/demo.sql:329) */
    heedTriggers(on: On): Promise<number>;
  };
  demoMails: {
    /** What the mails about orders say: each has a content of its own, with the id of the event that it is about.
     * (sql/queries/demo_mails.sql:1) */
    addContents(on: On, args: { subject: string; templateId: string; projectId: string; eventName: string }): Promise<number>;
    /** What all mails of a template say.
     * (sql/queries/demo_mails.sql:11) */
    addSharedContent(on: On, args: { id: string; at: Date; projectId: string; templateId: string }): Promise<{ id: string }>;
    /** What the mails of a campaign say.
     * (sql/queries/demo_mails.sql:19) */
    addCampaignContent(on: On, args: { id: string; at: Date; projectId: string; campaignId: string }): Promise<{ id: string }>;
    /** The ledger: the mails of campaigns, of steps that were passed, and about orders, with what happened to them. An address
     * that does not exist bounces once; who opted out does so by the last mail before. Nothing here is ever to be sent: what
     * is PENDING is due in 30 days. `campaigns` holds `{n, id, content_id, at, country?, plan?, opens, clicks}`, `steps`
     * `{id, template_id, content_id}`, and `notices` `{event_name, template_id}`.
     * (sql/queries/demo_mails.sql:27) */
    addMails(on: On, args: { campaigns: { n: number; id: string; content_id: string; at: string; country: string | null | undefined; plan: string | null | undefined; opens: number; clicks: number }[]; projectId: string; steps: { id: string; template_id: string; content_id: string }[]; now: Date; notices: { event_name: string; template_id: string }[]; seed: number; domain: string }): Promise<number>;
    /** The events of the mails: sent, delivered, opened, clicked (a link of `links`, the first ones more often), bounced and
     * complained of, and opens by bots. What those of a mail have in common is made once for each mail.
     * (sql/queries/demo_mails.sql:176) */
    addEvents(on: On, args: { links: string[]; projectId: string }): Promise<number>;
    /** The campaigns that were sent, with their counts. `campaigns` holds `{id, content_id, at}`.
     * (sql/queries/demo_mails.sql:226) */
    finishCampaigns(on: On, args: { campaigns: { id: string; content_id: string; at: string }[]; projectId: string }): Promise<number>;
    /** The links of the campaigns that were followed.
     * (sql/queries/demo_mails.sql:248) */
    countLinks(on: On, args: { projectId: string }): Promise<number>;
    /** What was accepted by month and source.
     * (sql/queries/demo_mails.sql:259) */
    countUsage(on: On, args: { projectId: string }): Promise<number>;
    /** Mails handed over, bounces and complaints by day.
     * (sql/queries/demo_mails.sql:269) */
    countReputation(on: On, args: { projectId: string }): Promise<number>;
  };
  demoWorkflows: {
    /** Executions of a workflow, one for each contact with the event that starts it, each on a path that is drawn. What lies
     * in the future has not happened yet: an execution at a step that lasts waits there. `paths` holds `{n, upto, status,
     * exit_reason?, step_id?, seconds}` by rising `upto` (the last one is 1), `steps` the `{path, seq, step_id, status,
     * begins, ends, error?, output?}` in seconds from the start.
     * (sql/queries/demo_workflows.sql:1) */
    addExecutions(on: On, args: { paths: { n: number; upto: number; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; exit_reason: string | null | undefined; step_id: string | null | undefined; seconds: number }[]; steps: { path: number; seq: number; step_id: string; status: "PENDING" | "WAITING" | "RUNNING" | "COMPLETED" | "FAILED"; begins: number; ends: number; error: string | null | undefined; output: JsonArg | null | undefined }[]; projectId: string; eventName: string; since: Date; workflowId: string; seed: number; now: Date; versionId: string; waits: { step_id: string; event_name: string }[] }): Promise<number>;
    /** When the workflow and its steps were made.
     * (sql/queries/demo_workflows.sql:98) */
    age(on: On, args: { at: Date; projectId: string; workflowId: string }): Promise<number>;
  };
  doctor: {
    /** What kind of server this is, and how many connections it has left. Works on an empty database too.
     * (sql/queries/doctor.sql:1) */
    database(on: On): Promise<{ version: string; versionNumber: number; isReplica: boolean; maxConnections: number; connections: number }>;
    /** (sql/queries/doctor.sql:11) */
    clock(on: On): Promise<{ now: Date }>;
    /** The migrations that were applied.
     * (sql/queries/doctor.sql:14) */
    migrations(on: On): Promise<{ name: string }[]>;
    /** The domains of all projects, by name; reserved names, which cannot be looked up, come last.
     * (sql/queries/doctor.sql:18) */
    domains(on: On, args: { reserved: string; limit: number }): Promise<{ domain: string; projectName: string; status: "PENDING" | "VERIFIED" | "FAILED"; verifiedAt: Date | null; returnPath: string; dkimSelector: string | null; dkimPublicKey: string | null }[]>;
    /** The sealed keys that sign mails, of all projects, behind one domain in the order of their ids.
     * (sql/queries/doctor.sql:27) */
    dkimKeys(on: On, args: { afterProjectId: string; afterId: string; limit: number }): Promise<{ projectId: string; id: string; domain: string; dkimPrivateKey: Uint8Array }[]>;
    /** Whether one came by SNS within the days that they are remembered.
     * (sql/queries/doctor.sql:38) */
    takesNotifications(on: On): Promise<{ hasCome: boolean }>;
    /** The campaigns of disabled projects that continue as soon as their project is enabled.
     * (sql/queries/doctor.sql:42) */
    heldCampaigns(on: On, args: { limit: number }): Promise<{ projectId: string; projectName: string; total: number }[]>;
    /** Whether statements of this connection end by themselves, and whose connection it is.
     * (sql/queries/doctor.sql:52) */
    bounds(on: On): Promise<{ role: string; isBounded: boolean }>;
    /** How many mails wait to be released, up to a bound.
     * (sql/queries/doctor.sql:56) */
    captured(on: On, args: { limit: number }): Promise<{ total: number }>;
  };
  domains: {
    /** Those of these domains that the project may send from. Inside of a transaction they cannot be removed before the end of it.
     * (sql/queries/domains.sql:1) */
    verified(on: On, args: { projectId: string; domains: string[] }): Promise<{ domain: string }[]>;
    /** For the operator and the first start: a domain that is trusted without a look at the DNS. What a check that is under
     * way finds is not written any more.
     * (sql/queries/domains.sql:9) */
    addVerified(on: On, args: { projectId: string; domain: string }): Promise<{ id: string; domain: string }>;
    /** Null when the project has the domain already.
     * (sql/queries/domains.sql:18) */
    insert(on: On, args: { projectId: string; id: string; domain: string; dkimSelector: string; dkimPublicKey: string; dkimPrivateKey: Uint8Array; now: Date }): Promise<{ id: string; domain: string; status: "PENDING" | "VERIFIED" | "FAILED"; returnPath: string; dkimSelector: string | null; dkimPublicKey: string | null; recordStates: Json; recordFindings: Json; lastCheckedAt: Date | null; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** Whether the project has this domain, and how many it has in all.
     * (sql/queries/domains.sql:29) */
    standing(on: On, args: { domain: string; projectId: string }): Promise<{ total: number; isKnown: boolean }>;
    /** (sql/queries/domains.sql:37) */
    get(on: On, args: { projectId: string; domainId: string }): Promise<{ id: string; domain: string; status: "PENDING" | "VERIFIED" | "FAILED"; returnPath: string; dkimSelector: string | null; dkimPublicKey: string | null; recordStates: Json; recordFindings: Json; lastCheckedAt: Date | null; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** (sql/queries/domains.sql:44) */
    list(on: On, args: { projectId: string }): Promise<{ id: string; domain: string; status: "PENDING" | "VERIFIED" | "FAILED"; returnPath: string; dkimSelector: string | null; dkimPublicKey: string | null; recordStates: Json; recordFindings: Json; lastCheckedAt: Date | null; projectId: string; createdAt: Date; updatedAt: Date }[]>;
    /** Gives a domain its key, and has it checked soon. 0 when it has one.
     * (sql/queries/domains.sql:52) */
    setKey(on: On, args: { dkimSelector: string; dkimPublicKey: string; dkimPrivateKey: Uint8Array; now: Date; projectId: string; domainId: string }): Promise<number>;
    /** The key of a domain by its name, if it has one.
     * (sql/queries/domains.sql:63) */
    sealedKey(on: On, args: { projectId: string; domain: string }): Promise<{ id: string; dkimSelector: string | null; dkimPrivateKey: Uint8Array | null } | null>;
    /** Gives a domain another key in place of the one with this selector. The DNS holds the old one: nothing is proved any
     * more, and what a check that is in progress finds is not written. 0 when it has another key by now.
     * (sql/queries/domains.sql:69) */
    replaceKey(on: On, args: { dkimSelector: string; dkimPublicKey: string; dkimPrivateKey: Uint8Array; now: Date; projectId: string; domainId: string; replaced: string }): Promise<number>;
    /** The sealed key of a domain that may be sent from, once the DNS has been seen to hold its public half.
     * (sql/queries/domains.sql:88) */
    signingKey(on: On, args: { projectId: string; domain: string }): Promise<{ id: string; domain: string; dkimSelector: string; dkimPrivateKey: Uint8Array } | null>;
    /** Where the bounces of a domain's mails may come back to: the DNS has been seen to lead from there to us.
     * (sql/queries/domains.sql:98) */
    returnPath(on: On, args: { projectId: string; domain: string }): Promise<{ returnPath: string } | null>;
    /** The projects whose bounces come back to a domain, whatever its records say now: the mails were sent before.
     * (sql/queries/domains.sql:104) */
    returnedTo(on: On, args: { returnPath: string; limit: number }): Promise<{ projectId: string }[]>;
    /** Takes the domains that are due, the longest overdue first; nobody else takes them before `held_until`. Two processes
     * take different ones. The number is a literal, so that the planner knows that they are few; with a parameter it reads
     * the whole table.
     * (sql/queries/domains.sql:111) */
    claimDue(on: On, args: { now: Date; heldUntil: Date }): Promise<{ projectId: string; id: string; domain: string; status: "PENDING" | "VERIFIED" | "FAILED"; trusted: boolean; returnPath: string; dkimSelector: string | null; dkimPublicKey: string | null; recordStates: Json; recordFindings: Json; verifiedAt: Date | null; failures: number; failingSince: Date | null }[]>;
    /** Takes one domain, unless a look-up of it began after `not_since`.
     * (sql/queries/domains.sql:131) */
    claim(on: On, args: { now: Date; heldUntil: Date; projectId: string; domainId: string; notSince: Date }): Promise<{ projectId: string; id: string; domain: string; status: "PENDING" | "VERIFIED" | "FAILED"; trusted: boolean; returnPath: string; dkimSelector: string | null; dkimPublicKey: string | null; recordStates: Json; recordFindings: Json; verifiedAt: Date | null; failures: number; failingSince: Date | null } | null>;
    /** Writes the results of a batch of look-ups, for those domains that are still held since `started_at`; the others were
     * deleted or taken over in the meantime. Rows are locked in one order, so that two batches cannot deadlock.
     * (sql/queries/domains.sql:142) */
    recordChecks(on: On, args: { checks: { project_id: string; id: string; status: "PENDING" | "VERIFIED" | "FAILED"; verified_at: Date | string | null | undefined; failures: number; failing_since: Date | string | null | undefined; next_check_at: Date | string; record_states: JsonArg; record_findings: JsonArg }[]; startedAt: Date; now: Date }): Promise<{ projectId: string; id: string; domain: string; dkimSelector: string | null; was: "PENDING" | "VERIFIED" | "FAILED"; status: "PENDING" | "VERIFIED" | "FAILED"; changed: boolean }[]>;
    /** The domain, held until the end of the transaction.
     * (sql/queries/domains.sql:180) */
    lock(on: On, args: { projectId: string; domainId: string }): Promise<{ domain: string } | null>;
    /** (sql/queries/domains.sql:187) */
    remove(on: On, args: { projectId: string; domainId: string }): Promise<number>;
    /** The templates that send from a domain, newest first. A project has hundreds of templates, and not millions.
     * (sql/queries/domains.sql:191) */
    templatesFrom(on: On, args: { projectId: string; domain: string; limit: number }): Promise<{ id: string; name: string }[]>;
    /** The campaigns that have not been sent yet and will be from a domain, newest first.
     * (sql/queries/domains.sql:199) */
    campaignsFrom(on: On, args: { projectId: string; domain: string; limit: number }): Promise<{ id: string; name: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED" }[]>;
    /** The domain of a sender, with what is known of its records; `trusted`: the operator vouches for it.
     * (sql/queries/domains.sql:209) */
    ofSender(on: On, args: { projectId: string; domain: string }): Promise<{ domain: string; status: "PENDING" | "VERIFIED" | "FAILED"; trusted: boolean; returnPath: string; dkimSelector: string | null; dkimPublicKey: string | null; recordStates: Json; recordFindings: Json; lastCheckedAt: Date | null } | null>;
  };
  edits: {
    /** Who edits in this transaction.
     * (sql/queries/edits.sql:1) */
    actAs(on: On, args: { editor: string }): Promise<number>;
    /** Who last edited a thing, and when.
     * (sql/queries/edits.sql:5) */
    last(on: On, args: { kind: string; projectId: string; id: string }): Promise<{ editedBy: string | null; editedAt: Date } | null>;
  };
  emailDetails: {
    /** What a mail said, while its body is kept, and its contact as they are now.
     * (sql/queries/email_details.sql:1) */
    content(on: On, args: { projectId: string; emailId: string }): Promise<{ id: string; address: string; toName: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; templateId: string | null; contactId: string | null; ownData: Json | null; resendOf: string | null; parentId: string | null; firstRecipient: Json | null; sentSubject: string | null; contentId: string | null; subject: string | null; html: string | null; text: string | null; fromEmail: string | null; fromName: string | null; replyTo: string | null; headers: Json | null; requestData: Json | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; offersUnsubscribe: boolean | null; emptiedAt: Date | null; subscribed: boolean | null; contactData: Json | null; projectName: string; language: string; postalAddress: string | null } | null>;
    /** Whom a message was addressed to, up to 1,000, as its request named them: those of the mails with the same content, without
     * copies. A content of workflows and campaigns has many messages: there it is the recipient of the mail alone.
     * (sql/queries/email_details.sql:18) */
    namedTo(on: On, args: { projectId: string; emailId: string }): Promise<{ email: string | null; name: string | null }[]>;
    /** A mail that will be sent again, with what decides whether it may. `to` is the address that its contact has now; null
     * once the contact has been deleted. The contact is locked: it stays until the commit.
     * (sql/queries/email_details.sql:40) */
    toResend(on: On, args: { projectId: string; emailId: string }): Promise<{ contactId: string | null; to: string | null; toName: string | null; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; templateId: string | null; data: Json | null; role: "to" | "cc" | "bcc" | null; parentId: string | null; isDataGone: boolean; subscribed: boolean | null; contentId: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; fromEmail: string | null } | null>;
    /** The attachments of a content, without their bytes.
     * (sql/queries/email_details.sql:69) */
    attachments(on: On, args: { projectId: string; contentId: string }): Promise<{ filename: string; contentType: string; disposition: string; size: number }[]>;
    /** One file of a mail, by its place among them, from 0, while it is kept; or the whole message that it was submitted as.
     * (sql/queries/email_details.sql:76) */
    attachment(on: On, args: { projectId: string; emailId: string; index: number }): Promise<{ filename: string; disposition: string; content: Uint8Array } | null>;
    /** What happened to a mail, oldest first: what its own row says, and its events. They are found among those of its
     * contact, or without one, by their names, and no longer after it than anybody opens a mail. In two parts: "is not distinct
     * from" uses no index.
     * (sql/queries/email_details.sql:88) */
    timeline(on: On, args: { projectId: string; contactId: string | null; names: string[]; since: string; emailId: string; limit: number }): Promise<{ id: string; name: string; data: Json; bot: boolean; createdAt: Date }[]>;
  };
  emails: {
    /** Adds the mails of one or several requests to the ledger, and returns those that are to be sent: a mail to a suppressed
     * address is closed at once. `rows` holds `{id, contact_id, address, to_name?, content_id, template_id?, resend_of?,
     * data?, scheduled_for?, role?, parent_id?}`. The caller has just written or locked the contacts, so none of them can be deleted in the meantime. The
     * suppression list is looked up address by address, whatever the planner estimates about its size. They count against this
     * month's limit: all of them, or nothing is done.
     * (sql/queries/emails.sql:1) */
    insertMany(on: On, args: { projectId: string; now: Date; rows: { id: string; contact_id: string | null | undefined; address: string; to_name: string | null | undefined; content_id: string; template_id: string | null | undefined; resend_of: string | null | undefined; data: JsonArg | null | undefined; scheduled_for: Date | string | null | undefined; role: "to" | "cc" | "bcc" | null | undefined; parent_id: string | null | undefined }[] }): Promise<{ projectId: string; id: string; scheduledFor: Date | null }[]>;
    /** With what it said.
     * (sql/queries/emails.sql:45) */
    byId(on: On, args: { projectId: string; emailId: string }): Promise<{ id: string; contactId: string | null; to: string | null; toName: string | null; subject: string | null; from: string | null; fromName: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; tags: Json | null; templateId: string | null; campaignId: string | null; workflowId: string | null; stepId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; messageId: string | null; attempts: number; error: string | null; queuedAt: Date; capturedAt: Date | null; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; unsubscribedAt: Date | null; opens: number; clicks: number; providerId: string | null; resendOf: string | null; doubtedAt: Date | null; scheduledFor: Date | null; role: "to" | "cc" | "bcc"; parentId: string | null; cc: Json; bcc: Json; nextAttemptAt: Date | null } | null>;
    /** One page of mails, after the place where the cursor stands. The filter is one of a closed set.
     * (sql/queries/emails.sql:62) */
    list(on: On, args: { projectId: string; after: Fragment; filter: Fragment; direction: Fragment; limit: number }): Promise<{ id: string; contactId: string | null; to: string | null; toName: string | null; subject: string | null; from: string | null; fromName: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; tags: Json | null; templateId: string | null; campaignId: string | null; workflowId: string | null; stepId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; messageId: string | null; attempts: number; error: string | null; queuedAt: Date; capturedAt: Date | null; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; unsubscribedAt: Date | null; opens: number; clicks: number; providerId: string | null; resendOf: string | null; doubtedAt: Date | null; scheduledFor: Date | null; role: "to" | "cc" | "bcc"; parentId: string | null; cc: Json; bcc: Json; nextAttemptAt: Date | null }[]>;
    /** How many mails have a tag, of those with such ids (`t.email_id`), counted up to `up_to`.
     * (sql/queries/emails.sql:86) */
    countTagged(on: On, args: { projectId: string; tag: string; between: Fragment; upTo: number }): Promise<{ total: number }>;
    /** Makes mails found by their tags. `rows` holds `{email_id, tag}`.
     * (sql/queries/emails.sql:97) */
    tag(on: On, args: { projectId: string; rows: { email_id: string; tag: string }[] }): Promise<number>;
    /** Gives a mail the tags of another one.
     * (sql/queries/emails.sql:103) */
    tagAs(on: On, args: { emailId: string; projectId: string; originalId: string }): Promise<number>;
    /** The contacts whose address contains a text, up to `limit`.
     * (sql/queries/emails.sql:110) */
    foundContacts(on: On, args: { projectId: string; pattern: string; limit: number }): Promise<{ id: string }[]>;
    /** The contents whose subject, as written, contains a text, up to `limit`.
     * (sql/queries/emails.sql:117) */
    foundContents(on: On, args: { projectId: string; pattern: string; limit: number }): Promise<{ id: string }[]>;
    /** The campaigns that have been sent and whose subject contains a text, up to `limit`.
     * (sql/queries/emails.sql:124) */
    foundCampaigns(on: On, args: { projectId: string; pattern: string; limit: number }): Promise<{ id: string }[]>;
    /** One page of mails to these contacts, with these contents or of these campaigns, between two ids, newest first. Each
     * of them gives a page by its index, and the page is looked up by its keys, whatever the planner estimates.
     * (sql/queries/emails.sql:132) */
    find(on: On, args: { contactIds: string[]; projectId: string; after: string; before: string; limit: number; contentIds: string[]; campaignIds: string[] }): Promise<{ id: string; contactId: string | null; to: string | null; toName: string | null; subject: string | null; from: string | null; fromName: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; tags: Json | null; templateId: string | null; campaignId: string | null; workflowId: string | null; stepId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; status: "PENDING" | "SENDING" | "CAPTURED" | "IN_DOUBT" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED"; messageId: string | null; attempts: number; error: string | null; queuedAt: Date; capturedAt: Date | null; sentAt: Date | null; deliveredAt: Date | null; openedAt: Date | null; clickedAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; unsubscribedAt: Date | null; opens: number; clicks: number; providerId: string | null; resendOf: string | null; doubtedAt: Date | null; scheduledFor: Date | null; role: "to" | "cc" | "bcc"; parentId: string | null; cc: Json; bcc: Json; nextAttemptAt: Date | null }[]>;
    /** How many mails match the filter, counted up to `up_to`.
     * (sql/queries/emails.sql:196) */
    count(on: On, args: { projectId: string; filter: Fragment; upTo: number }): Promise<{ total: number }>;
    /** Locks one mail for the rest of the transaction. A transaction that changes a mail and its contact locks the mail
     * first.
     * (sql/queries/emails.sql:207) */
    hold(on: On, args: { projectId: string; emailId: string }): Promise<number>;
    /** Notes on a mail that its recipient unsubscribed through a link of it; the campaign's counter follows.
     * (sql/queries/emails.sql:215) */
    unsubscribed(on: On, args: { now: Date; projectId: string; emailId: string; contactId: string }): Promise<number>;
  };
  engagement: {
    /** Records a batch of opens and clicks, in which a mail may occur several times: its counts and times, the events, and
     * through the trigger `emails_count` the counters of the campaign; clicks count for the links of the campaign, too. `hits` holds, in the order in which they came,
     * `{n, project_id, email_id, event_id, link?, is_bot, at}`; with a link it is a click. Returns the number of events.
     * 
     * Bots are recorded, and change only `bot_opened_at`. A click is an open too, because many people load no images: it
     * sets `opened_at`, but does not count among the `opens`. The state only moves forward, and not at all once the mail has
     * ended otherwise. A mail in doubt turns out to have been sent; one that is being sent is left to its sender. Mails that
     * were never sent, or are unknown, record nothing. A captured mail was not sent either, but people who try things out in
     * the inbox expect workflows to react: it is recorded and flagged, and changes nothing in the ledger. Mails are locked in
     * the order of their ids, so that two batches never deadlock. Contents are looked up one by one, whatever the planner
     * estimates.
     * (sql/queries/engagement.sql:1) */
    record(on: On, args: { hits: { n: number; project_id: string; email_id: string; event_id: string; link: string | null | undefined; is_bot: boolean; at: string }[] }): Promise<number>;
  };
  eventCounts: {
    /** Adds up to `limit` deltas to the days and to the totals, and returns how many they were.
     * (sql/queries/event_counts.sql:1) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
    /** The first day, starting at a given one, that may have events or counts; null when there are no more.
     * (sql/queries/event_counts.sql:33) */
    nextDay(on: On, args: { fromDay: Date; projectId: string }): Promise<{ day: Date } | null>;
    /** The days on which events and their counts differ, with both.
     * (sql/queries/event_counts.sql:56) */
    faults(on: On, args: { projectId: string; firstDay: Date; lastDay: Date; forgets: boolean; limit: number }): Promise<{ day: Date; name: string; facts: number; counted: number }[]>;
    /** Corrects the counts of these days, up or down. What is recorded or rolled up in the meantime makes no difference:
     * everything is read in one snapshot, and the correction is a delta like any other.
     * (sql/queries/event_counts.sql:63) */
    recount(on: On, args: { projectId: string; firstDay: Date; lastDay: Date; forgets: boolean }): Promise<number>;
    /** Totals that are not the sum of their days.
     * (sql/queries/event_counts.sql:70) */
    totalFaults(on: On, args: { projectId: string; limit: number }): Promise<{ name: string; days: number; total: number }[]>;
    /** Sets every total to the sum of its days. Only while nobody rolls up.
     * (sql/queries/event_counts.sql:90) */
    recountTotals(on: On, args: { projectId: string }): Promise<number>;
  };
  eventDeletion: {
    /** All that is recorded of the name now is not after this one.
     * (sql/queries/event_deletion.sql:3) */
    newest(on: On, args: { projectId: string; name: string }): Promise<{ id: string } | null>;
    /** How many there are, up to a limit, from the index alone.
     * (sql/queries/event_deletion.sql:11) */
    count(on: On, args: { projectId: string; name: string; upTo: string; limit: number }): Promise<{ events: number }>;
    /** How many there are by the counters, without days whose events may have expired.
     * (sql/queries/event_deletion.sql:21) */
    counted(on: On, args: { projectId: string; name: string }): Promise<{ events: number }>;
    /** For the rest of this transaction, whatever the planner estimates about the tables.
     * (sql/queries/event_deletion.sql:31) */
    readByIndex(on: On): Promise<number>;
    /** Looks at the next events of the name, in the order of their ids, and deletes those that nobody else has deleted yet:
     * starting from the first id each time would mean passing all dead rows again. `last_id` is how far it got. The
     * counters follow by the trigger of the table.
     * (sql/queries/event_deletion.sql:35) */
    remove(on: On, args: { projectId: string; name: string; after: string; upTo: string; limit: number }): Promise<{ gone: number; looked: number; lastId: string | null }>;
    /** Removes what is still counted under the name on days whose events have expired, because nothing else would. Events
     * that do still exist stay counted.
     * (sql/queries/event_deletion.sql:56) */
    forget(on: On, args: { projectId: string; name: string }): Promise<number>;
  };
  eventLog: {
    /** Those of one name, or of all.
     * (sql/queries/event_log.sql:4) */
    recent(on: On, args: { projectId: string; named: string | null; since: string; before: string; limit: number }): Promise<{ id: string; name: string; data: Json; contactId: string | null; emailId: string | null; projectId: string; createdAt: Date; contactEmail: string | null }[]>;
    /** Of a contact with many, those from `recent` on are looked for first.
     * (sql/queries/event_log.sql:19) */
    recentOfContact(on: On, args: { projectId: string; contactId: string; since: string; before: string; recent: string; limit: number }): Promise<{ id: string; name: string; data: Json; contactId: string | null; emailId: string | null; projectId: string; createdAt: Date }[]>;
    /** A mail that an event is about.
     * (sql/queries/event_log.sql:32) */
    mail(on: On, args: { projectId: string; emailId: string }): Promise<{ id: string } | null>;
  };
  eventStats: {
    /** (sql/queries/event_stats.sql:3) */
    ofAllTime(on: On, args: { projectId: string; limit: number }): Promise<{ name: string; count: number }[]>;
    /** The days are of UTC, both among them.
     * (sql/queries/event_stats.sql:11) */
    ofDays(on: On, args: { projectId: string; firstDay: string; lastDay: string; limit: number }): Promise<{ name: string; count: number }[]>;
    /** The most frequent names of some days, except those that match `reserved`, and their frequency on the days before.
     * (sql/queries/event_stats.sql:20) */
    top(on: On, args: { firstDay: string; projectId: string; firstDayBefore: string; lastDay: string; reserved: string; limit: number }): Promise<{ name: string; count: number; before: number }[]>;
    /** The most frequent names of all time: how often each was recorded on which of these days, as their places among them, and
     * the id of its last event. Each name is looked up by an index, whatever the planner estimates: a project may have ten
     * times as many. The last event is looked for from the last day on that has a count, which is in one partition or two.
     * (sql/queries/event_stats.sql:33) */
    byDay(on: On, args: { projectId: string; limit: number; firstDay: string; lastDay: string }): Promise<{ name: string; total: number; places: number[]; counts: number[]; newestId: string | null }[]>;
  };
  eventUsage: {
    /** (sql/queries/event_usage.sql:3) */
    segments(on: On, args: { projectId: string; fields: string[] }): Promise<{ id: string; name: string }[]>;
    /** Those on their way to be sent.
     * (sql/queries/event_usage.sql:14) */
    campaigns(on: On, args: { projectId: string; fields: string[] }): Promise<{ id: string; name: string }[]>;
    /** How many there are, by the counters.
     * (sql/queries/event_usage.sql:27) */
    total(on: On, args: { projectId: string; name: string }): Promise<{ total: number }>;
    /** How many contacts the newest `limit` of them are about, from the index alone.
     * (sql/queries/event_usage.sql:33) */
    contacts(on: On, args: { projectId: string; name: string; limit: number }): Promise<{ contacts: number }>;
  };
  events: {
    /** Records events. `rows` holds `{project_id, id, contact_id?, email_id?, name, data}`.
     * (sql/queries/events.sql:1) */
    insertMany(on: On, args: { now: Date; rows: { project_id: string; id: string | null | undefined; contact_id: string | null | undefined; email_id: string | null | undefined; name: string; data: JsonArg }[] }): Promise<number>;
  };
  executionCounts: {
    /** Adds up to `limit` deltas to the days, and returns how many they were.
     * (sql/queries/execution_counts.sql:1) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
    /** How many executions there are of each day, and how many are counted, if that is not the same at this very moment.
     * (sql/queries/execution_counts.sql:20) */
    faults(on: On, args: { projectId: string; limit: number }): Promise<{ day: Date; facts: number; counted: number }[]>;
    /** Corrects the counts of these days, up or down. What begins or is rolled up in the meantime makes no difference:
     * everything is read in one snapshot, and the correction is a delta like any other.
     * (sql/queries/execution_counts.sql:36) */
    recount(on: On, args: { projectId: string }): Promise<number>;
  };
  executionRun: {
    /** For the rest of this transaction: tables from which few rows are wanted are read by their indexes, even where a plan
     * was cached while they were small. And no reset of these projects can begin: it will find what is started here.
     * (sql/queries/execution_run.sql:1) */
    begin(on: On, args: { projectIds: string[] }): Promise<number>;
    /** (sql/queries/execution_run.sql:12) */
    analyze(on: On): Promise<number>;
    /** The depth of whatever this transaction records from here on: how many workflows have led to it.
     * (sql/queries/execution_run.sql:15) */
    deepen(on: On, args: { depth: string }): Promise<number>;
    /** Which workflows these events start, and whom for; the oldest event first.
     * (sql/queries/execution_run.sql:19) */
    listening(on: On, args: { projectIds: string[]; eventIds: string[] }): Promise<{ projectId: string; eventId: string; eventName: string; contactId: string; workflowId: string; versionId: string | null; allowReentry: boolean }[]>;
    /** Creates executions where the re-entry rule allows it, each with the first entry of its history. The unique indexes
     * are that rule: an event that is processed again leads to the id of the execution it has already started. Only
     * contacts who entered while re-entry was allowed have to be searched for. `rows` holds, in the order of their claims,
     * `{n, project_id, id, workflow_id, version_id, contact_id, status, trigger_id, step_id?, exit_reason?, is_only, depth,
     * context?, event_id?, entry_id, history?}`; the data of an event becomes `event` in the context. Contacts that are
     * being deleted drop out. The events are read separately: joined with a contact that has to be waited for, Postgres 18
     * loses the partition that they are in.
     * (sql/queries/execution_run.sql:31) */
    startMany(on: On, args: { rows: { n: number; project_id: string; id: string; workflow_id: string; version_id: string; contact_id: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; trigger_id: string | null | undefined; step_id: string | null | undefined; exit_reason: string | null | undefined; is_only: boolean; depth: number; context: JsonArg | null | undefined; event_id: string | null | undefined; entry_id: string | null | undefined; history: JsonArg | null | undefined }[]; now: Date }): Promise<{ projectId: string; id: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED" }[]>;
    /** Active executions with everything needed to continue, locked until the commit in the order of their ids. Their contacts
     * are locked too, so that they are neither deleted nor given another address. Executions of a disabled project are held
     * up; those that a reset deletes have ended. Nothing else is read here: after waiting for a lock, a statement sees the
     * rows it has locked as they are now, but all other tables as they were before.
     * (sql/queries/execution_run.sql:80) */
    hold(on: On, args: { projectIds: string[]; ids: string[] }): Promise<{ projectId: string; id: string; workflowId: string; versionId: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string; stepExecutionId: string | null; revision: number; tries: number; depth: number; context: Json; wakeAt: Date | null; heldUp: boolean; contactId: string; email: string; subscribed: boolean; data: Json; createdAt: Date; updatedAt: Date }[]>;
    /** The graphs of these versions; they never change.
     * (sql/queries/execution_run.sql:99) */
    graphs(on: On, args: { projectIds: string[]; ids: string[] }): Promise<{ id: string; graph: Json }[]>;
    /** Writes the new positions of executions. `rows` holds `{project_id, id, revision, moved, status, step_id?,
     * step_execution_id?, depth, context?, exit_reason?, wake_at?, completed_at?}`; one that has moved since it was read stays.
     * (sql/queries/execution_run.sql:105) */
    move(on: On, args: { rows: { project_id: string; id: string; revision: number; moved: number; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; step_id: string | null | undefined; step_execution_id: string | null | undefined; depth: number; context: JsonArg | null | undefined; exit_reason: string | null | undefined; wake_at: Date | string | null | undefined; completed_at: Date | string | null | undefined }[] }): Promise<number>;
    /** Tells what steps did. `rows` holds `{project_id, id, execution_id, step_id, seq, status, output?, error?, started_at,
     * completed_at?}`.
     * (sql/queries/execution_run.sql:130) */
    addSteps(on: On, args: { rows: { project_id: string; id: string; execution_id: string; step_id: string; seq: number; status: "PENDING" | "WAITING" | "RUNNING" | "COMPLETED" | "FAILED"; output: JsonArg | null | undefined; error: string | null | undefined; started_at: Date | string; completed_at: Date | string | null | undefined }[] }): Promise<number>;
    /** Tells how steps ended that stood open. `rows` holds `{project_id, id, status, output?, error?, completed_at}`.
     * (sql/queries/execution_run.sql:144) */
    endSteps(on: On, args: { rows: { project_id: string; id: string; status: "PENDING" | "WAITING" | "RUNNING" | "COMPLETED" | "FAILED"; output: JsonArg | null | undefined; error: string | null | undefined; completed_at: Date | string }[] }): Promise<number>;
    /** A step could not be done now. Until then a job knows of it.
     * (sql/queries/execution_run.sql:158) */
    tryAgain(on: On, args: { wakeAt: Date; projectId: string; executionId: string }): Promise<number>;
    /** Enqueues jobs for executions. `rows` holds `{task, payload, run_at?, key?, priority?}`, each key once.
     * (sql/queries/execution_run.sql:164) */
    addJobs(on: On, args: { rows: { task: string; payload: JsonArg; run_at: Date | string | null | undefined; key: string | null | undefined; priority: number | null | undefined }[] }): Promise<number>;
    /** Which of these rows match a compiled condition, and the result of some of its filters for each. `rows` holds
     * contacts as they are in memory, `{n, id, email, subscribed, created_at, updated_at, data}`, or other data in their
     * place.
     * (sql/queries/execution_run.sql:172) */
    satisfying(on: On, args: { condition: Fragment; answers: Fragment; rows: { n: number; id: string; email: string; subscribed: boolean; created_at: Date | string; updated_at: Date | string; data: JsonArg }[] }): Promise<{ n: number; holds: boolean; answers: boolean[] }[]>;
    /** Contacts as they are now.
     * (sql/queries/execution_run.sql:183) */
    contacts(on: On, args: { projectId: string; ids: string[] }): Promise<{ id: string; email: string; subscribed: boolean; data: Json; createdAt: Date; updatedAt: Date }[]>;
    /** What a template says, its sender, and the content that its mails share so far; no content where the template, or the
     * project's tracking, has changed since.
     * (sql/queries/execution_run.sql:189) */
    content(on: On, args: { projectId: string; templateId: string }): Promise<{ subject: string; preheader: string | null; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; writtenAt: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY"; contentId: string | null } | null>;
    /** Mails with this template, as it is now, share this content from now on.
     * (sql/queries/execution_run.sql:205) */
    keepContent(on: On, args: { projectId: string; templateId: string; contentId: string; writtenAt: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY" }): Promise<number>;
    /** Adds the mails of a step to the ledger, each under the id of its history entry, so that none can exist twice. Returns
     * those that are to be sent: a mail to a suppressed address, or beyond this month's limit, is closed at once. `rows`
     * holds `{id, execution_id, contact_id?, address, data?}`. The caller holds the contacts.
     * (sql/queries/execution_run.sql:215) */
    addEmails(on: On, args: { projectId: string; now: Date; rows: { id: string; execution_id: string; contact_id: string | null | undefined; address: string; data: JsonArg | null | undefined }[]; contentId: string; templateId: string; workflowId: string; stepId: string; overLimit: string }): Promise<{ projectId: string; id: string }[]>;
    /** What has been due since `before` and has no job: its project was disabled, or its job has failed too often. Nothing is
     * as long as jobs wait that are as old: then there is only much to do.
     * (sql/queries/execution_run.sql:259) */
    stranded(on: On, args: { before: Date; limit: number }): Promise<{ projectId: string; id: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED" }[]>;
  };
  executionTrial: {
    /** What an update would make of the data of a contact, and whether the contact could hold it: the rules are those of
     * `contacts.upsert_many` and of the constraint `contacts_data_size`. Nothing is written.
     * (sql/queries/execution_trial.sql:1) */
    merge(on: On, args: { current: JsonArg; sets: JsonArg; deletes: JsonArg | null }): Promise<{ data: Json; fits: boolean }>;
  };
  executions: {
    /** One execution of a workflow, with whom it is for.
     * (sql/queries/executions.sql:1) */
    byId(on: On, args: { projectId: string; workflowId: string; executionId: string }): Promise<{ id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Json; startedAt: Date; completedAt: Date | null; versionId: string; contactEmail: string | null; workflowName: string } | null>;
    /** What happened to each step of an execution, in the order in which it came to them.
     * (sql/queries/executions.sql:11) */
    history(on: On, args: { projectId: string; executionId: string }): Promise<{ id: string; executionId: string; stepId: string; status: "PENDING" | "WAITING" | "RUNNING" | "COMPLETED" | "FAILED"; output: Json | null; error: string | null; startedAt: Date; completedAt: Date | null }[]>;
    /** By which graph an execution goes, and which version of its workflow that is; null if that was before they had numbers.
     * (sql/queries/executions.sql:18) */
    graph(on: On, args: { projectId: string; workflowId: string; executionId: string }): Promise<{ graph: Json; version: number | null } | null>;
    /** One page of the executions of a workflow that began in a period, newest first.
     * (sql/queries/executions.sql:25) */
    list(on: On, args: { projectId: string; workflowId: string; fromId: string; untilId: string; limit: number; offset: number }): Promise<{ id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Json; startedAt: Date; completedAt: Date | null; versionId: string; contactEmail: string | null }[]>;
    /** The same for executions in one state. A separate statement, because one plan could not serve both.
     * (sql/queries/executions.sql:42) */
    listByStatus(on: On, args: { projectId: string; workflowId: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; fromId: string; untilId: string; limit: number; offset: number }): Promise<{ id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Json; startedAt: Date; completedAt: Date | null; versionId: string; contactEmail: string | null }[]>;
    /** The same for those that are at a step.
     * (sql/queries/executions.sql:59) */
    atStep(on: On, args: { projectId: string; workflowId: string; stepId: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED" | null; fromId: string; untilId: string; limit: number; offset: number }): Promise<{ id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Json; startedAt: Date; completedAt: Date | null; versionId: string; contactEmail: string | null }[]>;
    /** All executions of a workflow for one contact, newest first: there are few.
     * (sql/queries/executions.sql:79) */
    ofContact(on: On, args: { projectId: string; contactId: string; workflowId: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED" | null; stepId: string | null; fromId: string; untilId: string; upTo: number }): Promise<{ id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Json; startedAt: Date; completedAt: Date | null; versionId: string; contactEmail: string | null }[]>;
    /** The newest executions of a contact: of one contact there are few.
     * (sql/queries/executions.sql:94) */
    newestOfContact(on: On, args: { projectId: string; contactId: string; limit: number }): Promise<{ id: string; workflowId: string; workflowName: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; startedAt: Date; completedAt: Date | null }[]>;
    /** How many executions a workflow has, counted up to `up_to`.
     * (sql/queries/executions.sql:103) */
    count(on: On, args: { projectId: string; workflowId: string; fromId: string; untilId: string; upTo: number }): Promise<{ total: number }>;
    /** (sql/queries/executions.sql:114) */
    countByStatus(on: On, args: { projectId: string; workflowId: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; fromId: string; untilId: string; upTo: number }): Promise<{ total: number }>;
    /** (sql/queries/executions.sql:124) */
    countAtStep(on: On, args: { projectId: string; workflowId: string; stepId: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED" | null; fromId: string; untilId: string; upTo: number }): Promise<{ total: number }>;
    /** Some executions of a workflow that are in progress and began by `until`.
     * (sql/queries/executions.sql:137) */
    active(on: On, args: { projectId: string; workflowId: string; until: Date; limit: number }): Promise<{ id: string }[]>;
    /** Holds those of these executions that are in progress.
     * (sql/queries/executions.sql:147) */
    holdActive(on: On, args: { projectId: string; workflowId: string; executionIds: string[] }): Promise<{ id: string }[]>;
    /** Ends executions that the caller holds, permanently. Their waits are deleted, and open entries of their histories are
     * closed. After waiting for a lock, a transaction sees the wait and the history only in a later statement: this one.
     * (sql/queries/executions.sql:158) */
    cancel(on: On, args: { projectId: string; executionIds: string[]; now: Date }): Promise<number>;
  };
  expired: {
    /** From the commit on it is known that rows of this kind may be missing before a moment.
     * (sql/queries/expired.sql:1) */
    note(on: On, args: { kind: string; until: Date }): Promise<number>;
    /** (sql/queries/expired.sql:9) */
    now(on: On): Promise<{ now: Date }>;
    /** The time before which rows of a project may be missing; null if none has been deleted since it was created.
     * (sql/queries/expired.sql:12) */
    ofProject(on: On, args: { projectId: string }): Promise<{ events: Date | null; emails: Date | null } | null>;
  };
  feedback: {
    /** Finds the mails that notices are about, and locks them for the rest of the transaction, in the order of their ids, so
     * that two batches never deadlock. `names` holds `{n, project_id?, email_id?, provider_id?, within?}`; the result has a row for
     * each `n` whose mail is known. `within` is the only project whose mails the notice may be about. The provider's id counts where our own ids are missing or unknown: a header may be
     * forged, but not the reply that the provider gave us. Mails that were never sent are left out: a notice about them is
     * not about ours. Mails that were in doubt once may have been sent, whatever happened later. All are looked up one by
     * one, whatever the planner estimates.
     * (sql/queries/feedback.sql:1) */
    holdMails(on: On, args: { names: { n: number; project_id: string | null | undefined; email_id: string | null | undefined; provider_id: string | null | undefined; within: string | null | undefined }[] }): Promise<{ n: number; projectId: string; id: string; contactId: string | null; address: string; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string | null; messageId: string | null; transportId: string | null; mailboxProvider: string | null; sentAt: Date | null; deliveredAt: Date | null; bouncedAt: Date | null; complainedAt: Date | null; role: "to" | "cc" | "bcc" | null; parentId: string | null; messageFrom: string | null; templateId: string | null; subject: string | null; fromEmail: string | null; fromName: string | null; tags: Json | null }[]>;
    /** Writes what happened to mails, which the caller holds; the counters of campaigns follow by the trigger of the ledger.
     * `changes` holds, for each mail once, `{project_id, id, sent_at, delivered_at, bounced_at, complained_at, rejected,
     * reason, remark, message_id, provider_id}`.
     * 
     * The states are in their type from the weakest to the strongest: the stronger of two stays, in whatever order they
     * are reported. Notices are only about mails that have been sent, so each is SENT at least. What the ledger had taken
     * for FAILED or SUPPRESSED, while it was in doubt, becomes what the notice says. A rejection by the provider makes a
     * mail FAILED unless something is known that only a sent mail can have. Times are set once. The reason belongs to the
     * final state; a remark stays until something better is known.
     * (sql/queries/feedback.sql:72) */
    write(on: On, args: { changes: { project_id: string; id: string; sent_at: Date | string | null | undefined; delivered_at: Date | string | null | undefined; bounced_at: Date | string | null | undefined; complained_at: Date | string | null | undefined; rejected: boolean; reason: string | null | undefined; remark: string | null | undefined; message_id: string | null | undefined; provider_id: string | null | undefined }[] }): Promise<number>;
    /** Those of these contacts who want no more mail, locked for the rest of the transaction: those who complained, and
     * those whose address has bounced, unless they have another one by now. `lost` holds `{project_id, contact_id,
     * address?, complained}`. Locked in the order of `contacts.opt_out_many`.
     * (sql/queries/feedback.sql:132) */
    holdLost(on: On, args: { lost: { project_id: string; contact_id: string; address: string | null | undefined; complained: boolean }[] }): Promise<{ projectId: string; id: string }[]>;
  };
  handoverMarks: {
    /** The marks of this process are valid from now on. `email_ids` are the mails that it has in flight and may have marked
     * before; they are kept in a separate place, below those of groups. If the reply to a note was lost, the note may still
     * arrive after a later one: it then changes nothing.
     * (sql/queries/handover_marks.sql:1) */
    noteDown(on: On, args: { workerId: string; epoch: number; emailIds: string[] }): Promise<number>;
    /** Marks mails whose end is about to be sent. Returns those that may be; null if this process is not noted down.
     * (sql/queries/handover_marks.sql:14) */
    mark(on: On, args: { workerId: string; epoch: number; place: number; projectIds: string[]; emailIds: string[] }): Promise<{ held: string[] | null }>;
    /** Until the commit these processes can mark nothing; their earlier marks are committed.
     * (sql/queries/handover_marks.sql:18) */
    hold(on: On, args: { workerIds: string[] }): Promise<number>;
    /** What these processes have marked is settled, and they are not noted down any more.
     * (sql/queries/handover_marks.sql:24) */
    remove(on: On, args: { workerIds: string[] }): Promise<number>;
    /** Marks of unknown processes that hold no mail. A process that is alive notes itself down again.
     * (sql/queries/handover_marks.sql:31) */
    removeUnknown(on: On): Promise<number>;
  };
  idempotencyKeys: {
    /** Claims keys for requests of this transaction, and returns those that were free. `rows` holds `{key, request, body_hash?}`. If another request holds one, this
     * one waits; if that one fails, the key is free again. An expired key is claimed again. Keys are locked in one order, so that
     * two calls cannot deadlock.
     * (sql/queries/idempotency_keys.sql:1) */
    claim(on: On, args: { projectId: string; now: Date; expiresAt: Date; rows: { key: string; request: string; body_hash: string | null | undefined }[] }): Promise<{ key: string }[]>;
    /** Stores each response beside its key, for requests that repeat it.
     * (sql/queries/idempotency_keys.sql:21) */
    answer(on: On, args: { statusCode: number; answers: { key: string; response: JsonArg }[]; projectId: string }): Promise<number>;
    /** Frees keys that this transaction has claimed for requests that are refused.
     * (sql/queries/idempotency_keys.sql:28) */
    release(on: On, args: { projectId: string; keys: string[] }): Promise<number>;
    /** (sql/queries/idempotency_keys.sql:33) */
    byKeys(on: On, args: { projectId: string; keys: string[] }): Promise<{ key: string; request: string; bodyHash: string | null; statusCode: number | null; response: Json | null; createdAt: Date }[]>;
    /** Deletes expired keys, at most `limit` at a time. They count for nothing since they expired.
     * (sql/queries/idempotency_keys.sql:38) */
    purge(on: On, args: { now: Date; limit: number }): Promise<number>;
  };
  identities: {
    /** The user who has signed in with this identity before.
     * (sql/queries/identities.sql:1) */
    userOf(on: On, args: { issuer: string; subject: string }): Promise<{ id: string; email: string } | null>;
    /** No row when somebody else was first.
     * (sql/queries/identities.sql:8) */
    add(on: On, args: { issuer: string; subject: string; userId: string }): Promise<number>;
  };
  incoming: {
    /** Contacts of another service, each address once. One that is here keeps its own data, and gets what it lacks. Who has
     * unsubscribed there or here is unsubscribed; nobody is subscribed again. No event is recorded. Locked in the order of
     * `contacts.upsert_many`.
     * (sql/queries/incoming.sql:1) */
    takeIn(on: On, args: { rows: { email: string; subscribed: boolean; data: JsonArg; created_at: Date | string | null | undefined }[]; projectId: string; now: Date }): Promise<{ created: number; changed: number }>;
    /** A segment of this kind with this name.
     * (sql/queries/incoming.sql:31) */
    segment(on: On, args: { projectId: string; name: string; type: "DYNAMIC" | "STATIC" }): Promise<{ id: string } | null>;
    /** A template with this name and these words.
     * (sql/queries/incoming.sql:38) */
    template(on: On, args: { projectId: string; name: string; subject: string; body: string }): Promise<{ id: string } | null>;
    /** A campaign with this name and these words.
     * (sql/queries/incoming.sql:45) */
    campaign(on: On, args: { projectId: string; name: string; subject: string; body: string }): Promise<{ id: string } | null>;
    /** A workflow with this name that starts at this event.
     * (sql/queries/incoming.sql:52) */
    workflow(on: On, args: { projectId: string; name: string; eventName: string }): Promise<{ id: string } | null>;
  };
  invitations: {
    /** Serialises inviting an address with proving that it belongs to somebody: one of the two sees the other.
     * (sql/queries/invitations.sql:1) */
    holdAddress(on: On, args: { email: string }): Promise<number>;
    /** Invites an address. Inviting it again makes the token of the previous mail invalid.
     * (sql/queries/invitations.sql:5) */
    put(on: On, args: { projectId: string; id: string; email: string; role: "OWNER" | "ADMIN" | "MEMBER"; invitedBy: string | null; tokenHash: Uint8Array; now: Date; expiresAt: Date }): Promise<{ id: string }>;
    /** Whether this token was sent to this address.
     * (sql/queries/invitations.sql:19) */
    proves(on: On, args: { tokenHash: Uint8Array; email: string; now: Date }): Promise<{ proves: boolean }>;
    /** Who was sent this token, what it invites to, and the account of the address, if it has one.
     * (sql/queries/invitations.sql:27) */
    about(on: On, args: { tokenHash: Uint8Array; now: Date }): Promise<{ email: string; role: "OWNER" | "ADMIN" | "MEMBER"; projectId: string; project: string; userId: string | null; verified: boolean; proven: boolean; hasPassword: boolean } | null>;
    /** Whether this address is invited to anything.
     * (sql/queries/invitations.sql:39) */
    anyFor(on: On, args: { email: string; now: Date }): Promise<{ any: boolean }>;
    /** The projects that an address is invited to. None of them is deleted, and its members stay as they are, before the end
     * of the transaction.
     * (sql/queries/invitations.sql:43) */
    holdProjects(on: On, args: { email: string }): Promise<{ id: string }[]>;
    /** After `hold_projects`: turns the invitations of an address into memberships, and returns the new ones. The inviter
     * must still be a member, in whatever role.
     * (sql/queries/invitations.sql:52) */
    accept(on: On, args: { email: string; projectIds: string[]; userId: string; now: Date }): Promise<{ projectId: string; role: "OWNER" | "ADMIN" | "MEMBER" }[]>;
    /** The one of this address to this project.
     * (sql/queries/invitations.sql:70) */
    ofAddress(on: On, args: { projectId: string; email: string; now: Date }): Promise<{ id: string; role: "OWNER" | "ADMIN" | "MEMBER" } | null>;
    /** By its id, or by that of the account with its address.
     * (sql/queries/invitations.sql:76) */
    get(on: On, args: { projectId: string; memberId: string; now: Date }): Promise<{ id: string; email: string; role: "OWNER" | "ADMIN" | "MEMBER" } | null>;
    /** Changing the role makes somebody the inviter.
     * (sql/queries/invitations.sql:84) */
    setRole(on: On, args: { role: "OWNER" | "ADMIN" | "MEMBER"; invitedBy: string | null; projectId: string; invitationId: string }): Promise<number>;
    /** (sql/queries/invitations.sql:91) */
    withdraw(on: On, args: { projectId: string; invitationId: string }): Promise<number>;
    /** The invitations by a user.
     * (sql/queries/invitations.sql:95) */
    withdrawOf(on: On, args: { projectId: string; userId: string; now: Date }): Promise<{ email: string; role: "OWNER" | "ADMIN" | "MEMBER" }[]>;
    /** Invitations that can no longer be accepted.
     * (sql/queries/invitations.sql:101) */
    purge(on: On, args: { now: Date }): Promise<number>;
  };
  jobs: {
    /** Enqueues a job in the open transaction: it exists if and only if that commits. A job with the same key replaces the
     * one that is still waiting.
     * (sql/queries/jobs.sql:1) */
    add(on: On, args: { task: string; payload: JsonArg; runAt: Date | null; maxAttempts: number | null; key: string | null; priority: number | null }): Promise<number>;
    /** Enqueues one job per payload; all of them run as soon as they can, in this order: graphile-worker joins them with its tasks
     * in any order, so each is due a microsecond after the one before.
     * (sql/queries/jobs.sql:14) */
    addMany(on: On, args: { task: string; priority: number | null; payloads: JsonArg }): Promise<number>;
    /** Enqueues jobs that are due at a time. `jobs` holds `{payload, run_at, priority}`.
     * (sql/queries/jobs.sql:25) */
    addTimed(on: On, args: { task: string; jobs: { payload: JsonArg; run_at: Date | string; priority: number }[] }): Promise<number>;
    /** Enqueues jobs that run as soon as they can. One with the same key that still waits is replaced.
     * (sql/queries/jobs.sql:32) */
    addKeyed(on: On, args: { task: string; jobs: { key: string; payload: JsonArg }[] }): Promise<number>;
    /** Takes the job with this key out of the queue, if it still waits there.
     * (sql/queries/jobs.sql:39) */
    remove(on: On, args: { key: string }): Promise<number>;
    /** Gives back the jobs that these dead pools of workers held.
     * (sql/queries/jobs.sql:43) */
    forceUnlock(on: On, args: { pools: string[] }): Promise<number>;
    /** Whether one of these jobs has been due for that long and is not being worked on.
     * (sql/queries/jobs.sql:47) */
    overdue(on: On, args: { staleMs: number; tasks: string[] }): Promise<{ overdue: boolean }>;
    /** Whether the server is still executing something that one of these connections has asked for.
     * (sql/queries/jobs.sql:57) */
    atWork(on: On, args: { pids: number[] }): Promise<{ atWork: boolean }>;
    /** The jobs that these pools of workers hold, and those of pools that no process names: it ended before it could say that it had
     * them.
     * (sql/queries/jobs.sql:61) */
    held(on: On, args: { pools: string[] }): Promise<{ id: string; pool: string }[]>;
    /** Gives back jobs that these pools hold and do not run.
     * (sql/queries/jobs.sql:69) */
    giveBack(on: On, args: { ids: string[]; pools: string[] }): Promise<number>;
    /** Whether the crontab has enqueued the same task again, after this job, and that one is being done or will be. Payloads of
     * other tasks are not looked into: there may be many, and large ones.
     * (sql/queries/jobs.sql:73) */
    hasLater(on: On, args: { id: string; task: string }): Promise<{ hasLater: boolean }>;
  };
  lockWaits: {
    /** How long a statement of this transaction waits for a lock at most.
     * (sql/queries/lock_waits.sql:1) */
    limit(on: On, args: { waitMs: number }): Promise<number>;
  };
  loginFailures: {
    /** Counts a failure before it is known to be one, so that concurrent guesses are counted too. Null, and nothing is
     * counted, when there were `allowed` since `since`.
     * (sql/queries/login_failures.sql:1) */
    take(on: On, args: { key: Uint8Array; now: Date; since: Date; allowed: number }): Promise<{ failures: number } | null>;
    /** It was none.
     * (sql/queries/login_failures.sql:12) */
    giveBack(on: On, args: { at: Date; key: Uint8Array }): Promise<number>;
    /** The failure that has to grow old before another one is allowed. Null when one is allowed now.
     * (sql/queries/login_failures.sql:20) */
    thatLocks(on: On, args: { key: Uint8Array; since: Date; allowed: number }): Promise<{ failedAt: Date } | null>;
    /** (sql/queries/login_failures.sql:29) */
    purge(on: On, args: { before: Date; limit: number }): Promise<number>;
    /** (sql/queries/login_failures.sql:38) */
    forget(on: On, args: { key: Uint8Array }): Promise<number>;
  };
  mailCounts: {
    /** Adds up to `limit` deltas to the quarters of an hour, and returns how many they were.
     * (sql/queries/mail_counts.sql:1) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
    /** All that is counted of a project until before a moment, by day (UTC).
     * (sql/queries/mail_counts.sql:35) */
    byDay(on: On, args: { projectId: string; before: Date }): Promise<{ day: Date; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string; measure: string; count: number }[]>;
    /** The last of the next `limit` mails.
     * (sql/queries/mail_counts.sql:48) */
    pageEnd(on: On, args: { projectId: string; after: string; limit: number }): Promise<{ id: string } | null>;
    /** What the mails after one id up to another come to, until before a moment, by day (UTC).
     * (sql/queries/mail_counts.sql:61) */
    factsByDay(on: On, args: { projectId: string; after: string; upTo: string; before: Date }): Promise<{ day: Date; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string; measure: string; count: number }[]>;
    /** The days (UTC) on which the ledger and its counts differ in one of their quarters, with both.
     * (sql/queries/mail_counts.sql:73) */
    faults(on: On, args: { projectId: string; forgets: boolean; limit: number }): Promise<{ day: Date; sourceType: "TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN"; campaignId: string; measure: string; facts: number; counted: number }[]>;
    /** Corrects the counts, up or down. What is written or rolled up in the meantime makes no difference: everything is read
     * in one snapshot, and the correction is a delta like any other.
     * (sql/queries/mail_counts.sql:87) */
    recount(on: On, args: { projectId: string; forgets: boolean }): Promise<number>;
  };
  mailSeries: {
    /** On each of some days (or in each of some hours), of all mails or those of one campaign: `starts` and `ends` say when they
     * begin and end, which is at the start of a quarter of an hour. Day by day it takes a fifth of the time of sorting all
     * quarters into days. The first day is 1.
     * (sql/queries/mail_series.sql:3) */
    byDay(on: On, args: { starts: string[]; ends: string[]; projectId: string; campaignId: string | null }): Promise<{ day: number; emails: number; delivered: number; opens: number; clicks: number; bounces: number; complaints: number; botOpens: number }[]>;
    /** The same of mails that no counter tells apart, from the ledger, in one pass over them: the days (the first is 1) on which
     * something happened to any. `starts` begin the days; the last of them is the end.
     * (sql/queries/mail_series.sql:34) */
    ofLedger(on: On, args: { starts: string[]; projectId: string; filter: Fragment }): Promise<{ day: number; emails: number; delivered: number; opens: number; clicks: number; bounces: number; complaints: number; botOpens: number }[]>;
    /** (sql/queries/mail_series.sql:60) */
    total(on: On, args: { projectId: string; since: Date; until: Date }): Promise<{ emails: number; opens: number; clicks: number }>;
    /** What came of the mails with ids from `since` until before `until`, for each of their tags, the most frequent first: the tags
     * that begin with a prefix, or all. The rows are those of the ledger, read in the order of their keys.
     * (sql/queries/mail_series.sql:67) */
    byTag(on: On, args: { projectId: string; since: string; until: string; prefix: string | null; limit: number }): Promise<{ tag: string; emails: number; delivered: number; opens: number; clicks: number; bounces: number; complaints: number }[]>;
  };
  members: {
    /** The members of a project, oldest first, followed by those invited, by their account if there is one. Those of a sandbox
     * are those of its project.
     * (sql/queries/members.sql:1) */
    list(on: On, args: { projectId: string; now: Date }): Promise<{ id: string; email: string; role: "OWNER" | "ADMIN" | "MEMBER"; active: boolean }[]>;
    /** (sql/queries/members.sql:18) */
    role(on: On, args: { projectId: string; userId: string }): Promise<{ role: "OWNER" | "ADMIN" | "MEMBER" } | null>;
    /** (sql/queries/members.sql:23) */
    get(on: On, args: { projectId: string; userId: string }): Promise<{ id: string; email: string; role: "OWNER" | "ADMIN" | "MEMBER" } | null>;
    /** (sql/queries/members.sql:29) */
    owners(on: On, args: { projectId: string }): Promise<{ total: number }>;
    /** Members and invited ones.
     * (sql/queries/members.sql:34) */
    total(on: On, args: { projectId: string; now: Date }): Promise<{ total: number }>;
    /** Null for one who is a member already.
     * (sql/queries/members.sql:43) */
    add(on: On, args: { projectId: string; userId: string; role: "OWNER" | "ADMIN" | "MEMBER" }): Promise<{ userId: string } | null>;
    /** (sql/queries/members.sql:50) */
    setRole(on: On, args: { role: "OWNER" | "ADMIN" | "MEMBER"; projectId: string; userId: string }): Promise<number>;
    /** (sql/queries/members.sql:55) */
    remove(on: On, args: { projectId: string; userId: string }): Promise<number>;
    /** The user with this address; `proven` as in `users.sql`.
     * (sql/queries/members.sql:59) */
    withAddress(on: On, args: { email: string }): Promise<{ id: string; email: string; proven: boolean } | null>;
    /** So that what follows sees what others did for the same user until now.
     * (sql/queries/members.sql:65) */
    holdUser(on: On, args: { userId: string }): Promise<number>;
    /** How many projects a user owns. After `hold_user` it is exact.
     * (sql/queries/members.sql:72) */
    ownedBy(on: On, args: { userId: string }): Promise<{ total: number }>;
    /** The projects of a user: their members stay as they are for the rest of the transaction.
     * (sql/queries/members.sql:79) */
    holdProjects(on: On, args: { userId: string }): Promise<number>;
    /** After `hold_projects`, and not in the same statement: it waits for those who were adding members. `alone`: there is
     * no other member; `led`: somebody else is its owner, or would become it (`promote`); `only_owner`: nobody else is its owner.
     * (sql/queries/members.sql:87) */
    ofUser(on: On, args: { userId: string }): Promise<{ projectId: string; role: "OWNER" | "ADMIN" | "MEMBER"; name: string; led: boolean; onlyOwner: boolean; alone: boolean }[]>;
    /** Takes a user out of projects, with whom they have invited there.
     * (sql/queries/members.sql:114) */
    leave(on: On, args: { userId: string; projectIds: string[] }): Promise<number>;
    /** Where no owner is left, the longest-serving admin becomes one. Nobody else does: a member may not read keys, nor pay.
     * (sql/queries/members.sql:123) */
    promote(on: On, args: { projectIds: string[] }): Promise<{ projectId: string; email: string; was: "OWNER" | "ADMIN" | "MEMBER" }[]>;
    /** Those of the projects that have no owner.
     * (sql/queries/members.sql:143) */
    withoutOwner(on: On, args: { projectIds: string[] }): Promise<{ id: string }[]>;
  };
  metrics: {
    /** Jobs that are due or in progress, by task, and how long the oldest has been waiting. A job that failed waits from the
     * time of its next attempt.
     * (sql/queries/metrics.sql:1) */
    queue(on: On, args: { now: Date }): Promise<{ task: string; waiting: number; running: number; age: number }[]>;
    /** Jobs that failed for the last time and are kept for inspection.
     * (sql/queries/metrics.sql:13) */
    givenUp(on: On): Promise<{ jobs: number }>;
    /** Mails without a final state, by state, each counted up to `up_to`. Each state has a partial index, which only a
     * condition that names the state can use; in the order of that index nothing else is read, whatever the planner
     * estimates about their number.
     * (sql/queries/metrics.sql:19) */
    openMails(on: On, args: { upTo: number }): Promise<{ status: string; mails: number }[]>;
    /** The processes that take jobs, and how long ago each was last heard of.
     * (sql/queries/metrics.sql:40) */
    workers(on: On): Promise<{ id: string; host: string; silence: number }[]>;
    /** Connections of the service to this database, from all its processes, by purpose and activity.
     * (sql/queries/metrics.sql:46) */
    connections(on: On): Promise<{ pool: string; state: string; connections: number }[]>;
    /** What the counters have in deltas, each counted to `up_to`: how far the roll-up lags behind.
     * (sql/queries/metrics.sql:53) */
    notRolledUp(on: On, args: { upTo: number }): Promise<{ counter: string; deltas: number }[]>;
  };
  moves: {
    /** Fails by the index `moves_open` where another one of the project has not ended.
     * (sql/queries/moves.sql:1) */
    insert(on: On, args: { projectId: string; moveId: string; source: string; state: "UPLOADING" | "CHECKING" | "READY" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED"; url: string | null; access: Uint8Array | null; sender: string | null; createdBy: string; now: Date }): Promise<number>;
    /** The one that has not ended.
     * (sql/queries/moves.sql:10) */
    open(on: On, args: { projectId: string }): Promise<{ id: string; state: "UPLOADING" | "CHECKING" | "READY" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED" } | null>;
    /** The moves of a project, newest first, or the one with this id.
     * (sql/queries/moves.sql:16) */
    list(on: On, args: { projectId: string; moveId: string | null; beforeId: string | null; limit: number }): Promise<{ id: string; source: string; state: "UPLOADING" | "CHECKING" | "READY" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED"; url: string | null; sender: string | null; asState: string | null; createdBy: string; step: string; counts: Json; found: Json | null; leftOutTotal: number; failures: number; failedReason: string | null; createdAt: Date; startedAt: Date | null; finishedAt: Date | null; files: Json }[]>;
    /** (sql/queries/moves.sql:34) */
    count(on: On, args: { projectId: string }): Promise<{ total: number }>;
    /** What did not come, in the order in which it was found, after a position.
     * (sql/queries/moves.sql:39) */
    leftOut(on: On, args: { projectId: string; moveId: string; after: number; limit: number }): Promise<{ position: number; what: string; why: string }[]>;
    /** Locks a move that takes files, and says what it has got.
     * (sql/queries/moves.sql:47) */
    holdUploading(on: On, args: { projectId: string; moveId: string }): Promise<{ id: string; files: number; bytes: number; isUploading: boolean } | null>;
    /** (sql/queries/moves.sql:61) */
    beginFile(on: On, args: { projectId: string; moveId: string; fileId: string; name: string }): Promise<number>;
    /** 0 when the move has been cancelled, the file was removed, or there is no room: uploads at the same time count together.
     * (sql/queries/moves.sql:65) */
    addPiece(on: On, args: { position: number; deflated: Uint8Array; projectId: string; moveId: string; fileId: string; maxPieces: number }): Promise<number>;
    /** The file is complete. 0 when the move has been cancelled meanwhile.
     * (sql/queries/moves.sql:87) */
    endFile(on: On, args: { bytes: string; now: Date; name: string; projectId: string; moveId: string; fileId: string }): Promise<number>;
    /** Only as long as the move takes files.
     * (sql/queries/moves.sql:105) */
    dropFile(on: On, args: { projectId: string; moveId: string; fileId: string }): Promise<number>;
    /** The files of a move, in the order in which they came.
     * (sql/queries/moves.sql:116) */
    files(on: On, args: { projectId: string; moveId: string }): Promise<{ id: string; name: string; bytes: number }[]>;
    /** Pieces of a file from a position on. None after its end, and when the file is gone.
     * (sql/queries/moves.sql:123) */
    pieces(on: On, args: { projectId: string; moveId: string; fileId: string; from: number; limit: number }): Promise<{ deflated: Uint8Array }[]>;
    /** The dry run begins, from the beginning where there was one. 0 where the move is not at that point.
     * (sql/queries/moves.sql:131) */
    check(on: On, args: { asState: string | null; now: Date; projectId: string; moveId: string }): Promise<number>;
    /** After the dry run: everything from the beginning.
     * (sql/queries/moves.sql:159) */
    start(on: On, args: { actor: JsonArg; now: Date; projectId: string; moveId: string }): Promise<{ source: string } | null>;
    /** A move that is being checked or done, with everything that reading on needs.
     * (sql/queries/moves.sql:185) */
    work(on: On, args: { projectId: string; moveId: string }): Promise<{ source: string; state: "UPLOADING" | "CHECKING" | "READY" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED"; url: string | null; access: Uint8Array | null; sender: string | null; asState: string | null; step: string; page: string | null; itemsDone: number; failures: number; startedBy: Json | null } | null>;
    /** Ids there and here; of segments, those that still exist.
     * (sql/queries/moves.sql:191) */
    ids(on: On, args: { projectId: string; moveId: string }): Promise<{ theirs: string; ours: string; isList: boolean }[]>;
    /** Locks a move that is at this place. Null where another process has taken it further, or it has ended.
     * (sql/queries/moves.sql:202) */
    hold(on: On, args: { projectId: string; moveId: string; state: "UPLOADING" | "CHECKING" | "READY" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED"; step: string; page: string | null; itemsDone: number }): Promise<{ counts: Json; leftOutTotal: number; pages: number } | null>;
    /** Notes what came in, and where it goes on.
     * (sql/queries/moves.sql:215) */
    advance(on: On, args: { step: string; page: string | null; itemsDone: number; pages: number; counts: JsonArg; leftOutTotal: number; now: Date; projectId: string; moveId: string }): Promise<number>;
    /** (sql/queries/moves.sql:230) */
    leaveOut(on: On, args: { projectId: string; moveId: string; rows: { position: number; what: string; why: string }[] }): Promise<number>;
    /** (sql/queries/moves.sql:235) */
    noteIds(on: On, args: { projectId: string; moveId: string; rows: { theirs: string; ours: string; is_list: boolean }[] }): Promise<number>;
    /** The other service could not be read: how often in a row now.
     * (sql/queries/moves.sql:242) */
    stumble(on: On, args: { now: Date; projectId: string; moveId: string }): Promise<{ failures: number } | null>;
    /** The dry run has seen everything.
     * (sql/queries/moves.sql:249) */
    checked(on: On, args: { now: Date; projectId: string; moveId: string }): Promise<number>;
    /** The files cannot be read as they are: others are needed, or a word about them.
     * (sql/queries/moves.sql:255) */
    askForFiles(on: On, args: { reason: string; now: Date; projectId: string; moveId: string }): Promise<number>;
    /** Ends a move that has not ended: how the other service is read, its files and its ids are forgotten.
     * (sql/queries/moves.sql:261) */
    endWith(on: On, args: { state: "UPLOADING" | "CHECKING" | "READY" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED"; reason: string | null; now: Date; projectId: string; moveId: string }): Promise<number>;
    /** Those that wait for somebody since that time.
     * (sql/queries/moves.sql:287) */
    expired(on: On, args: { before: Date; limit: number }): Promise<{ projectId: string; id: string }[]>;
    /** Those that were there before that time; without one: all. For the removal of a project, and for a reset.
     * (sql/queries/moves.sql:294) */
    dropBefore(on: On, args: { projectId: string; before: Date | null; limit: number }): Promise<{ id: string }[]>;
  };
  oauthCallbacks: {
    /** One row when this sign-in comes back for the first time, none when it has been back before.
     * (sql/queries/oauth_callbacks.sql:1) */
    take(on: On, args: { stateHash: Uint8Array; now: Date }): Promise<number>;
    /** Forgets those from before `before`, at most `limit` at a time.
     * (sql/queries/oauth_callbacks.sql:7) */
    purge(on: On, args: { before: Date; limit: number }): Promise<number>;
  };
  partitions: {
    /** The partitions of the events that hold a month, oldest first.
     * (sql/queries/partitions.sql:1) */
    list(on: On): Promise<{ name: string; month: Date }[]>;
    /** The months, among these, that have events in the default partition.
     * (sql/queries/partitions.sql:9) */
    strayMonths(on: On, args: { since: Date; until: Date }): Promise<{ month: Date }[]>;
    /** Limits the time of every statement of this transaction.
     * (sql/queries/partitions.sql:16) */
    bound(on: On, args: { timeoutMs: number }): Promise<number>;
    /** Makes the partition of a month, with what the default partition has of it. False when it is there.
     * (sql/queries/partitions.sql:20) */
    make(on: On, args: { month: Date }): Promise<{ isMade: boolean }>;
    /** False when there is no such partition.
     * (sql/queries/partitions.sql:24) */
    drop(on: On, args: { name: string }): Promise<{ isDropped: boolean }>;
    /** About how many events there are, and how many there were when Postgres last analyzed all of them together: it does so
     * for each partition, but not for the whole.
     * (sql/queries/partitions.sql:28) */
    growth(on: On): Promise<{ events: number; analyzed: number }>;
    /** (sql/queries/partitions.sql:41) */
    analyze(on: On): Promise<number>;
    /** The tables that grow with time, events by partition: how many rows, as Postgres estimates it, and how many bytes with
     * indexes and TOAST.
     * (sql/queries/partitions.sql:44) */
    sizes(on: On): Promise<{ table: string; month: string | null; rows: number; bytes: number }[]>;
  };
  passkeys: {
    /** (sql/queries/passkeys.sql:1) */
    list(on: On, args: { userId: string }): Promise<{ id: string; name: string; createdAt: Date; lastUsedAt: Date | null }[]>;
    /** (sql/queries/passkeys.sql:7) */
    credentials(on: On, args: { userId: string }): Promise<{ credentialId: string; transports: string[] }[]>;
    /** (sql/queries/passkeys.sql:13) */
    byCredential(on: On, args: { credentialId: string }): Promise<{ id: string; userId: string; email: string; publicKey: Uint8Array; counter: number; transports: string[] } | null>;
    /** Null if this credential is registered already, or the user has as many as allowed.
     * (sql/queries/passkeys.sql:19) */
    insert(on: On, args: { userId: string; id: string; credentialId: string; publicKey: Uint8Array; counter: number; transports: string[]; name: string; now: Date; max: number }): Promise<{ id: string; name: string; createdAt: Date; lastUsedAt: Date | null } | null>;
    /** 0 when the counter has gone on in the meantime: the same answer twice, or a copy of the authenticator.
     * (sql/queries/passkeys.sql:27) */
    noteUse(on: On, args: { counter: number; now: Date; userId: string; id: string }): Promise<number>;
    /** (sql/queries/passkeys.sql:33) */
    rename(on: On, args: { name: string; userId: string; id: string }): Promise<{ id: string; name: string; createdAt: Date; lastUsedAt: Date | null } | null>;
    /** (sql/queries/passkeys.sql:39) */
    remove(on: On, args: { userId: string; id: string }): Promise<{ name: string } | null>;
    /** (sql/queries/passkeys.sql:44) */
    drop(on: On, args: { userId: string }): Promise<number>;
    /** 0 when this challenge was answered before.
     * (sql/queries/passkeys.sql:48) */
    takeAnswer(on: On, args: { challengeHash: Uint8Array; now: Date }): Promise<number>;
    /** (sql/queries/passkeys.sql:54) */
    purgeAnswers(on: On, args: { before: Date; limit: number }): Promise<number>;
  };
  platformMails: {
    /** (sql/queries/platform_mails.sql:1) */
    insert(on: On, args: { id: string; toAddress: string; subject: string; words: Uint8Array; reason: string; now: Date }): Promise<{ id: string }>;
    /** Those who answer for a project, or for that of a sandbox: its owners and admins.
     * (sql/queries/platform_mails.sql:6) */
    membersToTell(on: On, args: { projectId: string }): Promise<{ email: string }[]>;
    /** Null for a mail that was sent, is being sent, was given up or is not there. What somebody held too long is in doubt:
     * that process died, perhaps after the mail was taken.
     * (sql/queries/platform_mails.sql:15) */
    claim(on: On, args: { heldUntil: Date; mailId: string; now: Date }): Promise<{ toAddress: string; subject: string; words: Uint8Array | null; reason: string; attempts: number; doubts: number; createdAt: Date } | null>;
    /** Whether it has still to be sent, by whomever.
     * (sql/queries/platform_mails.sql:26) */
    isOpen(on: On, args: { mailId: string }): Promise<{ open: boolean }>;
    /** The outcome of an attempt. With neither time it is tried again; otherwise its text is no longer needed. Without a
     * connection nothing was tried, and that does not count as an attempt.
     * (sql/queries/platform_mails.sql:32) */
    settle(on: On, args: { sentAt: Date | null; failedAt: Date | null; wasTried: boolean; inDoubt: boolean; error: string | null; mailId: string }): Promise<number>;
    /** Old ones, oldest first.
     * (sql/queries/platform_mails.sql:47) */
    purge(on: On, args: { before: Date; limit: number }): Promise<number>;
  };
  projectKeys: {
    /** There are at most 50.
     * (sql/queries/project_keys.sql:3) */
    list(on: On, args: { projectId: string }): Promise<{ id: string; name: string; scopes: string[]; isPublic: boolean; hint: string; createdBy: string; createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null }[]>;
    /** (sql/queries/project_keys.sql:10) */
    byId(on: On, args: { projectId: string; keyId: string }): Promise<{ id: string; name: string; scopes: string[]; isPublic: boolean; hint: string; createdBy: string; createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null } | null>;
    /** No row where the project has `max` already. Its row is locked (`projects.hold`).
     * (sql/queries/project_keys.sql:15) */
    insert(on: On, args: { projectId: string; id: string; name: string; scopes: string[]; isPublic: boolean; hash: Uint8Array; hint: string; createdBy: string; now: Date; expiresAt: Date | null; max: number }): Promise<{ id: string; name: string; scopes: string[]; isPublic: boolean; hint: string; createdBy: string; createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null } | null>;
    /** Changes what is given. A time of null takes the expiry away, where `set_expires_at` says that it is given. The caller
     * has locked the project and seen the key.
     * (sql/queries/project_keys.sql:25) */
    patch(on: On, args: { name: string | null; scopes: string[] | null; setExpiresAt: boolean; expiresAt: Date | null; projectId: string; keyId: string }): Promise<{ id: string; name: string; scopes: string[]; isPublic: boolean; hint: string; createdBy: string; createdAt: Date; expiresAt: Date | null; lastUsedAt: Date | null }>;
    /** From the commit on the key is unknown.
     * (sql/queries/project_keys.sql:37) */
    remove(on: On, args: { projectId: string; keyId: string }): Promise<{ name: string; hint: string } | null>;
    /** These keys were used now. One that somebody else is writing is passed over: its next use is noted a minute later.
     * (sql/queries/project_keys.sql:43) */
    noteUse(on: On, args: { projectIds: string[]; ids: string[]; now: Date }): Promise<number>;
  };
  projectMoves: {
    /** The first statement of a transaction that reads everything as it is at this moment.
     * (sql/queries/project_moves.sql:1) */
    takeSnapshot(on: On): Promise<number>;
    /** Opens the rows of a project in a table.
     * (sql/queries/project_moves.sql:5) */
    openRows(on: On, args: { source: string; projectId: string }): Promise<{ opened: string | null }>;
    /** The next of them as JSON, about `bytes` of it. None: that was all.
     * (sql/queries/project_moves.sql:9) */
    nextRows(on: On, args: { bytes: number }): Promise<{ line: string }[]>;
    /** Inserts rows that are given as the text of a JSON array.
     * (sql/queries/project_moves.sql:14) */
    putRows(on: On, args: { target: string; rows: string }): Promise<{ rows: number }>;
    /** Deletes what triggers have written into a table while other rows were inserted: the file has these rows as well.
     * (sql/queries/project_moves.sql:18) */
    clear(on: On, args: { target: Fragment; projectId: string }): Promise<number>;
    /** What could keep a project from being exported as it is.
     * (sql/queries/project_moves.sql:23) */
    state(on: On, args: { projectId: string }): Promise<{ name: string; isSandbox: boolean; isDisabled: boolean; isBeingReset: boolean; isMovingIn: boolean; sending: number } | null>;
    /** The project with this id, deleted or not, and its import, if it came by one.
     * (sql/queries/project_moves.sql:35) */
    get(on: On, args: { projectId: string }): Promise<{ name: string; isDeleted: boolean; exportId: string | null; linesDone: number | null; finishedAt: Date | null } | null>;
    /** (sql/queries/project_moves.sql:47) */
    begin(on: On, args: { projectId: string; exportId: string; linesDone: number; now: Date }): Promise<number>;
    /** 0 where somebody else has continued the import meanwhile.
     * (sql/queries/project_moves.sql:51) */
    advance(on: On, args: { linesDone: number; projectId: string; before: number }): Promise<number>;
    /** (sql/queries/project_moves.sql:57) */
    finish(on: On, args: { linesDone: number; now: Date; projectId: string; before: number }): Promise<number>;
    /** (sql/queries/project_moves.sql:62) */
    setLinkKeys(on: On, args: { linkKeys: Uint8Array; projectId: string }): Promise<number>;
    /** Of all projects that were imported.
     * (sql/queries/project_moves.sql:67) */
    linkKeys(on: On): Promise<{ id: string; linkKeys: Uint8Array }[]>;
    /** For a copy without the mails that were still to be sent: what was being sent is cancelled here, and what was scheduled
     * becomes a draft, if it was not exported for good.
     * (sql/queries/project_moves.sql:74) */
    stopCampaigns(on: On, args: { now: Date; projectId: string; isCopy: boolean }): Promise<{ cancelled: number; unscheduled: number }>;
    /** For a copy: its workflows go on where it was copied.
     * (sql/queries/project_moves.sql:92) */
    stopWorkflows(on: On, args: { projectId: string }): Promise<number>;
    /** The same for what is in the middle of one.
     * (sql/queries/project_moves.sql:98) */
    stopExecutions(on: On, args: { now: Date; projectId: string }): Promise<number>;
    /** The same for mails that were still open.
     * (sql/queries/project_moves.sql:113) */
    stopEmails(on: On, args: { projectId: string }): Promise<number>;
  };
  projectRows: {
    /** Waiting jobs of a project, besides those of its removal. Locked jobs end by themselves, because they find nothing to
     * do. `last_id` is how far it got.
     * (sql/queries/project_rows.sql:6) */
    jobs(on: On, args: { after: string; limit: number; projectId: string }): Promise<{ removed: number; lastId: string | null }>;
    /** Their waits and their history are deleted with them, by the trigger.
     * (sql/queries/project_rows.sql:26) */
    executions(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** Steps, transitions, versions, and executions started by hand since then are deleted with them.
     * (sql/queries/project_rows.sql:39) */
    workflows(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** One that a step of a later workflow sends stays.
     * (sql/queries/project_rows.sql:52) */
    templates(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** (sql/queries/project_rows.sql:70) */
    emails(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** Later mails that were sent by a deleted campaign or execution. `last_id` is how far it got.
     * (sql/queries/project_rows.sql:94) */
    lateEmails(on: On, args: { projectId: string; after: string; limit: number; campaigns: string | null; executions: string | null }): Promise<{ removed: number; lastId: string | null }>;
    /** Attachments go with them.
     * (sql/queries/project_rows.sql:118) */
    contents(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** (sql/queries/project_rows.sql:131) */
    campaigns(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** Counts of deleted campaigns. `last_id` says only that there may be more.
     * (sql/queries/project_rows.sql:143) */
    campaignCountDeltas(on: On, args: { projectId: string; upTo: string; limit: number }): Promise<{ campaignId: string }[]>;
    /** Clicks of deleted campaigns.
     * (sql/queries/project_rows.sql:154) */
    campaignLinkDeltas(on: On, args: { projectId: string; upTo: string; limit: number }): Promise<{ campaignId: string }[]>;
    /** Their files go with them.
     * (sql/queries/project_rows.sql:165) */
    contactImports(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** (sql/queries/project_rows.sql:178) */
    bulkJobs(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** (sql/queries/project_rows.sql:190) */
    events(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** Of the events that came later, those of mails that went. `last_id` is how far it has looked.
     * (sql/queries/project_rows.sql:202) */
    lateEvents(on: On, args: { projectId: string; after: string; limit: number; emails: string }): Promise<{ removed: number; lastId: string | null }>;
    /** The next contacts that go.
     * (sql/queries/project_rows.sql:220) */
    contacts(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** Candidates whose contacts are being deleted.
     * (sql/queries/project_rows.sql:228) */
    segmentCandidates(on: On, args: { projectId: string; upTo: string; limit: number }): Promise<{ contactId: string }[]>;
    /** Removes outgoing contacts from outgoing segments, so that recounting the other segments has less to do.
     * (sql/queries/project_rows.sql:239) */
    segmentMembers(on: On, args: { projectId: string; contactIds: string[]; segments: string }): Promise<number>;
    /** One that a later segment, campaign or workflow refers to stays, without the members that went.
     * (sql/queries/project_rows.sql:244) */
    segments(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** (sql/queries/project_rows.sql:277) */
    suppressions(on: On, args: { projectId: string; after: string; upTo: string; limit: number }): Promise<{ id: string }[]>;
    /** Those captured before that time; without one: all.
     * (sql/queries/project_rows.sql:289) */
    capturedMails(on: On, args: { projectId: string; after: string; before: Date | null; limit: number }): Promise<{ id: string }[]>;
    /** Those about what happened before that time; without one: all.
     * (sql/queries/project_rows.sql:305) */
    webhookMessages(on: On, args: { projectId: string; after: string; before: Date | null; limit: number }): Promise<{ id: string }[]>;
    /** The same of the deliveries, endpoint by endpoint.
     * (sql/queries/project_rows.sql:321) */
    webhookDeliveries(on: On, args: { projectId: string; afterWebhook: string; after: string; before: Date | null; limit: number }): Promise<{ webhookId: string; messageId: string }[]>;
    /** Notes that were made before that time; without one: all.
     * (sql/queries/project_rows.sql:337) */
    webhookNotes(on: On, args: { projectId: string; before: Date | null; limit: number }): Promise<{ id: string }[]>;
    /** Those that were claimed until the reset was asked for, in the order of the keys.
     * (sql/queries/project_rows.sql:352) */
    idempotencyKeys(on: On, args: { projectId: string; after: string; askedAt: Date; limit: number }): Promise<{ key: string }[]>;
    /** Those that came until the reset was asked for; all of them where the project is deleted.
     * (sql/queries/project_rows.sql:365) */
    requests(on: On, args: { projectId: string; after: string; askedAt: Date | null; limit: number }): Promise<{ id: string }[]>;
    /** Some rows of a table whose rows have no order that would help.
     * (sql/queries/project_rows.sql:381) */
    rest(on: On, args: { projectId: string; table: string; limit: number }): Promise<{ removed: number }>;
  };
  projects: {
    /** The projects of these public keys, of the pair or named ones. Asked for every request: a rotated key fails on the next
     * one.
     * (sql/queries/projects.sql:1) */
    byPublicKeys(on: On, args: { keys: string[] }): Promise<{ key: string; id: string; disabled: boolean; disabledReason: string | null; keyId: string | null; keyName: string | null; hint: string | null; scopes: string[] | null; expiresAt: Date | null; lastUsedAt: Date | null }[]>;
    /** The same of secret keys, by their SHA-256 in hex.
     * (sql/queries/projects.sql:25) */
    bySecretHashes(on: On, args: { hashes: string[] }): Promise<{ key: string; id: string; disabled: boolean; disabledReason: string | null; keyId: string | null; keyName: string | null; hint: string | null; scopes: string[] | null; expiresAt: Date | null; lastUsedAt: Date | null }[]>;
    /** (sql/queries/projects.sql:48) */
    insert(on: On, args: { id: string; name: string; publicKey: string; secretHash: Uint8Array; secretHint: string; now: Date }): Promise<{ id: string; name: string; createdAt: Date }>;
    /** The sandbox of a project, which is held, with the settings of it and a pair of its own. Null where there is one.
     * (sql/queries/projects.sql:53) */
    insertSandbox(on: On, args: { id: string; publicKey: string; secretHash: Uint8Array; secretHint: string; now: Date; projectId: string }): Promise<{ id: string; public: string; secretHint: string; createdAt: Date } | null>;
    /** (sql/queries/projects.sql:67) */
    count(on: On): Promise<{ total: number }>;
    /** For the operator: every project, oldest first, without the sandboxes.
     * (sql/queries/projects.sql:70) */
    list(on: On): Promise<{ id: string; name: string; publicKey: string; secretHint: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY"; language: string; timezone: string; sendRate: number | null; resendInDoubt: string[]; postalAddress: string | null; requiresTwoFactor: boolean; disabledAt: Date | null; disabledReason: string | null; createdAt: Date }[]>;
    /** The projects of a user, oldest first, with the role there: all but sandboxes, or this one. The members of a sandbox are
     * those of its project.
     * (sql/queries/projects.sql:80) */
    ofUser(on: On, args: { projectId: string | null; userId: string }): Promise<{ id: string; name: string; public: string; secretHint: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY"; language: string; timezone: string; resendInDoubt: string[]; sendRate: number | null; postalAddress: string | null; requiresTwoFactor: boolean; disabled: boolean; disabledReason: string | null; createdAt: Date; updatedAt: Date; role: "OWNER" | "ADMIN" | "MEMBER"; sandboxOf: string | null; sandboxId: string | null; sandboxPublic: string | null; sandboxSecretHint: string | null; sandboxCreatedAt: Date | null }[]>;
    /** A project with all its settings, and the role that this user has in it.
     * (sql/queries/projects.sql:101) */
    details(on: On, args: { userId: string | null; projectId: string }): Promise<{ id: string; name: string; public: string; secretHint: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY"; language: string; timezone: string; resendInDoubt: string[]; sendRate: number | null; postalAddress: string | null; requiresTwoFactor: boolean; webhookSecret: Uint8Array | null; disabled: boolean; disabledReason: string | null; createdAt: Date; updatedAt: Date; role: "OWNER" | "ADMIN" | "MEMBER" | null; sandboxOf: string | null; sandboxId: string | null; sandboxPublic: string | null; sandboxSecretHint: string | null; sandboxCreatedAt: Date | null } | null>;
    /** The settings of a project. Changing them locks the project.
     * (sql/queries/projects.sql:115) */
    settings(on: On, args: { projectId: string }): Promise<{ name: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY"; language: string; timezone: string; sendRate: number | null; resendInDoubt: string[]; postalAddress: string | null; requiresTwoFactor: boolean } | null>;
    /** From the commit on the keys before are unknown.
     * (sql/queries/projects.sql:123) */
    setKeys(on: On, args: { publicKey: string; secretHash: Uint8Array; secretHint: string; now: Date; projectId: string }): Promise<number>;
    /** From the commit on the secret key before is unknown. The public one, which pages of the project hold, stays.
     * (sql/queries/projects.sql:133) */
    setSecret(on: On, args: { secretHash: Uint8Array; secretHint: string; now: Date; projectId: string }): Promise<number>;
    /** Changes the settings given of a project that is held. A rate or an address of null is removed, where `set_send_rate` and
     * `set_postal_address` say that it is given. Its time stays where nothing is another one.
     * (sql/queries/projects.sql:139) */
    patch(on: On, args: { name: string | null; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY" | null; language: string | null; timezone: string | null; setSendRate: boolean; sendRate: number | null; resendInDoubt: string[] | null; setPostalAddress: boolean; postalAddress: string | null; requiresTwoFactor: boolean | null; projectId: string; now: Date }): Promise<{ id: string; name: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY"; language: string; timezone: string; sendRate: number | null; resendInDoubt: string[]; postalAddress: string | null; requiresTwoFactor: boolean } | null>;
    /** 0 when it does not exist or was disabled before. Mail that waits is held, not lost.
     * (sql/queries/projects.sql:183) */
    disable(on: On, args: { now: Date; reason: string | null; projectId: string }): Promise<number>;
    /** (sql/queries/projects.sql:196) */
    enable(on: On, args: { now: Date; projectId: string }): Promise<number>;
    /** After `enable`, as a separate statement: this way it sees what was committed while `enable` waited.
     * (sql/queries/projects.sql:201) */
    liftSuspension(on: On, args: { now: Date; projectId: string }): Promise<{ reason: string | null }[]>;
    /** Locks a project for the rest of the transaction; 0 when there is none, or it was deleted. Its mail continues to be
     * sent, and rows that refer to it can be written.
     * (sql/queries/projects.sql:208) */
    hold(on: On, args: { projectId: string }): Promise<number>;
    /** So that only one process makes the first project.
     * (sql/queries/projects.sql:216) */
    lockAll(on: On): Promise<number>;
    /** How a project presents itself to recipients, and whether it follows what they do.
     * (sql/queries/projects.sql:220) */
    presented(on: On, args: { projectId: string }): Promise<{ name: string; language: string; postalAddress: string | null; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY" } | null>;
  };
  rateLimits: {
    /** Takes requests from the current minute of several projects at once. `used` is what all processes took, this one
     * included. A process whose clock is behind joins the newer minute instead of reopening the old one.
     * (sql/queries/rate_limits.sql:1) */
    take(on: On, args: { minute: number; projectIds: string[]; requests: number[] }): Promise<{ projectId: string; minute: number; used: number }[]>;
    /** The same of users, who act for no project.
     * (sql/queries/rate_limits.sql:14) */
    takeByUsers(on: On, args: { minute: number; userIds: string[]; requests: number[] }): Promise<{ userId: string; minute: number; used: number }[]>;
    /** Of users of whom nothing was heard in the last minutes.
     * (sql/queries/rate_limits.sql:26) */
    purge(on: On, args: { minute: number }): Promise<number>;
  };
  receivedMails: {
    /** The projects that these domains are verified for. Several may have the same one: each has shown that it is theirs.
     * (sql/queries/received_mails.sql:1) */
    receivers(on: On, args: { domains: string[] }): Promise<{ projectId: string; domain: string }[]>;
  };
  recounts: {
    /** The next projects in the order of their ids.
     * (sql/queries/recounts.sql:1) */
    projects(on: On, args: { after: string; limit: number }): Promise<{ id: string }[]>;
    /** Only one process at a time recounts the events, mails or executions of a project: two would both add the correction.
     * It has no time limit.
     * (sql/queries/recounts.sql:9) */
    hold(on: On, args: { projectId: string; kind: string }): Promise<number>;
    /** The same without waiting: whether nobody else is recounting.
     * (sql/queries/recounts.sql:14) */
    tryHold(on: On, args: { projectId: string; kind: string }): Promise<{ isMine: boolean }>;
    /** Waits for a roll-up that is in progress, and blocks others until the commit.
     * (sql/queries/recounts.sql:18) */
    keepOutRollup(on: On): Promise<number>;
    /** For the rest of this transaction no statement is ended because of its length.
     * (sql/queries/recounts.sql:22) */
    takeTime(on: On): Promise<number>;
  };
  removals: {
    /** From the commit on the project cannot be found, and nothing of it is sent. Null when there is none.
     * (sql/queries/removals.sql:1) */
    beginDeletion(on: On, args: { now: Date; projectId: string }): Promise<{ name: string } | null>;
    /** The sandbox of a project, which goes with it.
     * (sql/queries/removals.sql:8) */
    sandbox(on: On, args: { projectId: string }): Promise<{ id: string } | null>;
    /** Members and receiving domains are removed from the project at once.
     * (sql/queries/removals.sql:14) */
    letGo(on: On, args: { projectId: string }): Promise<number>;
    /** Waits for those who are starting workflows of the project. From the commit on they see what is written here.
     * (sql/queries/removals.sql:25) */
    keepOutStarts(on: On, args: { projectId: string }): Promise<number>;
    /** Everything that is active, or would start by itself, is ended here, after waiting for those who work on it. Mails
     * and executions stay as they are: they are checked again when their turn comes. The names of segments are free for
     * new ones.
     * (sql/queries/removals.sql:29) */
    stop(on: On, args: { now: Date; projectId: string; reason: string }): Promise<number>;
    /** Notes how far the reset goes: up to the currently newest rows. A reset in progress is extended to there.
     * (sql/queries/removals.sql:66) */
    beginReset(on: On, args: { projectId: string; now: Date }): Promise<number>;
    /** All removals share one queue, one slice of one project after another: so of however many projects, they take one place
     * of the bulk lane, and no more. The lower the priority, the sooner.
     * (sql/queries/removals.sql:102) */
    enqueue(on: On, args: { task: string; payload: JsonArg; runAt: Date | null; priority: number; projectId: string }): Promise<number>;
    /** For the rest of this transaction, and for the referencing tables that it searches: whatever the planner estimates
     * about their size.
     * (sql/queries/removals.sql:115) */
    readByIndex(on: On): Promise<number>;
    /** Projects being deleted or reset that have no job left that will be tried.
     * (sql/queries/removals.sql:120) */
    withoutJob(on: On): Promise<{ task: string; projectId: string }[]>;
    /** A project on its way out; null when it is gone.
     * (sql/queries/removals.sql:138) */
    deletion(on: On, args: { projectId: string }): Promise<{ deletedAt: Date } | null>;
    /** A project that is being reset, and how far; null when that is done, or the project was deleted in the meantime.
     * `version` tells whether the reset was requested again since.
     * (sql/queries/removals.sql:144) */
    reset(on: On, args: { projectId: string }): Promise<{ askedAt: Date; version: string; contacts: string | null; events: string | null; templates: string | null; contents: string | null; emails: string | null; segments: string | null; contactImports: string | null; bulkJobs: string | null; campaigns: string | null; suppressions: string | null; workflows: string | null; executions: string | null } | null>;
    /** Locks a project that is being deleted: waits for transactions that add rows referring to it, and blocks new ones.
     * Busy means that a transaction which began before the deletion was visible may still add rows without a foreign key, or
     * that its sandbox is still there.
     * (sql/queries/removals.sql:154) */
    holdDeleted(on: On, args: { projectId: string }): Promise<{ isBusy: boolean } | null>;
    /** The project itself, with the last traces of it.
     * (sql/queries/removals.sql:172) */
    endDeletion(on: On, args: { projectId: string }): Promise<number>;
    /** 0 when it was asked for once more since.
     * (sql/queries/removals.sql:181) */
    endReset(on: On, args: { projectId: string; version: string }): Promise<number>;
    /** What is recounted after a reset.
     * (sql/queries/removals.sql:186) */
    segments(on: On, args: { projectId: string }): Promise<{ id: string }[]>;
  };
  reputation: {
    /** Adds up to `limit` deltas to the days, and returns how many there were for each project.
     * (sql/queries/reputation.sql:1) */
    rollUp(on: On, args: { limit: number }): Promise<{ projectId: string; deltas: number }[]>;
    /** The standing of projects in service: these, and all that were not HEALTHY at the last check. Sandboxes have none: what
     * bounces there is a test. The last `days` days are
     * counted, including today, as far as they were not forgiven.
     * (sql/queries/reputation.sql:33) */
    standings(on: On, args: { now: Date; days: number; projectIds: string[] }): Promise<{ projectId: string; level: "HEALTHY" | "WARNING" | "CRITICAL"; total: number; bounces: number; complaints: number }[]>;
    /** The standing of one project: its level at the last check, the last `days` days as in `standings`, and all time.
     * (sql/queries/reputation.sql:56) */
    standing(on: On, args: { now: Date; days: number; projectId: string }): Promise<{ name: string; disabled: boolean; level: "HEALTHY" | "WARNING" | "CRITICAL"; total: number; bounces: number; complaints: number; allTotal: number; allBounces: number; allComplaints: number } | null>;
    /** (sql/queries/reputation.sql:76) */
    setLevel(on: On, args: { projectId: string; level: "HEALTHY" | "WARNING" | "CRITICAL"; now: Date }): Promise<number>;
    /** A fresh start: what was counted until now is no longer held against the project.
     * (sql/queries/reputation.sql:83) */
    forgive(on: On, args: { now: Date; projectId: string }): Promise<number>;
    /** The newest first.
     * (sql/queries/reputation.sql:115) */
    suspensions(on: On, args: { projectId: string; limit: number }): Promise<{ at: Date; reason: string | null; liftedAt: Date | null }[]>;
  };
  requests: {
    /** Rows of projects that are being deleted are left out, and of those that are being reset what came before that.
     * (sql/queries/requests.sql:4) */
    add(on: On, args: { rows: { project_id: string; id: string; given_id: string | null | undefined; method: string; route: string; path: string; status: number; ms: number; code: string | null | undefined; message: string | null | undefined; errors: JsonArg | null | undefined; key_kind: string | null | undefined; key_id: string | null | undefined; key_name: string | null | undefined; key_hint: string | null | undefined; user_id: string | null | undefined; user_agent: string | null | undefined; body: string | null | undefined; addresses: JsonArg | null | undefined; left_out: number }[] }): Promise<number>;
    /** (sql/queries/requests.sql:28) */
    page(on: On, args: { projectId: string; since: string; before: string; fromStatus: number; toStatus: number; method: string | null; path: string | null; keyId: string | null; keyKind: string | null; limit: number }): Promise<{ id: string; givenId: string | null; method: string; route: string; path: string; status: number; ms: number; code: string | null; message: string | null; keyKind: string | null; keyId: string | null; keyName: string | null; keyHint: string | null; userId: string | null; userEmail: string | null; userAgent: string | null; leftOut: number }[]>;
    /** The same of requests that were refused or failed: by their own index.
     * (sql/queries/requests.sql:47) */
    refused(on: On, args: { projectId: string; since: string; before: string; fromStatus: number; toStatus: number; method: string | null; path: string | null; keyId: string | null; keyKind: string | null; limit: number }): Promise<{ id: string; givenId: string | null; method: string; route: string; path: string; status: number; ms: number; code: string | null; message: string | null; keyKind: string | null; keyId: string | null; keyName: string | null; keyHint: string | null; userId: string | null; userEmail: string | null; userAgent: string | null; leftOut: number }[]>;
    /** The last of so many rows; null if there are fewer.
     * (sql/queries/requests.sql:68) */
    edge(on: On, args: { projectId: string; since: string; before: string; lookedAt: number }): Promise<{ id: string } | null>;
    /** (sql/queries/requests.sql:77) */
    edgeOfRefused(on: On, args: { projectId: string; since: string; before: string; lookedAt: number }): Promise<{ id: string } | null>;
    /** One request, by its own id or by the one that its caller gave it: of several with that one the latest.
     * (sql/queries/requests.sql:85) */
    byId(on: On, args: { projectId: string; requestId: string }): Promise<{ id: string; givenId: string | null; method: string; route: string; path: string; status: number; ms: number; code: string | null; message: string | null; errors: Json | null; keyKind: string | null; keyId: string | null; keyName: string | null; keyHint: string | null; userId: string | null; userEmail: string | null; userAgent: string | null; body: string | null; leftOut: number } | null>;
  };
  retention: {
    /** Requests that are old, project by project from one on. `last_id` is the last project that had any.
     * (sql/queries/retention.sql:5) */
    dropRequests(on: On, args: { before: Date; limit: number; after: string }): Promise<{ looked: number; lastId: string | null }>;
    /** The same of the messages for endpoints.
     * (sql/queries/retention.sql:31) */
    dropWebhookMessages(on: On, args: { before: Date; limit: number; after: string }): Promise<{ looked: number; lastId: string | null }>;
    /** The same of their deliveries, endpoint by endpoint.
     * (sql/queries/retention.sql:57) */
    dropWebhookDeliveries(on: On, args: { before: Date; limit: number; after: string }): Promise<{ looked: number; lastId: string | null }>;
    /** Since when a job waits that has yet to read events: what happened from then on is needed. Null when there is none.
     * (sql/queries/retention.sql:83) */
    awaitedSince(on: On): Promise<{ since: Date | null }>;
    /** Deletes some of the events that are older than any partition. Directly from theirs: the counters do not follow, because
     * it did happen.
     * (sql/queries/retention.sql:90) */
    dropEvents(on: On, args: { before: Date; limit: number }): Promise<number>;
    /** Projects that have mails of before that time.
     * (sql/queries/retention.sql:101) */
    projectsWithEmails(on: On, args: { before: Date }): Promise<{ id: string }[]>;
    /** Looks at the next mails of a project and deletes those that had a final state before that time. An open mail stays,
     * and so does one of an active campaign or execution, which still has to note its outcome. These are looked up one by one (`exists` could become a hash of all executions).
     * `last_id` is how far it got.
     * (sql/queries/retention.sql:114) */
    dropEmails(on: On, args: { before: Date; projectId: string; after: string; limit: number }): Promise<{ gone: number; looked: number; lastId: string | null }>;
    /** Looks at the next messages created before that time, and removes bodies and attachments from those that no mail needs
     * any more: mails that are open, of an active campaign, or still to be created by a step of a workflow. A step that was
     * active when its template changed has ended before `changed_before`. Direct mails are created in one commit with their
     * message, at most 1,000: these are looked at, because a million others may wait for their times. Only a message of a
     * workflow has more, and is looked for among all mails that wait.
     * (sql/queries/retention.sql:153) */
    emptyContents(on: On, args: { after: string; before: Date; limit: number; changedBefore: Date; now: Date }): Promise<{ gone: number; looked: number; lastId: string | null }>;
    /** Projects that have captured mails.
     * (sql/queries/retention.sql:236) */
    projectsWithCaptured(on: On): Promise<{ id: string }[]>;
    /** Looks at the next captured mails of a project, and closes those that were captured before that time, or whose message
     * was emptied: they can no longer be sent. `drop_emails` leaves them until then, so that the counters of a campaign
     * follow.
     * (sql/queries/retention.sql:249) */
    closeCaptured(on: On, args: { before: Date; projectId: string; after: string; limit: number }): Promise<{ gone: number; looked: number; lastId: string | null }>;
    /** Projects that have messages of before that time.
     * (sql/queries/retention.sql:272) */
    projectsWithContents(on: On, args: { before: Date }): Promise<{ id: string }[]>;
    /** Looks at the messages of a project created before `made_before`, and deletes those that were emptied before
     * `emptied_before`: no mail has used them since, so all of their mails are gone.
     * (sql/queries/retention.sql:285) */
    dropContents(on: On, args: { emptiedBefore: Date; projectId: string; after: string; madeBefore: Date; limit: number }): Promise<{ gone: number; looked: number; lastId: string | null }>;
    /** Projects that have told of steps before that time.
     * (sql/queries/retention.sql:305) */
    projectsWithHistory(on: On, args: { before: Date }): Promise<{ id: string }[]>;
    /** Looks at the next history entries, and deletes those of executions that ended before that time. The executions stay:
     * contacts who have been through a workflow must not enter it again.
     * (sql/queries/retention.sql:318) */
    dropHistory(on: On, args: { before: Date; projectId: string; after: string; limit: number }): Promise<{ gone: number; looked: number; lastId: string | null }>;
    /** Deletes reports of imports that were done before that time.
     * (sql/queries/retention.sql:346) */
    dropImports(on: On, args: { before: Date; limit: number }): Promise<number>;
    /** Deletes reports of what came from other services, once they are that old.
     * (sql/queries/retention.sql:357) */
    dropMoves(on: On, args: { before: Date; limit: number }): Promise<number>;
    /** (sql/queries/retention.sql:368) */
    dropBulkJobs(on: On, args: { before: Date; limit: number }): Promise<number>;
    /** Strikes jobs off the queue that were given up before that time, after all of their attempts.
     * (sql/queries/retention.sql:378) */
    dropJobs(on: On, args: { before: Date; limit: number }): Promise<{ gone: number }>;
  };
  rollup: {
    /** Whether this transaction is the one that rolls up, until its end: there is one at a time.
     * (sql/queries/rollup.sql:1) */
    hold(on: On): Promise<{ isMine: boolean }>;
  };
  routes: {
    /** (sql/queries/routes.sql:3) */
    get(on: On, args: { projectId: string }): Promise<{ document: Json; editedBy: string; updatedAt: Date } | null>;
    /** (sql/queries/routes.sql:6) */
    put(on: On, args: { projectId: string; document: JsonArg; editedBy: string; now: Date }): Promise<number>;
    /** The documents that contain this part, such as a rule with a certain transport. There are few documents.
     * (sql/queries/routes.sql:12) */
    naming(on: On, args: { part: JsonArg }): Promise<{ projectId: string; document: Json }[]>;
  };
  scheduledEmails: {
    /** Keeps mails until they are due soon. `rows` holds `{email_id, send_at}`. One that is kept gets another time.
     * (sql/queries/scheduled_emails.sql:1) */
    put(on: On, args: { projectId: string; rows: { email_id: string; send_at: Date | string }[] }): Promise<number>;
    /** (sql/queries/scheduled_emails.sql:10) */
    remove(on: On, args: { projectId: string; emailIds: string[] }): Promise<number>;
    /** Takes mails out that are due before a time, the first ones first: the caller gives them jobs in the same transaction.
     * (sql/queries/scheduled_emails.sql:14) */
    takeDue(on: On, args: { before: Date; limit: number }): Promise<{ projectId: string; id: string; sendAt: Date }[]>;
    /** Gives another time to a mail that waits for its time and was not tried yet, and to those others of its message, if it is the
     * first one. A process that claims it now is waited for, and then it is too late. None if that mail is sent already.
     * (sql/queries/scheduled_emails.sql:29) */
    reschedule(on: On, args: { projectId: string; emailId: string; sendAt: Date }): Promise<{ id: string }[]>;
    /** Closes a single mail that was not sent yet, and those others of its message, if it is the first one. Gives back what they
     * took of the month in which they were accepted. Not one that was in doubt: its recipient may have it. None if that mail cannot
     * be cancelled.
     * (sql/queries/scheduled_emails.sql:59) */
    cancel(on: On, args: { projectId: string; emailId: string }): Promise<{ id: string }[]>;
  };
  scheduledRuns: {
    /** Workflows that are due, locked so that one process starts them.
     * (sql/queries/scheduled_runs.sql:1) */
    due(on: On, args: { now: Date; limit: number }): Promise<{ projectId: string; id: string; triggerConfig: Json | null; nextRunAt: Date }[]>;
    /** These workflows start for a time, and know their next one. `rows` holds `{project_id, workflow_id, due_at,
     * next_run_at?}`.
     * (sql/queries/scheduled_runs.sql:11) */
    begin(on: On, args: { rows: { project_id: string; workflow_id: string; due_at: Date | string; next_run_at: Date | string | null | undefined }[]; now: Date }): Promise<number>;
    /** What is still being started, of projects that are not disabled.
     * (sql/queries/scheduled_runs.sql:32) */
    unfinished(on: On): Promise<{ projectId: string; id: string }[]>;
    /** One of them while a range of contacts is started; null when it is done, when somebody else is at it, or while its
     * project is disabled.
     * (sql/queries/scheduled_runs.sql:38) */
    hold(on: On, args: { projectId: string; runId: string }): Promise<{ workflowId: string; dueAt: Date; upTo: string | null; createdAt: Date; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean } | null>;
    /** The next contacts that a workflow starts for, in the order of their ids. Who came after the time is not among them.
     * (sql/queries/scheduled_runs.sql:48) */
    range(on: On, args: { projectId: string; afterId: string | null; until: Date; audience: Fragment; limit: number }): Promise<{ id: string }[]>;
    /** It has got as far as this contact.
     * (sql/queries/scheduled_runs.sql:62) */
    advance(on: On, args: { upTo: string; projectId: string; runId: string }): Promise<number>;
    /** Nothing came of it: how often in a row.
     * (sql/queries/scheduled_runs.sql:68) */
    noteFailure(on: On, args: { projectId: string; runId: string }): Promise<{ tries: number } | null>;
    /** (sql/queries/scheduled_runs.sql:75) */
    finish(on: On, args: { projectId: string; runId: string }): Promise<number>;
  };
  search: {
    /** The contacts whose address begins with a text, by the index of addresses; a text that nobody's begins with ends after
     * 50 of those that come after it.
     * (sql/queries/search.sql:3) */
    contactsFrom(on: On, args: { projectId: string; text: string; limit: number }): Promise<{ id: string; email: string; subscribed: boolean }[]>;
    /** The contacts whose address contains a text. The text is part of the statement's own plan: a common one is found in any
     * contacts, a rare one by its trigrams.
     * (sql/queries/search.sql:17) */
    contactsWith(on: On, args: { projectId: string; filter: Fragment; limit: number }): Promise<{ id: string; email: string; subscribed: boolean }[]>;
    /** What people make, by its name (of campaigns also by the subject): `limit` of each noun, those that begin with the text
     * first, then the newest. `beginning` and `containing` are patterns of LIKE. Of a project there are few thousands.
     * (sql/queries/search.sql:26) */
    named(on: On, args: { projectId: string; containing: string; beginning: string; limit: number }): Promise<{ noun: string; id: string; name: string; detail: string }[]>;
    /** The names of events, those of which there are most first.
     * (sql/queries/search.sql:56) */
    events(on: On, args: { projectId: string; containing: string; beginning: string; limit: number }): Promise<{ name: string; count: number }[]>;
  };
  segmentCandidates: {
    /** Takes up to `limit` contacts whose memberships may have changed. They are deleted when the transaction commits. They
     * all have the same depth, which the events of this transaction get: so a loop of workflows and segments ends.
     * (sql/queries/segment_candidates.sql:1) */
    take(on: On, args: { projectId: string; limit: number }): Promise<{ contactId: string; depth: string | null }[]>;
    /** Contacts whose memberships may have changed without a change of their own, as when a list is edited.
     * (sql/queries/segment_candidates.sql:23) */
    note(on: On, args: { projectId: string; contactIds: string[] }): Promise<number>;
    /** Projects with contacts that were not checked yet, and projects that track a segment.
     * (sql/queries/segment_candidates.sql:27) */
    projects(on: On): Promise<{ projectId: string }[]>;
    /** What is left of projects that track nothing any more.
     * (sql/queries/segment_candidates.sql:36) */
    purge(on: On): Promise<number>;
    /** Projects with contacts that are still to be checked.
     * (sql/queries/segment_candidates.sql:43) */
    waiting(on: On): Promise<{ projectId: string }[]>;
  };
  segmentMembers: {
    /** Since when a contact is noted as a member.
     * (sql/queries/segment_members.sql:1) */
    of(on: On, args: { projectId: string; segmentId: string; contactId: string }): Promise<{ enteredAt: Date } | null>;
    /** Adds contacts to a static segment, and records the event of each if there is one. Returns only those that were not
     * members before.
     * (sql/queries/segment_members.sql:7) */
    addContacts(on: On, args: { projectId: string; segmentId: string; now: Date; contactIds: string[]; event: string | null; eventData: JsonArg }): Promise<{ contactId: string }[]>;
    /** The opposite. Returns those that were members.
     * (sql/queries/segment_members.sql:29) */
    removeContacts(on: On, args: { projectId: string; segmentId: string; contactIds: string[]; event: string | null; eventData: JsonArg; now: Date }): Promise<{ contactId: string }[]>;
    /** Adds the matching contacts that are not members yet, and records the event of each, in one statement. With
     * `contact_ids` it looks only at those.
     * (sql/queries/segment_members.sql:45) */
    enter(on: On, args: { segmentId: string; now: Date; projectId: string; contactIds: string[] | null; audience: Fragment; event: string; eventData: JsonArg }): Promise<{ added: number }>;
    /** After so many new members: where Postgres expects one, `exit` looks at all events of a name again for each of them. Nothing
     * waits for whoever has the table already, such as a vacuum of hours or another project (`test/db/analyze_test.ts`).
     * (sql/queries/segment_members.sql:74) */
    analyze(on: On): Promise<number>;
    /** Removes the members that match no more, and records the event of each, in one statement.
     * (sql/queries/segment_members.sql:79) */
    exit(on: On, args: { projectId: string; segmentId: string; contactIds: string[] | null; audience: Fragment; event: string; eventData: JsonArg; now: Date }): Promise<{ removed: number }>;
    /** Adds contacts to a static segment, and records the event of each if there is one. Returns only those that were not
     * members before.
     * (sql/queries/segment_members.sql:100) */
    add(on: On, args: { projectId: string; segmentId: string; now: Date; emails: string[]; event: string | null; eventData: JsonArg }): Promise<{ contactId: string }[]>;
    /** Removes contacts from a static segment, and records the event of each if there is one. Returns only those that were
     * members.
     * (sql/queries/segment_members.sql:122) */
    remove(on: On, args: { projectId: string; segmentId: string; emails: string[]; event: string | null; eventData: JsonArg; now: Date }): Promise<{ contactId: string }[]>;
  };
  segments: {
    /** (sql/queries/segments.sql:1) */
    list(on: On, args: { projectId: string }): Promise<{ id: string; name: string; slug: string; description: string | null; type: "DYNAMIC" | "STATIC"; condition: Json | null; trackMembership: boolean; memberCount: number; projectId: string; createdAt: Date; updatedAt: Date }[]>;
    /** (sql/queries/segments.sql:8) */
    byId(on: On, args: { projectId: string; segmentId: string }): Promise<{ id: string; name: string; slug: string; description: string | null; type: "DYNAMIC" | "STATIC"; condition: Json | null; trackMembership: boolean; memberCount: number; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** The segment, held until the end of the transaction: memberships of one segment are computed one after another.
     * (sql/queries/segments.sql:14) */
    lock(on: On, args: { projectId: string; segmentId: string }): Promise<{ id: string; name: string; slug: string; type: "DYNAMIC" | "STATIC"; condition: Json | null; trackMembership: boolean } | null>;
    /** Segments of one project are created and changed one after another: slugs stay unique, and no two concurrent changes
     * can make conditions refer to each other.
     * (sql/queries/segments.sql:21) */
    lockAll(on: On, args: { projectId: string }): Promise<number>;
    /** What every segment of the project is made of: conditions may refer to any of them.
     * (sql/queries/segments.sql:29) */
    conditions(on: On, args: { projectId: string }): Promise<{ id: string; type: "DYNAMIC" | "STATIC"; condition: Json | null }[]>;
    /** If a slug is taken, the next free number is appended. Concurrent ones meet at the unique constraint.
     * (sql/queries/segments.sql:35) */
    insert(on: On, args: { projectId: string; name: string; slug: string; description: string | null; type: "DYNAMIC" | "STATIC"; condition: JsonArg | null; trackMembership: boolean }): Promise<{ id: string }>;
    /** Changes what is given of a segment that is held. Its time stays where that is what it was.
     * (sql/queries/segments.sql:58) */
    patch(on: On, args: { name: string | null; setDescription: boolean; description: string | null; condition: JsonArg | null; trackMembership: boolean | null; projectId: string; segmentId: string }): Promise<number>;
    /** (sql/queries/segments.sql:85) */
    setCount(on: On, args: { memberCount: number; projectId: string; segmentId: string }): Promise<number>;
    /** (sql/queries/segments.sql:90) */
    remove(on: On, args: { projectId: string; segmentId: string }): Promise<number>;
    /** The other segments whose condition names this one; an id may be written in either case.
     * (sql/queries/segments.sql:94) */
    referringTo(on: On, args: { projectId: string; segmentId: string; field: string }): Promise<{ id: string; name: string }[]>;
    /** The campaigns on their way to be sent whose audience is this segment, or a condition that names it.
     * (sql/queries/segments.sql:103) */
    usedByCampaigns(on: On, args: { projectId: string; segmentId: string; field: string }): Promise<{ id: string; name: string }[]>;
    /** The segments whose condition names this field of contacts, or a path below it.
     * (sql/queries/segments.sql:116) */
    referringToField(on: On, args: { projectId: string; field: string }): Promise<{ id: string; name: string }[]>;
    /** The dynamic segments whose membership is kept up, of one project or of all. Outdated is one that was never worked out,
     * or not since its condition changed. Not those of a project that is being imported: they would miss whoever is to come.
     * (sql/queries/segments.sql:126) */
    tracked(on: On, args: { projectId: string | null }): Promise<{ projectId: string; id: string; outdated: boolean }[]>;
    /** Counts the stored members of a segment that is held, and notes that its membership is worked out.
     * (sql/queries/segments.sql:138) */
    countStored(on: On, args: { projectId: string; segmentId: string }): Promise<{ memberCount: number }>;
    /** The membership of this tracked segment, and of those that may refer to it, has to be recomputed.
     * (sql/queries/segments.sql:149) */
    outdate(on: On, args: { projectId: string; segmentId: string }): Promise<number>;
    /** The segments that keep any of these contacts as members.
     * (sql/queries/segments.sql:158) */
    holding(on: On, args: { projectId: string; contactIds: string[] }): Promise<{ segmentId: string }[]>;
    /** Counts the stored members of a segment that is held, after contacts were deleted.
     * (sql/queries/segments.sql:164) */
    recount(on: On, args: { projectId: string; segmentId: string }): Promise<number>;
    /** How many members a segment had, day by day.
     * (sql/queries/segments.sql:172) */
    sizes(on: On, args: { projectId: string; segmentId: string; from: Date; until: Date }): Promise<{ day: Date; members: number }[]>;
    /** How many members each of the newest segments had, with an entry for each of these days: -1 where none was counted.
     * (sql/queries/segments.sql:179) */
    sizesOfNewest(on: On, args: { projectId: string; limit: number; until: Date; from: Date }): Promise<{ id: string; members: number[] }[]>;
    /** Segments of which no size is noted for a day, in the order of their ids: of projects that are not deleted, nor still
     * being imported.
     * (sql/queries/segments.sql:194) */
    unsized(on: On, args: { afterProject: string; afterId: string; day: Date; limit: number }): Promise<{ projectId: string; id: string }[]>;
    /** Notes the size of a segment whose members are kept up as they come and go.
     * (sql/queries/segments.sql:210) */
    noteSize(on: On, args: { day: Date; projectId: string; segmentId: string }): Promise<number>;
  };
  sendRates: {
    /** The projects that may not send as fast as they can: mails a second.
     * (sql/queries/send_rates.sql:1) */
    limited(on: On): Promise<{ projectId: string; rate: number }[]>;
    /** Takes tokens out of these buckets, which hold what comes in so many seconds, in one order, so that two processes cannot wait
     * for each other.
     * (sql/queries/send_rates.sql:7) */
    take(on: On, args: { scopes: string[]; wanted: number[]; rates: string[]; seconds: string }): Promise<{ scope: string; granted: number; waitMs: number }[]>;
    /** What was taken and not used; more than a bucket holds is not counted by the next who takes. In the order of `take`.
     * (sql/queries/send_rates.sql:18) */
    giveBack(on: On, args: { scopes: string[]; tokens: number[] }): Promise<number>;
  };
  session: {
    /** Ends any statement of this transaction that takes longer, with SQLSTATE 57014.
     * (sql/queries/session.sql:1) */
    limitTime(on: On, args: { ms: string }): Promise<{ timeout: string }>;
    /** Until the session ends, or lets go of it.
     * (sql/queries/session.sql:5) */
    holdNumber(on: On, args: { number: number }): Promise<number>;
    /** Whether a session of this very database holds it.
     * (sql/queries/session.sql:9) */
    seesNumber(on: On, args: { number: number }): Promise<{ seen: boolean }>;
    /** (sql/queries/session.sql:20) */
    dropNumber(on: On, args: { number: number }): Promise<number>;
  };
  sessions: {
    /** (sql/queries/sessions.sql:1) */
    insert(on: On, args: { userId: string; now: Date; expiresAt: Date; userAgent: string }): Promise<{ id: string; expiresAt: Date }>;
    /** The owner of these sessions, and the role of each in the project that it asks for. `place` is the position among the
     * sessions asked for; an ended session has no row, and a project that the user is not a member of has no role. The members
     * of a sandbox are those of its project. Asked for every request, so that whatever was ended, revoked or disabled takes effect with the next one.
     * (sql/queries/sessions.sql:6) */
    found(on: On, args: { sessionIds: string[]; projectIds: string[]; now: Date }): Promise<{ place: number; id: string; userId: string; createdAt: Date; expiresAt: Date; lastUsedAt: Date; provenAt: Date | null; email: string; name: string | null; emailVerified: boolean; proven: boolean; twoFactor: boolean; requiresTwoFactor: boolean | null; projectId: string | null; role: "OWNER" | "ADMIN" | "MEMBER" | null; disabled: boolean; disabledReason: string | null }[]>;
    /** Whether it is a session of this user that stands.
     * (sql/queries/sessions.sql:34) */
    isOf(on: On, args: { sessionId: string; userId: string; now: Date }): Promise<{ stands: boolean }>;
    /** The sessions of a user that stand, last used first.
     * (sql/queries/sessions.sql:42) */
    list(on: On, args: { userId: string; now: Date; limit: number }): Promise<{ id: string; userAgent: string; createdAt: Date; lastUsedAt: Date; expiresAt: Date }[]>;
    /** Those that were ended in the meantime stay so.
     * (sql/queries/sessions.sql:50) */
    noteUse(on: On, args: { now: Date; sessionIds: string[] }): Promise<number>;
    /** (sql/queries/sessions.sql:56) */
    noteProof(on: On, args: { now: Date; sessionId: string }): Promise<number>;
    /** 0 when it was ended in the meantime.
     * (sql/queries/sessions.sql:61) */
    slide(on: On, args: { expiresAt: Date; sessionId: string; now: Date }): Promise<number>;
    /** (sql/queries/sessions.sql:67) */
    end(on: On, args: { sessionId: string }): Promise<number>;
    /** All sessions of a user, or all but one. Returns how many.
     * (sql/queries/sessions.sql:71) */
    endOfUser(on: On, args: { userId: string; except: string | null }): Promise<number>;
    /** One session of a user. Null when there is none with this id.
     * (sql/queries/sessions.sql:77) */
    endOwn(on: On, args: { sessionId: string; userId: string; now: Date }): Promise<{ id: string; userAgent: string } | null>;
    /** (sql/queries/sessions.sql:83) */
    purge(on: On, args: { now: Date; limit: number }): Promise<number>;
  };
  setupState: {
    /** How far a project is set up. Its contacts are counted from the counters. A sandbox needs no domain.
     * (sql/queries/setup_state.sql:1) */
    get(on: On, args: { projectId: string }): Promise<{ hasVerifiedDomain: boolean; contactCount: number; hasTemplate: boolean; hasMail: boolean; lastCampaignSentAt: Date | null; hasEnabledWorkflow: boolean; hasSubscription: boolean }>;
  };
  stepCounts: {
    /** How often executions came to each step of a workflow, passed it and failed there.
     * (sql/queries/step_counts.sql:1) */
    list(on: On, args: { projectId: string; workflowId: string }): Promise<{ stepId: string; entered: number; passed: number; failed: number }[]>;
    /** How many executions are at each step now, each counted up to `up_to`.
     * (sql/queries/step_counts.sql:22) */
    waiting(on: On, args: { upTo: number; projectId: string; workflowId: string }): Promise<{ stepId: string; waiting: number }[]>;
    /** How often executions left each step of a workflow by each of its branches.
     * (sql/queries/step_counts.sql:40) */
    branches(on: On, args: { projectId: string; workflowId: string }): Promise<{ stepId: string; branch: string; passed: number }[]>;
    /** Adds up to `limit` deltas to the counts. Those of steps that are gone are dropped.
     * (sql/queries/step_counts.sql:56) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
  };
  suppressions: {
    /** One page, newest first, behind the place where the cursor stands. The pattern is one of LIKE.
     * (sql/queries/suppressions.sql:1) */
    list(on: On, args: { projectId: string; afterId: string | null; reason: "MANUAL" | "BOUNCE" | "COMPLAINT" | null; pattern: string | null; limit: number }): Promise<{ id: string; email: string; reason: "MANUAL" | "BOUNCE" | "COMPLAINT"; projectId: string; createdAt: Date }[]>;
    /** The same in the opposite order.
     * (sql/queries/suppressions.sql:13) */
    listOldestFirst(on: On, args: { projectId: string; afterId: string | null; reason: "MANUAL" | "BOUNCE" | "COMPLAINT" | null; pattern: string | null; limit: number }): Promise<{ id: string; email: string; reason: "MANUAL" | "BOUNCE" | "COMPLAINT"; projectId: string; createdAt: Date }[]>;
    /** The next of a whole list, in the order in which they came, up to the row `last_id`.
     * (sql/queries/suppressions.sql:25) */
    export(on: On, args: { projectId: string; afterId: string; lastId: string; limit: number }): Promise<{ id: string; email: string; reason: "MANUAL" | "BOUNCE" | "COMPLAINT"; createdAt: Date }[]>;
    /** How many addresses such a list has, counted up to `up_to`.
     * (sql/queries/suppressions.sql:33) */
    count(on: On, args: { projectId: string; reason: "MANUAL" | "BOUNCE" | "COMPLAINT" | null; pattern: string | null; upTo: number }): Promise<{ total: number }>;
    /** Which of these addresses are on the list.
     * (sql/queries/suppressions.sql:46) */
    among(on: On, args: { emails: string[]; projectId: string }): Promise<{ email: string }[]>;
    /** Puts addresses on the suppression lists of their projects, and returns each of them once. `rows` holds `{id,
     * project_id, email, reason}`. An existing one keeps its id, which tells it from a new one; of several reasons the
     * strongest stays. One that a reset is about to delete counts as absent. Rows are locked in one order, so that two
     * calls cannot deadlock.
     * (sql/queries/suppressions.sql:57) */
    addMany(on: On, args: { rows: { id: string; project_id: string; email: string; reason: "MANUAL" | "BOUNCE" | "COMPLAINT" }[] }): Promise<{ id: string; email: string; reason: "MANUAL" | "BOUNCE" | "COMPLAINT"; projectId: string; createdAt: Date }[]>;
    /** 0 when the address is not on the list.
     * (sql/queries/suppressions.sql:77) */
    remove(on: On, args: { projectId: string; email: string }): Promise<number>;
  };
  templates: {
    /** The content sent for a template, and what it was made from.
     * (sql/queries/templates.sql:1) */
    byId(on: On, args: { projectId: string; templateId: string }): Promise<{ id: string; name: string; subject: string; preheader: string | null; body: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" } | null>;
    /** What these templates say.
     * (sql/queries/templates.sql:7) */
    contents(on: On, args: { projectId: string; templateIds: string[] }): Promise<{ id: string; subject: string; preheader: string | null; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" }[]>;
    /** The templates that have one of these aliases.
     * (sql/queries/templates.sql:13) */
    byAliases(on: On, args: { projectId: string; aliases: string[] }): Promise<{ alias: string; id: string }[]>;
    /** The same of templates of the project that a sandbox belongs to.
     * (sql/queries/templates.sql:19) */
    liveByAliases(on: On, args: { aliases: string[]; projectId: string }): Promise<{ alias: string; id: string }[]>;
    /** The same of templates of the project that a sandbox belongs to: code that is tested names these.
     * (sql/queries/templates.sql:26) */
    liveContents(on: On, args: { templateIds: string[]; projectId: string }): Promise<{ id: string; subject: string; preheader: string | null; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" }[]>;
    /** A template as its author knows it.
     * (sql/queries/templates.sql:33) */
    get(on: On, args: { projectId: string; templateId: string }): Promise<{ id: string; name: string; alias: string | null; description: string | null; subject: string; preheader: string | null; body: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** One page, at an offset or after a template: then in the order of creation, which is that of ids. Bodies only where they
     * are asked for. A project has hundreds of templates, and not millions: sorting them all costs little.
     * (sql/queries/templates.sql:40) */
    list(on: On, args: { withBody: boolean; projectId: string; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; ids: string[] | null; pattern: string | null; afterId: string | null; dir: string; sort: string; limit: number; offset: number }): Promise<{ id: string; name: string; alias: string | null; description: string | null; subject: string; preheader: string | null; body: string | null; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; projectId: string; createdAt: Date; updatedAt: Date }[]>;
    /** (sql/queries/templates.sql:70) */
    count(on: On, args: { projectId: string; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; ids: string[] | null; pattern: string | null }): Promise<{ total: number }>;
    /** (sql/queries/templates.sql:85) */
    insert(on: On, args: { projectId: string; name: string; alias: string | null; description: string | null; subject: string; preheader: string | null; body: string; html: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" }): Promise<{ id: string; name: string; alias: string | null; description: string | null; subject: string; preheader: string | null; body: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; projectId: string; createdAt: Date; updatedAt: Date }>;
    /** Changes what is given of a template that is held. Its time stays where that is what it was.
     * (sql/queries/templates.sql:94) */
    patch(on: On, args: { name: string | null; setAlias: boolean; alias: string | null; setDescription: boolean; description: string | null; subject: string | null; setPreheader: boolean; preheader: string | null; body: string | null; html: string | null; fromEmail: string | null; setFromName: boolean; fromName: string | null; setReplyTo: boolean; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; projectId: string; templateId: string }): Promise<{ id: string; name: string; alias: string | null; description: string | null; subject: string; preheader: string | null; body: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** A copy of a template under another name.
     * (sql/queries/templates.sql:140) */
    duplicate(on: On, args: { name: string; projectId: string; templateId: string }): Promise<{ id: string; name: string; alias: string | null; description: string | null; subject: string; preheader: string | null; body: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** The template, held until the end of the transaction. A campaign that is being made from it, or a step that is being
     * saved with it, holds it too, by its foreign key: one of the two waits for the other.
     * (sql/queries/templates.sql:149) */
    lock(on: On, args: { projectId: string; templateId: string }): Promise<{ id: string } | null>;
    /** (sql/queries/templates.sql:157) */
    remove(on: On, args: { projectId: string; templateId: string }): Promise<number>;
    /** The campaigns that were made from the template, newest first.
     * (sql/queries/templates.sql:161) */
    campaigns(on: On, args: { projectId: string; templateId: string }): Promise<{ id: string; name: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED" }[]>;
    /** How often each of these templates is used, and when one of its newest mails, or one of its campaigns, was sent. Campaigns
     * are read in one pass over those of the project, everything else by the indexes of the templates.
     * (sql/queries/templates.sql:168) */
    uses(on: On, args: { projectId: string; ids: string[]; limit: number }): Promise<{ id: string; campaigns: number; workflows: number; lastSentAt: Date | null }[]>;
    /** The mails of the template that were handed over: those of its campaigns by their counters, the others in the ledger.
     * (sql/queries/templates.sql:201) */
    countSent(on: On, args: { projectId: string; templateId: string }): Promise<{ total: number }>;
    /** What happened to the newest mails of a template, but for those of campaigns, up to `limit`.
     * (sql/queries/templates.sql:221) */
    outcomes(on: On, args: { projectId: string; templateId: string; limit: number }): Promise<{ mails: number; sent: number; delivered: number; opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; lastSentAt: Date | null }>;
    /** What a template was, newest first, without the bodies.
     * (sql/queries/templates.sql:242) */
    versions(on: On, args: { projectId: string; templateId: string }): Promise<{ version: number; name: string; subject: string; createdAt: Date; createdBy: string | null }[]>;
    /** (sql/queries/templates.sql:249) */
    version(on: On, args: { projectId: string; templateId: string; version: number }): Promise<{ version: number; name: string; description: string | null; subject: string; preheader: string | null; body: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; createdAt: Date; createdBy: string | null } | null>;
    /** Makes a template what it was in a version. Its time stays where it is that already.
     * (sql/queries/templates.sql:255) */
    restore(on: On, args: { projectId: string; templateId: string; version: number }): Promise<{ id: string; name: string; alias: string | null; description: string | null; subject: string; preheader: string | null; body: string; fromEmail: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; projectId: string; createdAt: Date; updatedAt: Date } | null>;
  };
  tracking: {
    /** Creates or changes contacts as `upsert_contacts` does, and records the event of each, and before it the change of its
     * subscription, where `change_id` says that there may be one. Nothing is recorded of a contact that a reset is about to delete:
     * `is_outgoing`.
     * (sql/queries/tracking.sql:1) */
    recordMany(on: On, args: { rows: { project_id: string; email: string; subscribed: boolean; sets: JsonArg; change_id: string | null | undefined; event_id: string; name: string; data: JsonArg }[]; changes: JsonArg; lockWaitMs: number | null; now: Date }): Promise<{ email: string; contactId: string; isOutgoing: boolean }[]>;
  };
  transportSettings: {
    /** The transports of a project, or of the installation, at most 50; or one of them. With their warm-up plans, and how many mails
     * those with a daily limit were given today (UTC).
     * (sql/queries/transport_settings.sql:3) */
    list(on: On, args: { now: Date; projectId: string; transportId: string | null }): Promise<{ id: string; name: string; kind: string; shownUrl: string | null; priority: number; weight: number; ratePerSecond: number | null; perDay: number | null; connections: number | null; warmupPlanId: string | null; warmupSince: Date | null; warmupLimits: number[] | null; pausedAt: Date | null; pauseReason: string | null; heldUntil: Date | null; holdReason: string | null; hasFeedbackSecret: boolean; taken: number | null; slowedTo: number | null; slowReason: string | null; createdAt: Date; updatedAt: Date }[]>;
    /** With its address as it is kept. Held until the end of the transaction.
     * (sql/queries/transport_settings.sql:21) */
    lock(on: On, args: { projectId: string; transportId: string }): Promise<{ id: string; name: string; kind: string; url: Uint8Array | null; shownUrl: string | null; priority: number; weight: number; ratePerSecond: number | null; perDay: number | null; connections: number | null; warmupPlanId: string | null; warmupSince: Date | null; pausedAt: Date | null; pauseReason: string | null; heldUntil: Date | null; holdReason: string | null; feedbackProvider: string | null; feedbackSecret: Uint8Array | null } | null>;
    /** What is needed to send by it, paused or not.
     * (sql/queries/transport_settings.sql:30) */
    address(on: On, args: { projectId: string; transportId: string }): Promise<{ id: string; name: string; kind: string; url: Uint8Array | null; shownUrl: string | null; connections: number | null } | null>;
    /** What proves webhooks about the mails of a transport.
     * (sql/queries/transport_settings.sql:36) */
    feedback(on: On, args: { transportId: string }): Promise<{ projectId: string; feedbackProvider: string | null; feedbackSecret: Uint8Array | null } | null>;
    /** Those of the installation and of all projects, for `doctor`.
     * (sql/queries/transport_settings.sql:42) */
    addresses(on: On, args: { limit: number }): Promise<{ projectId: string; id: string; name: string; kind: string; url: Uint8Array | null; shownUrl: string | null; pausedAt: Date | null; projectName: string | null }[]>;
    /** 0 where there are `max` already.
     * (sql/queries/transport_settings.sql:51) */
    insert(on: On, args: { projectId: string; id: string; name: string; kind: string; url: Uint8Array | null; shownUrl: string | null; priority: number; weight: number; ratePerSecond: number | null; perDay: number | null; connections: number | null; warmupPlanId: string | null; warmupSince: Date | null; feedbackProvider: string | null; feedbackSecret: Uint8Array | null; now: Date; max: number }): Promise<number>;
    /** The caller has locked it.
     * (sql/queries/transport_settings.sql:64) */
    replace(on: On, args: { name: string; url: Uint8Array | null; shownUrl: string | null; priority: number; weight: number; ratePerSecond: number | null; perDay: number | null; connections: number | null; warmupPlanId: string | null; warmupSince: Date | null; pausedAt: Date | null; pauseReason: string | null; heldUntil: Date | null; holdReason: string | null; feedbackProvider: string | null; feedbackSecret: Uint8Array | null; now: Date; projectId: string; id: string }): Promise<number>;
    /** (sql/queries/transport_settings.sql:88) */
    remove(on: On, args: { projectId: string; transportId: string }): Promise<{ name: string } | null>;
  };
  transports: {
    /** All transports, for the processes that send: there are few.
     * (sql/queries/transports.sql:1) */
    inUse(on: On): Promise<{ projectId: string; id: string; name: string; kind: string; url: Uint8Array | null; shownUrl: string | null; priority: number; weight: number; ratePerSecond: number | null; perDay: number | null; connections: number | null; warmupSince: Date | null; warmupLimits: number[] | null; heldUntil: Date | null; isPaused: boolean }[]>;
    /** The routes of all projects that have some, and of the installation.
     * (sql/queries/transports.sql:11) */
    routes(on: On): Promise<{ projectId: string; document: Json }[]>;
    /** Takes mails out of what is left of the day of each of these transports, in one order, so that two processes cannot wait
     * for each other.
     * (sql/queries/transports.sql:15) */
    takeDays(on: On, args: { now: Date; ids: string[]; wanted: number[]; perDays: number[] }): Promise<{ id: string; granted: number }[]>;
    /** (sql/queries/transports.sql:25) */
    dropOldDays(on: On, args: { before: Date }): Promise<number>;
    /** No process uses this transport until then. A longer hold stays.
     * (sql/queries/transports.sql:28) */
    hold(on: On, args: { until: Date; reason: string; id: string }): Promise<number>;
    /** (sql/queries/transports.sql:34) */
    paces(on: On): Promise<{ transportId: string; provider: string; rate: number }[]>;
    /** Half as fast as before, or as what this process has just seen where that is less; and seven tenths where it had come near
     * to what was refused before, so that the limit is known (RFC 9438). The limit is what a pace was that held mails back, and
     * not what was seen before there was one. Refusals of the same moment count once.
     * (sql/queries/transports.sql:37) */
    slowDown(on: On, args: { transportId: string; provider: string; seen: string; reason: string; now: Date }): Promise<number>;
    /** Of a transport all paces but those of the named providers and `max` others: those that were slowed last. Waits for nobody.
     * (sql/queries/transports.sql:54) */
    dropPaces(on: On, args: { transportId: string; named: string[]; max: number }): Promise<number>;
    /** A quarter while the limit is not known. Then half of the way to just below it, a hundredth at a time until just above it, and
     * then a tenth: it may be higher by now. Of several processes one does it: a pace is changed once in this time.
     * (sql/queries/transports.sql:74) */
    speedUp(on: On, args: { now: Date }): Promise<number>;
  };
  twoFactor: {
    /** What a user has besides the password.
     * (sql/queries/two_factor.sql:1) */
    ofUser(on: On, args: { userId: string }): Promise<{ enabled: boolean; totpSince: Date | null; passkeys: number; recoveryCodes: number }>;
    /** (sql/queries/two_factor.sql:9) */
    isOn(on: On, args: { userId: string }): Promise<{ on: boolean }>;
    /** The projects of a user that let nobody in without two-factor log-in.
     * (sql/queries/two_factor.sql:12) */
    requiredBy(on: On, args: { userId: string }): Promise<{ id: string; name: string }[]>;
    /** (sql/queries/two_factor.sql:20) */
    totp(on: On, args: { userId: string }): Promise<{ sealed: Uint8Array | null; pending: Uint8Array | null; pendingAt: Date | null } | null>;
    /** (sql/queries/two_factor.sql:25) */
    beginTotp(on: On, args: { userId: string; pending: Uint8Array; now: Date }): Promise<number>;
    /** With the code of this step, which counts as used. 0 when another secret is pending by now.
     * (sql/queries/two_factor.sql:31) */
    confirmTotp(on: On, args: { now: Date; step: number; userId: string; pending: Uint8Array }): Promise<number>;
    /** 0 when the code of this step, or of a later one, was used before.
     * (sql/queries/two_factor.sql:37) */
    useStep(on: On, args: { step: number; userId: string }): Promise<number>;
    /** Null when there was none that was confirmed.
     * (sql/queries/two_factor.sql:43) */
    removeTotp(on: On, args: { userId: string }): Promise<{ wasOn: boolean } | null>;
    /** (sql/queries/two_factor.sql:49) */
    addCodes(on: On, args: { userId: string; hashes: string[] }): Promise<number>;
    /** (sql/queries/two_factor.sql:54) */
    dropCodes(on: On, args: { userId: string }): Promise<number>;
    /** 0 when it is none, or was used.
     * (sql/queries/two_factor.sql:58) */
    useCode(on: On, args: { userId: string; hash: Uint8Array }): Promise<number>;
    /** (sql/queries/two_factor.sql:63) */
    challenge(on: On, args: { tokenHash: Uint8Array; userId: string; now: Date; expiresAt: Date }): Promise<number>;
    /** Who is to give a second factor.
     * (sql/queries/two_factor.sql:67) */
    challenged(on: On, args: { tokenHash: Uint8Array; now: Date }): Promise<{ id: string; email: string } | null>;
    /** 0 when it was answered in the meantime.
     * (sql/queries/two_factor.sql:74) */
    endChallenge(on: On, args: { tokenHash: Uint8Array }): Promise<number>;
    /** (sql/queries/two_factor.sql:79) */
    endChallenges(on: On, args: { userId: string }): Promise<number>;
    /** (sql/queries/two_factor.sql:83) */
    purgeChallenges(on: On, args: { now: Date; limit: number }): Promise<number>;
  };
  unnamedProxies: {
    /** Notes who it was, and forgets those of more than a week ago.
     * (sql/queries/unnamed_proxies.sql:1) */
    note(on: On, args: { before: Date; peer: string; now: Date }): Promise<number>;
    /** The last ones first.
     * (sql/queries/unnamed_proxies.sql:11) */
    since(on: On, args: { since: Date; limit: number }): Promise<{ peer: string; seenAt: Date }[]>;
  };
  uploads: {
    /** What a project has under this key, which is uploaded once more: it is as new. Null if there is nothing.
     * (sql/queries/uploads.sql:1) */
    again(on: On, args: { now: Date; projectId: string; key: string }): Promise<{ contentType: string; size: number; inS3: boolean; stored: boolean } | null>;
    /** Stores an image, if all images of the project fit into `limit_mb`. No row where they do not, or where the image is
     * stored already; one that never reached S3 is started again.
     * (sql/queries/uploads.sql:8) */
    keep(on: On, args: { projectId: string; key: string; contentType: string; size: number; bytes: Uint8Array | null; storedAt: Date | null; now: Date; limitMb: number }): Promise<number>;
    /** It is in S3 now. No row where it was removed in the meantime.
     * (sql/queries/uploads.sql:19) */
    stored(on: On, args: { now: Date; projectId: string; key: string }): Promise<number>;
    /** The image at an address, unless its project is gone. Without bytes it is in S3.
     * (sql/queries/uploads.sql:25) */
    byKey(on: On, args: { key: string }): Promise<{ contentType: string; bytes: Uint8Array | null } | null>;
    /** Some of the images of a project, or of those uploaded before a time.
     * (sql/queries/uploads.sql:33) */
    ofProject(on: On, args: { projectId: string; before: Date | null; limit: number }): Promise<{ key: string; inS3: boolean }[]>;
    /** (sql/queries/uploads.sql:42) */
    remove(on: On, args: { projectId: string; keys: string[] }): Promise<number>;
    /** The images of a project, newest first. It has few thousands: `UPLOADS_MB_PER_PROJECT` is their limit.
     * (sql/queries/uploads.sql:46) */
    page(on: On, args: { projectId: string; beforeKey: string | null; beforeAt: Date | null; limit: number }): Promise<{ key: string; contentType: string; size: number; inS3: boolean; createdAt: Date }[]>;
    /** How many images a project has, and their size in bytes.
     * (sql/queries/uploads.sql:57) */
    total(on: On, args: { projectId: string }): Promise<{ images: number; bytes: number }>;
    /** (sql/queries/uploads.sql:63) */
    one(on: On, args: { projectId: string; key: string }): Promise<{ key: string; contentType: string; size: number; inS3: boolean; createdAt: Date } | null>;
    /** The templates and campaigns in whose body the key of an image stands, up to `limit` of each.
     * (sql/queries/uploads.sql:68) */
    uses(on: On, args: { projectId: string; key: string; limit: number }): Promise<{ noun: string; id: string; name: string }[]>;
  };
  usage: {
    /** Takes for each project as much of this month's limit as is wanted, or as is left, and returns how much that is. Rows
     * are locked in one order, so that two calls cannot deadlock.
     * (sql/queries/usage.sql:1) */
    takeMany(on: On, args: { category: "workflows" | "campaigns" | "transactional" | "inbound"; now: Date; projectIds: string[]; wanted: number[] }): Promise<{ projectId: string; granted: number }[]>;
    /** Gives back what was taken for mails that are about to be CAPTURED, because nobody receives them. `ids` are those that
     * this process still holds; the caller settles them in the same transaction. The month charged last is credited.
     * (sql/queries/usage.sql:13) */
    giveBack(on: On, args: { projectIds: string[]; ids: string[]; workerId: string }): Promise<number>;
    /** The limit of a category, and what of it is used now; null if there is none.
     * (sql/queries/usage.sql:30) */
    room(on: On, args: { projectId: string; now: Date; category: "workflows" | "campaigns" | "transactional" | "inbound" }): Promise<{ monthlyLimit: number; used: number } | null>;
    /** Every category with its limit and its usage this month.
     * (sql/queries/usage.sql:38) */
    ofProject(on: On, args: { projectId: string; now: Date }): Promise<{ category: "workflows" | "campaigns" | "transactional" | "inbound"; monthlyLimit: number | null; used: number }[]>;
    /** (sql/queries/usage.sql:48) */
    limits(on: On, args: { projectId: string }): Promise<{ category: "workflows" | "campaigns" | "transactional" | "inbound"; monthlyLimit: number }[]>;
    /** `limits` holds `{category, monthly_limit?}`: those without a number have no limit any more.
     * (sql/queries/usage.sql:54) */
    setLimits(on: On, args: { limits: { category: "workflows" | "campaigns" | "transactional" | "inbound"; monthly_limit: number | string | null | undefined }[]; projectId: string }): Promise<number>;
    /** The same limit for every category of a project that has none yet.
     * (sql/queries/usage.sql:74) */
    limitAll(on: On, args: { projectId: string; monthlyLimit: number }): Promise<number>;
    /** Adds up to `limit` deltas to the months.
     * (sql/queries/usage.sql:80) */
    rollUp(on: On, args: { limit: number }): Promise<number>;
    /** The limits of which one of these percentages is used, by what was rolled up, without a notice this month.
     * (sql/queries/usage.sql:107) */
    exceeding(on: On, args: { now: Date; percents: number[] }): Promise<{ projectId: string; category: "workflows" | "campaigns" | "transactional" | "inbound"; percent: number }[]>;
    /** Notes that members are notified now of these percentages; returns those that they had not been notified of this
     * month.
     * (sql/queries/usage.sql:121) */
    warn(on: On, args: { projectId: string; now: Date; category: "workflows" | "campaigns" | "transactional" | "inbound"; percents: number[] }): Promise<{ percent: number }[]>;
  };
  usageReports: {
    /** What was used until now is settled, and will not be charged.
     * (sql/queries/usage_reports.sql:1) */
    startAfresh(on: On, args: { projectId: string; now: Date }): Promise<number>;
    /** The next piece of everything that was used since the last one, of this month and the previous one, by projects with a
     * subscription. Two concurrent calls create it once.
     * (sql/queries/usage_reports.sql:30) */
    make(on: On, args: { categories: string[]; eventNames: string[]; projectId: string | null; now: Date }): Promise<number>;
    /** Pieces that nobody is reporting now, oldest first. A process that has had one for too long is dead.
     * (sql/queries/usage_reports.sql:79) */
    claim(on: On, args: { heldUntil: Date; now: Date; projectId: string | null; limit: number }): Promise<{ projectId: string; month: Date; category: "workflows" | "campaigns" | "transactional" | "inbound"; number: number; quantity: number; customerId: string; eventName: string; at: Date; triedAt: Date | null }[]>;
    /** A piece is about to be reported: from here on it is unknown whether it counts, until there is a response.
     * (sql/queries/usage_reports.sql:102) */
    trying(on: On, args: { now: Date; projectId: string; month: Date; category: "workflows" | "campaigns" | "transactional" | "inbound"; number: number }): Promise<number>;
    /** The outcome of reporting a piece. Without `settled_at` it is reported again after `held_until`.
     * (sql/queries/usage_reports.sql:108) */
    settle(on: On, args: { heldUntil: Date | null; triedAt: Date | null; settledAt: Date | null; error: string | null; projectId: string; month: Date; category: "workflows" | "campaigns" | "transactional" | "inbound"; number: number }): Promise<number>;
  };
  users: {
    /** Null when the address is taken, including by a concurrent request.
     * (sql/queries/users.sql:1) */
    insert(on: On, args: { id: string; email: string; passwordHash: string | null; emailVerifiedAt: Date | null; now: Date }): Promise<{ id: string; email: string } | null>;
    /** `proven`: the holder of the account is known to read the mail of its address.
     * (sql/queries/users.sql:9) */
    byEmail(on: On, args: { email: string }): Promise<{ id: string; email: string; passwordHash: string | null; emailVerifiedAt: Date | null; createdAt: Date; proven: boolean } | null>;
    /** Locks a user with this very password for the rest of the transaction. Null when it was changed since it was checked:
     * a session that begins now would outlive the change.
     * (sql/queries/users.sql:17) */
    hold(on: On, args: { userId: string; passwordHash: string }): Promise<{ id: string; email: string } | null>;
    /** The user with an address, locked for the rest of the transaction.
     * (sql/queries/users.sql:25) */
    holdByEmail(on: On, args: { email: string }): Promise<{ id: string; email: string; proven: boolean } | null>;
    /** (sql/queries/users.sql:32) */
    byId(on: On, args: { userId: string }): Promise<{ id: string; email: string; name: string | null; emailVerifiedAt: Date | null; createdAt: Date; hasPassword: boolean; proven: boolean }>;
    /** (sql/queries/users.sql:39) */
    find(on: On, args: { userId: string }): Promise<{ id: string; email: string } | null>;
    /** Whether there is something that this user could enter to show who they are.
     * (sql/queries/users.sql:44) */
    canProve(on: On, args: { userId: string }): Promise<{ canProve: boolean }>;
    /** (sql/queries/users.sql:52) */
    setName(on: On, args: { name: string | null; userId: string }): Promise<number>;
    /** The holder of the account reads the mail of its address.
     * (sql/queries/users.sql:58) */
    prove(on: On, args: { now: Date; userId: string }): Promise<number>;
    /** The holder of the account reads the mail of the new address. 0 when another account has it; of two at once, one
     * violates `users_email_key`.
     * (sql/queries/users.sql:64) */
    setEmail(on: On, args: { email: string; now: Date; userId: string }): Promise<number>;
    /** Somebody reads the mail of the address. 0 when that was known before.
     * (sql/queries/users.sql:71) */
    verifyElsewhere(on: On, args: { now: Date; userId: string }): Promise<number>;
    /** With its sessions, tokens and linked sign-ins.
     * (sql/queries/users.sql:77) */
    remove(on: On, args: { userId: string }): Promise<number>;
    /** (sql/queries/users.sql:82) */
    setPassword(on: On, args: { passwordHash: string; userId: string }): Promise<number>;
    /** The projects of a user, each with the addresses of its other members.
     * (sql/queries/users.sql:87) */
    looksAfter(on: On, args: { userId: string }): Promise<{ id: string; name: string; others: string[] }[]>;
    /** For the operator: every account, oldest first, with how many projects it looks after.
     * (sql/queries/users.sql:104) */
    list(on: On): Promise<{ id: string; email: string; emailVerified: boolean; createdAt: Date; projects: number }[]>;
  };
  waits: {
    /** What waits for these events, and what it is woken with; the oldest event first. An event that an execution already
     * reports (it was started by it, or has waited for it before) is left to others.
     * (sql/queries/waits.sql:1) */
    matched(on: On, args: { projectIds: string[]; eventIds: string[] }): Promise<{ projectId: string; executionId: string; stepExecutionId: string; eventId: string; eventName: string; data: Json }[]>;
    /** The first event that has arrived for each of these waits, whether or not a job of its own is on its way; the depth
     * increases as in `start_workflows_by_events`. `rows` holds `{project_id, execution_id, until?}`.
     * (sql/queries/waits.sql:26) */
    come(on: On, args: { rows: { project_id: string; execution_id: string; until: Date | string | null | undefined }[] }): Promise<{ projectId: string; executionId: string; stepExecutionId: string; eventId: string; eventName: string; data: Json; depth: number }[]>;
    /** The oldest transaction that writes now, and the one that will begin to next.
     * (sql/queries/waits.sql:64) */
    horizon(on: On): Promise<{ oldest: string; next: string }>;
    /** `rows` holds `{project_id, contact_id, event_name, execution_id, step_execution_id, started_at}`.
     * (sql/queries/waits.sql:69) */
    add(on: On, args: { rows: { project_id: string; contact_id: string; event_name: string | null | undefined; execution_id: string; step_execution_id: string | null | undefined; started_at: Date | string }[] }): Promise<number>;
    /** These executions wait no more.
     * (sql/queries/waits.sql:78) */
    remove(on: On, args: { projectIds: string[]; executionIds: string[] }): Promise<number>;
  };
  warmupPlans: {
    /** The plans of a project, or of the installation, at most 50; or one of them.
     * (sql/queries/warmup_plans.sql:1) */
    list(on: On, args: { projectId: string; planId: string | null }): Promise<{ id: string; name: string; dailyLimits: number[]; createdAt: Date; updatedAt: Date }[]>;
    /** 0 where there are `max` already.
     * (sql/queries/warmup_plans.sql:9) */
    insert(on: On, args: { projectId: string; id: string; name: string; dailyLimits: number[]; now: Date; max: number }): Promise<number>;
    /** Changes what is given.
     * (sql/queries/warmup_plans.sql:15) */
    patch(on: On, args: { name: string | null; dailyLimits: number[] | null; now: Date; projectId: string; planId: string }): Promise<number>;
    /** The transports that use this plan.
     * (sql/queries/warmup_plans.sql:22) */
    transportsOn(on: On, args: { projectId: string; planId: string }): Promise<{ id: string; name: string }[]>;
    /** (sql/queries/warmup_plans.sql:26) */
    lock(on: On, args: { projectId: string; planId: string }): Promise<{ id: string; name: string } | null>;
    /** (sql/queries/warmup_plans.sql:29) */
    remove(on: On, args: { projectId: string; planId: string }): Promise<number>;
  };
  webhookDeliveries: {
    /** Newest first, by the time of what happened: message ids contain it.
     * (sql/queries/webhook_deliveries.sql:3) */
    list(on: On, args: { projectId: string; webhookId: string; status: "PENDING" | "DELIVERED" | "FAILED" | null; types: string[] | null; after: string | null; fromId: string | null; untilId: string | null; limit: number }): Promise<{ id: string; type: string; eventName: string | null; status: "PENDING" | "DELIVERED" | "FAILED"; attempts: number; dueAt: Date | null; createdAt: Date; lastTry: Json | null }[]>;
    /** (sql/queries/webhook_deliveries.sql:21) */
    get(on: On, args: { projectId: string; webhookId: string; messageId: string }): Promise<{ id: string; type: string; eventName: string | null; status: "PENDING" | "DELIVERED" | "FAILED"; attempts: number; dueAt: Date | null; createdAt: Date; tries: Json; response: Json | null; body: string | null } | null>;
    /** One delivery is due again, with all of its attempts. 0 where there is none.
     * (sql/queries/webhook_deliveries.sql:29) */
    replay(on: On, args: { now: Date; projectId: string; webhookId: string; messageId: string }): Promise<number>;
    /** The next deliveries of a span, oldest first, are due again. `last_id` is how far it got: null when none was found.
     * (sql/queries/webhook_deliveries.sql:35) */
    replayMany(on: On, args: { projectId: string; webhookId: string; status: "PENDING" | "DELIVERED" | "FAILED" | null; after: string; untilId: string; limit: number; now: Date }): Promise<{ replayed: number; lastId: string | null }>;
    /** Somebody wants it to be called: it does not rest any longer.
     * (sql/queries/webhook_deliveries.sql:59) */
    wake(on: On, args: { projectId: string; webhookId: string }): Promise<number>;
    /** A delivery that has been made already, such as a test.
     * (sql/queries/webhook_deliveries.sql:65) */
    addResult(on: On, args: { projectId: string; webhookId: string; messageId: string; type: string; status: "PENDING" | "DELIVERED" | "FAILED"; try: JsonArg; response: JsonArg | null; now: Date }): Promise<number>;
  };
  webhookLine: {
    /** Takes the line until `until`. Null where it is paused, gone, resting, or taken.
     * (sql/queries/webhook_line.sql:3) */
    claim(on: On, args: { leaseId: string; until: Date; projectId: string; webhookId: string; now: Date }): Promise<{ url: string; secret: Uint8Array; failures: number; failingSince: Date | null } | null>;
    /** Why a line could not be taken: null where it is paused or gone. While it is leased its holder looks again: one who is about
     * to give it back is waited for, as it may have looked already.
     * (sql/queries/webhook_line.sql:15) */
    standing(on: On, args: { now: Date; projectId: string; webhookId: string }): Promise<{ retryAt: Date | null; isLeased: boolean; isHeld: boolean } | null>;
    /** What is to be called, the longest overdue first. The body is null where the message is gone.
     * (sql/queries/webhook_line.sql:24) */
    due(on: On, args: { projectId: string; webhookId: string; now: Date; limit: number }): Promise<{ messageId: string; type: string; attempts: number; body: string | null }[]>;
    /** Writes what became of the calls, as long as the line is still the caller's: another job may have it by now, and repeats
     * them. Where its URL has changed, the calls say nothing about the new one: those that failed are due at once. `is_same` is
     * false in both cases. Deliveries whose message is gone are deleted.
     * (sql/queries/webhook_line.sql:37) */
    settle(on: On, args: { url: string; projectId: string; webhookId: string; leaseId: string; failures: number; failingSince: Date | null; retryAt: Date | null; until: Date; pauseReason: string | null; now: Date; rows: { message_id: string; status: "PENDING" | "DELIVERED" | "FAILED"; attempts: number; due_at: Date | string | null | undefined; try: JsonArg; response: JsonArg | null | undefined }[]; gone: string[]; delivered: number; failed: number }): Promise<{ isSame: boolean }>;
    /** Gives the line back, and says when it is to be called next; null when nothing waits. Null, too, where it is another
     * job's or paused.
     * (sql/queries/webhook_line.sql:94) */
    release(on: On, args: { projectId: string; webhookId: string; leaseId: string }): Promise<{ nextAt: Date | null } | null>;
    /** What waits for a later attempt is due now, the first ones of them.
     * (sql/queries/webhook_line.sql:109) */
    hasten(on: On, args: { now: Date; projectId: string; webhookId: string; limit: number }): Promise<number>;
    /** Has a line called at this time, or sooner where it is to be already.
     * (sql/queries/webhook_line.sql:123) */
    enqueue(on: On, args: { projectId: string; webhookId: string; runAt: Date }): Promise<number>;
    /** Lines that should be called and are not: their job was lost, or the process that called them died.
     * (sql/queries/webhook_line.sql:133) */
    lost(on: On, args: { now: Date; dueBefore: Date }): Promise<{ projectId: string; webhookId: string }[]>;
  };
  webhookMessages: {
    /** Takes notes that wait, of each project a few, the first ones of all before the second ones of any: however much happens
     * in one project, the others wait for a turn of it. Somebody else takes others.
     * (sql/queries/webhook_messages.sql:3) */
    takeNotes(on: On, args: { rows: number }): Promise<{ projectId: string; kind: string; ids: string[] }[]>;
    /** Holds the contacts whom these rows are about, so that nobody deletes them before their messages are written. Returns the rows
     * whose contact somebody else is deleting: nobody waits for that.
     * (sql/queries/webhook_messages.sql:45) */
    holdContacts(on: On, args: { projectIds: string[]; kinds: string[]; ids: string[] }): Promise<{ projectId: string; kind: string; id: string }[]>;
    /** Notes these rows once more.
     * (sql/queries/webhook_messages.sql:67) */
    putBack(on: On, args: { projectIds: string[]; kinds: string[]; ids: string[] }): Promise<number>;
    /** The events of notes. One that has been deleted since is left out.
     * (sql/queries/webhook_messages.sql:74) */
    addOfEvents(on: On, args: { projectIds: string[]; ids: string[] }): Promise<number>;
    /** Contacts that were created or changed, as they are now.
     * (sql/queries/webhook_messages.sql:102) */
    addOfContacts(on: On, args: { now: Date; projectIds: string[]; kinds: string[]; ids: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/webhook_messages.sql:122) */
    addOfExecutions(on: On, args: { now: Date; projectIds: string[]; kinds: string[]; ids: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/webhook_messages.sql:146) */
    addOfCampaigns(on: On, args: { now: Date; projectIds: string[]; kinds: string[]; ids: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/webhook_messages.sql:165) */
    addOfDomains(on: On, args: { now: Date; projectIds: string[]; kinds: string[]; ids: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/webhook_messages.sql:183) */
    addOfAlerts(on: On, args: { now: Date; projectIds: string[]; kinds: string[]; ids: string[] }): Promise<{ projectId: string; id: string }[]>;
    /** (sql/queries/webhook_messages.sql:203) */
    addTest(on: On, args: { projectId: string; id: string; type: string; body: string; now: Date }): Promise<number>;
    /** A delivery of each message for each endpoint that wants it. Returns the endpoints that may be called now.
     * (sql/queries/webhook_messages.sql:207) */
    addDeliveries(on: On, args: { projectIds: string[]; ids: string[]; now: Date }): Promise<{ projectId: string; webhookId: string }[]>;
  };
  webhookReceipts: {
    /** Returns those of these ids that have not been claimed before. Concurrent claims of the same id wait for each other.
     * They are written in one order, so that two claims cannot deadlock.
     * (sql/queries/webhook_receipts.sql:1) */
    claim(on: On, args: { source: string; now: Date; ids: string[] }): Promise<{ id: string }[]>;
    /** Forgets what came before `before`, at most `limit` at a time. By their places in the table: found by their keys they
     * would be joined with all of it.
     * (sql/queries/webhook_receipts.sql:11) */
    purge(on: On, args: { before: Date; limit: number }): Promise<number>;
  };
  webhookSecrets: {
    /** (sql/queries/webhook_secrets.sql:1) */
    get(on: On, args: { projectId: string }): Promise<{ webhookSecret: Uint8Array | null } | null>;
    /** Keeps the existing secret: concurrent calls agree on one.
     * (sql/queries/webhook_secrets.sql:6) */
    make(on: On, args: { webhookSecret: Uint8Array; projectId: string }): Promise<{ webhookSecret: Uint8Array } | null>;
    /** (sql/queries/webhook_secrets.sql:13) */
    replace(on: On, args: { webhookSecret: Uint8Array; projectId: string }): Promise<number>;
  };
  webhooks: {
    /** There are at most 20. `pending` is counted up to 10,000; `delivered` and `failed` are the calls since `since`.
     * (sql/queries/webhooks.sql:3) */
    list(on: On, args: { since: Date; projectId: string }): Promise<{ id: string; url: string; description: string; events: string[]; eventNames: string[] | null; enabled: boolean; pausedAt: Date | null; pauseReason: string | null; failingSince: Date | null; retryAt: Date | null; secret: Uint8Array; createdBy: string; createdAt: Date; updatedAt: Date; delivered: number; failed: number; pending: number }[]>;
    /** (sql/queries/webhooks.sql:29) */
    byId(on: On, args: { since: Date; projectId: string; webhookId: string }): Promise<{ id: string; url: string; description: string; events: string[]; eventNames: string[] | null; enabled: boolean; pausedAt: Date | null; pauseReason: string | null; failingSince: Date | null; retryAt: Date | null; secret: Uint8Array; createdBy: string; createdAt: Date; updatedAt: Date; delivered: number; failed: number; pending: number } | null>;
    /** (sql/queries/webhooks.sql:53) */
    there(on: On, args: { projectId: string; webhookId: string }): Promise<{ url: string; secret: Uint8Array } | null>;
    /** 0 where the project has `max` already. Its row is locked (`projects.hold`).
     * (sql/queries/webhooks.sql:58) */
    insert(on: On, args: { projectId: string; id: string; url: string; description: string; events: string[]; eventNames: string[] | null; secret: Uint8Array; enabled: boolean; now: Date; createdBy: string; max: number }): Promise<number>;
    /** The endpoint, held until the end of the transaction.
     * (sql/queries/webhooks.sql:71) */
    hold(on: On, args: { projectId: string; webhookId: string }): Promise<{ id: string; url: string; description: string; events: string[]; eventNames: string[] | null; enabled: boolean; pauseReason: string | null; secret: Uint8Array } | null>;
    /** Writes all that a person chooses. Another URL, and being enabled again, begin without failures.
     * (sql/queries/webhooks.sql:78) */
    patch(on: On, args: { url: string; description: string; events: string[]; eventNames: string[] | null; enabled: boolean; now: Date; pauseReason: string | null; startsAnew: boolean; projectId: string; webhookId: string }): Promise<number>;
    /** (sql/queries/webhooks.sql:96) */
    setSecret(on: On, args: { secret: Uint8Array; now: Date; projectId: string; webhookId: string }): Promise<number>;
    /** Its deliveries are removed by a job.
     * (sql/queries/webhooks.sql:101) */
    remove(on: On, args: { projectId: string; webhookId: string }): Promise<{ url: string } | null>;
    /** Deliveries of an endpoint that is gone, some at a time.
     * (sql/queries/webhooks.sql:107) */
    dropDeliveries(on: On, args: { projectId: string; webhookId: string; limit: number }): Promise<number>;
  };
  webhooksOut: {
    /** What a webhook step is about. Null when the step or its execution has ended, or is being deleted.
     * (sql/queries/webhooks_out.sql:1) */
    due(on: On, args: { projectId: string; stepExecutionId: string }): Promise<{ output: Json | null; config: Json | null; context: Json; startedAt: Date; workflowId: string; workflowName: string; contactId: string; email: string; subscribed: boolean; data: Json; isHeld: boolean } | null>;
    /** A failed attempt that is not the last. 0 when the step or its execution has ended, or when another run of the same
     * job has noted one more since. Rows are locked in the usual order: the execution, then its step.
     * (sql/queries/webhooks_out.sql:31) */
    noteAttempt(on: On, args: { projectId: string; executionId: string; output: JsonArg; stepExecutionId: string; attempts: number; nextAttemptAt: Date }): Promise<number>;
    /** Enqueues a call, unless one is waiting already: that one keeps its time.
     * (sql/queries/webhooks_out.sql:56) */
    enqueueOnce(on: On, args: { payload: JsonArg; key: string }): Promise<number>;
    /** Takes a call out of the queue that waits there with this key.
     * (sql/queries/webhooks_out.sql:65) */
    dequeue(on: On, args: { key: string }): Promise<number>;
  };
  workers: {
    /** The heartbeat of a process that takes jobs; the first one registers it, and so does the one after it was taken
     * for dead. `lock_id` is the advisory lock that it holds while it lives.
     * (sql/queries/workers.sql:1) */
    beat(on: On, args: { id: string; host: string; pid: number; pools: string[]; standing: string[]; captures: boolean }): Promise<{ lockId: number }>;
    /** Takes the lock of this process, unless this connection has it. Postgres frees it when the process is gone, however
     * it went.
     * (sql/queries/workers.sql:10) */
    holdLock(on: On, args: { lockId: number }): Promise<number>;
    /** Dead processes: silent for 10 s with their connection closed, or silent for 30 s (frozen, or cut off). They leave the
     * table in the same transaction that settles what they held, so that one survivor does it once.
     * (sql/queries/workers.sql:20) */
    reapDead(on: On, args: { self: string }): Promise<{ id: string; pools: string[] }[]>;
    /** A process that ended in order.
     * (sql/queries/workers.sql:37) */
    leave(on: On, args: { id: string }): Promise<number>;
    /** Whether any process takes jobs.
     * (sql/queries/workers.sql:41) */
    alive(on: On): Promise<{ total: number }>;
    /** Where processes run that live and capture mail.
     * (sql/queries/workers.sql:45) */
    capturing(on: On): Promise<{ host: string }[]>;
    /** The lanes that are stalled: for this process, or for all that take jobs.
     * (sql/queries/workers.sql:49) */
    standing(on: On, args: { lanes: string[]; self: string }): Promise<{ lane: string }[]>;
    /** Notes whether the mail server accepts connections from this process, and returns whether it accepts them from other
     * live ones.
     * (sql/queries/workers.sql:57) */
    noteMailServer(on: On, args: { isAway: boolean; id: string }): Promise<{ othersReachIt: boolean }>;
  };
  workflowFields: {
    /** The keys in the data of the newest events, and every type of their values.
     * (sql/queries/workflow_fields.sql:1) */
    ofEvents(on: On, args: { projectId: string; events: number; limit: number }): Promise<{ field: string; type: string }[]>;
    /** The same for the newest events of one name.
     * (sql/queries/workflow_fields.sql:17) */
    ofEvent(on: On, args: { projectId: string; name: string; events: number; limit: number }): Promise<{ field: string; type: string }[]>;
  };
  workflowGraphs: {
    /** Makes the steps of a workflow these, in their order, and returns their ids: an id that another workflow has is missing.
     * What is not among them goes, with its transitions. `rows` holds `{n, id, type, name, position, config, template_id}`.
     * (sql/queries/workflow_graphs.sql:1) */
    saveSteps(on: On, args: { rows: { n: number; id: string; type: string; name: string; position: JsonArg; config: JsonArg; template_id: string | null | undefined }[]; projectId: string; workflowId: string }): Promise<{ id: string }[]>;
    /** Makes the transitions of a workflow these. One that was there, by its ends and its branch, keeps its id.
     * (sql/queries/workflow_graphs.sql:27) */
    saveTransitions(on: On, args: { rows: { n: number; "from": string; "to": string; branch: string | null | undefined; priority: number }[]; projectId: string; workflowId: string }): Promise<number>;
    /** The steps of a workflow, but for its trigger, refer to these segments and events, and to nothing else. `rows` holds
     * `{kind, name, step_id}`.
     * (sql/queries/workflow_graphs.sql:55) */
    saveReferences(on: On, args: { rows: { kind: string; name: string; step_id: string }[]; projectId: string; workflowId: string }): Promise<number>;
    /** The templates that a workflow sends, whether the domain of each sender is verified, which in a sandbox it need not be, and whether it goes to subscribers
     * without a link to leave. Those that are very long are not read for that.
     * (sql/queries/workflow_graphs.sql:77) */
    senders(on: On, args: { projectId: string; templateIds: string[] }): Promise<{ id: string; name: string; isVerified: boolean; lacksUnsubscribe: boolean }[]>;
    /** Where the steps of a workflow lead, in the order in which the ways were added.
     * (sql/queries/workflow_graphs.sql:97) */
    transitions(on: On, args: { projectId: string; workflowId: string }): Promise<{ from: string; to: string; branch: string | null }[]>;
    /** Whether the graph became what it is within the last minute, by whom `edits.act_as` names, and nobody needed a version of it
     * since.
     * (sql/queries/workflow_graphs.sql:104) */
    beingBuilt(on: On, args: { projectId: string; workflowId: string }): Promise<{ isSo: boolean }>;
    /** Keeps what a graph was before the edit that this transaction makes, and drops those before the last 100 versions.
     * (sql/queries/workflow_graphs.sql:116) */
    keep(on: On, args: { projectId: string; workflowId: string; graph: JsonArg }): Promise<number>;
    /** What the graph of a workflow is and was, newest first, with how many executions are in progress by each: of as many
     * as `up_to` in all.
     * (sql/queries/workflow_graphs.sql:132) */
    versions(on: On, args: { projectId: string; workflowId: string; upTo: number }): Promise<{ version: number; createdAt: Date; createdBy: string | null; steps: number; activeExecutions: number }[]>;
    /** What the graph of a workflow was; none for what it is now.
     * (sql/queries/workflow_graphs.sql:166) */
    version(on: On, args: { projectId: string; workflowId: string; version: number }): Promise<{ version: number; graph: Json; createdAt: Date; createdBy: string | null } | null>;
  };
  workflowReferences: {
    /** From now on a step refers to these, and to nothing else; without `step_id` it is the trigger.
     * (sql/queries/workflow_references.sql:3) */
    replace(on: On, args: { projectId: string; workflowId: string; stepId: string | null; rows: { kind: string; name: string }[] }): Promise<number>;
    /** The enabled workflows that start for a segment or when somebody enters or leaves it, wait for that, or name it in a
     * condition; `events` are the names of those two events.
     * (sql/queries/workflow_references.sql:30) */
    ofSegment(on: On, args: { projectId: string; segmentId: string; events: string[] }): Promise<{ id: string; name: string }[]>;
    /** The workflows, enabled or not, that start at an event, wait for it, or ask whether it happened.
     * (sql/queries/workflow_references.sql:41) */
    ofEvent(on: On, args: { projectId: string; name: string }): Promise<{ id: string; name: string }[]>;
  };
  workflowSteps: {
    /** (sql/queries/workflow_steps.sql:1) */
    byId(on: On, args: { projectId: string; stepId: string }): Promise<{ id: string; workflowId: string; type: string; name: string; position: Json; config: Json; templateId: string | null } | null>;
    /** The order of steps is that of the clock: while the workflow is held, which `now()` may be older than.
     * (sql/queries/workflow_steps.sql:6) */
    insert(on: On, args: { projectId: string; workflowId: string; type: string; name: string; position: JsonArg; config: JsonArg; templateId: string | null }): Promise<{ id: string; workflowId: string; type: string; name: string; position: Json; config: Json; templateId: string | null }>;
    /** (sql/queries/workflow_steps.sql:15) */
    update(on: On, args: { name: string; position: JsonArg; config: JsonArg; templateId: string | null; projectId: string; stepId: string }): Promise<{ id: string; workflowId: string; type: string; name: string; position: Json; config: Json; templateId: string | null }>;
    /** Its transitions go with it.
     * (sql/queries/workflow_steps.sql:22) */
    remove(on: On, args: { projectId: string; stepId: string }): Promise<number>;
    /** (sql/queries/workflow_steps.sql:27) */
    connect(on: On, args: { projectId: string; workflowId: string; from: string; to: string; branch: string | null; priority: number }): Promise<{ id: string; fromStepId: string; toStepId: string; branch: string | null; priority: number }>;
    /** These transitions lead to another step from now on.
     * (sql/queries/workflow_steps.sql:35) */
    redirect(on: On, args: { to: string; projectId: string; workflowId: string; transitionIds: string[] }): Promise<number>;
    /** (sql/queries/workflow_steps.sql:41) */
    disconnect(on: On, args: { projectId: string; workflowId: string; transitionId: string }): Promise<number>;
  };
  workflowUsage: {
    /** The steps that send a template.
     * (sql/queries/workflow_usage.sql:1) */
    ofTemplate(on: On, args: { projectId: string; templateId: string }): Promise<{ id: string; name: string; workflowId: string; workflowName: string }[]>;
    /** The workflows, enabled or not, that name a field of contacts, or a path below it, anywhere in a step of any type: as a
     * whole string, such as the field of a condition or the time of a delay; as a key of `updates`; or in an expression,
     * which is what `pattern` finds, including in the templates of their mails. `word` is a part of the key: strings without
     * it, nearly all, are not searched.
     * (sql/queries/workflow_usage.sql:9) */
    ofContactField(on: On, args: { projectId: string; key: string; word: string; pattern: string; field: string }): Promise<{ id: string; name: string }[]>;
  };
  workflowVersions: {
    /** The version of a workflow's graph as it is now; none when it was edited since the last one.
     * (sql/queries/workflow_versions.sql:1) */
    current(on: On, args: { projectId: string; workflowId: string }): Promise<{ id: string | null; graph: Json | null } | null>;
    /** (sql/queries/workflow_versions.sql:8) */
    insert(on: On, args: { graph: JsonArg; projectId: string; workflowId: string }): Promise<{ id: string }>;
    /** Deletes versions that were superseded before `before` and that no execution ever started with, and unmarks those that
     * some did: each is checked once. The newest executions of a workflow are checked first, and none older than the
     * version. Returns how many were checked, `limit` at most, and how many were deleted.
     * (sql/queries/workflow_versions.sql:15) */
    purge(on: On, args: { before: Date; limit: number }): Promise<{ looked: number; gone: number }>;
  };
  workflows: {
    /** (sql/queries/workflows.sql:1) */
    byId(on: On, args: { projectId: string; workflowId: string }): Promise<{ id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean; projectId: string; createdAt: Date; updatedAt: Date } | null>;
    /** A workflow with its steps, in the order in which they were added, with the names of their templates, and with its
     * transitions: all as they are at the same moment.
     * (sql/queries/workflows.sql:7) */
    withGraph(on: On, args: { projectId: string; workflowId: string }): Promise<{ id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean; projectId: string; createdAt: Date; updatedAt: Date; graphVersion: number; graphEditedAt: Date; graphEditedBy: string | null; steps: Json; transitions: Json } | null>;
    /** One page, with how many steps and executions each has, and how many of these are in progress, counted up to `up_to`. A
     * project has hundreds of workflows, and not millions: sorting them all costs little. What is counted is read from indexes.
     * (sql/queries/workflows.sql:42) */
    list(on: On, args: { upTo: number; projectId: string; enabled: boolean | null; pattern: string | null; sort: string; dir: string; limit: number; offset: number }): Promise<{ id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean; projectId: string; createdAt: Date; updatedAt: Date; steps: number; executions: number; active: number }[]>;
    /** (sql/queries/workflows.sql:92) */
    count(on: On, args: { projectId: string; enabled: boolean | null; pattern: string | null }): Promise<{ total: number }>;
    /** A workflow that starts at an event, disabled, with its one trigger.
     * (sql/queries/workflows.sql:100) */
    insert(on: On, args: { projectId: string; name: string; description: string | null; triggerConfig: JsonArg; allowReentry: boolean }): Promise<{ id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean; projectId: string; createdAt: Date; updatedAt: Date }>;
    /** The workflow, held until the end of the transaction: all changes of one are made one after another. Who only refers
     * to it, as an execution that begins, does not wait.
     * (sql/queries/workflows.sql:119) */
    lock(on: On, args: { projectId: string; workflowId: string }): Promise<{ name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean; versionId: string | null; graphVersion: number; nextRunAt: Date | null } | null>;
    /** Locked against everybody: an execution that starts in the meantime waits, and then finds no workflow.
     * (sql/queries/workflows.sql:128) */
    lockForDeletion(on: On, args: { projectId: string; workflowId: string }): Promise<{ id: string } | null>;
    /** Its time stays where this is what it was.
     * (sql/queries/workflows.sql:135) */
    update(on: On, args: { name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: JsonArg | null; allowReentry: boolean; nextRunAt: Date | null; projectId: string; workflowId: string }): Promise<{ id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean; projectId: string; createdAt: Date; updatedAt: Date }>;
    /** The graph is another one now: its version is made when it is next needed. `is_next`: it is the next one of what the workflow was.
     * (sql/queries/workflows.sql:156) */
    markEdited(on: On, args: { projectId: string; workflowId: string; isNext: boolean }): Promise<number>;
    /** (sql/queries/workflows.sql:176) */
    setVersion(on: On, args: { versionId: string; projectId: string; workflowId: string }): Promise<number>;
    /** How many executions are in progress, counted up to `limit`.
     * (sql/queries/workflows.sql:181) */
    countActive(on: On, args: { projectId: string; workflowId: string; limit: number }): Promise<{ total: number }>;
    /** (sql/queries/workflows.sql:191) */
    remove(on: On, args: { projectId: string; workflowId: string }): Promise<number>;
    /** A new workflow with the same trigger, steps and transitions, disabled. Null when there is nothing to copy.
     * (sql/queries/workflows.sql:195) */
    duplicate(on: On, args: { name: string; projectId: string; workflowId: string }): Promise<{ id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Json | null; allowReentry: boolean; projectId: string; createdAt: Date; updatedAt: Date } | null>;
  };
}
