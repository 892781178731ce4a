// A walk through the whole API with good requests: each of them, with its answer, is an example in the OpenAPI document.
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { flushRequests } from "../../src/insight/requests/log.ts";
import { until } from "./process.ts";
import { DOMAIN, type TestService } from "./service.ts";
import { accountNotes, accountWalk } from "./openapi_account_examples.ts";
import { webhookNotes, webhookWalk } from "./openapi_webhook_examples.ts";
import { PASSWORD, type Person } from "./accounts.ts";

/** One request of the walk. */
export interface Call {
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
  /** Who sends it; left out: the secret key. */
  as?: "public" | "person" | "nobody";
  form?: FormData;
  /** The body of one that takes a file as it comes. */
  text?: string;
}

/** Sends the request of an operation, keeps it as its example, and returns the answer. */
export type Teller = (operationId: string, call?: Call) => Promise<any>;

/** Keeps an example that cannot be had here: another service would have to answer. */
export type Noter = (operationId: string, answer: unknown, request?: unknown) => void;

const FROM = `hello@${DOMAIN}`;
const GIF = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");

const condition = {
  logic: "AND",
  groups: [
    {
      filters: [
        { field: "data.plan", operator: "equals", value: "pro" },
        { field: "event.ordered", operator: "triggeredWithin", value: 30, unit: "days" },
      ],
    },
  ],
};

function file(name: string, part: string, type: string, content: string | Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  form.append(part, new File([content], name, { type }));
  return form;
}

/** The audience: contacts, segments, events. */
async function audience(tell: Teller, service: TestService): Promise<string> {
  const ada = await tell("createContact", {
    body: { email: "ada@example.com", data: { firstName: "Ada", plan: "pro" } },
  });
  await tell("trackEvent", {
    as: "public",
    body: { event: "ordered", email: "ada@example.com", data: { total: 49.9 } },
  });
  await tell("trackEventAsMember", { body: { event: "signed up", email: "bob@example.com" } });
  await tell("listContacts", { query: { limit: "2" } });
  await tell("lookUpContacts", { body: { emails: ["ada@example.com", "nobody@example.com"] } });
  await tell("listContactFields");
  await tell("listContactFieldValues", { path: { field: "plan" } });
  await tell("getContactFieldUsage", { path: { field: "plan" } });
  await tell("getContact", { path: { id: ada.id } });
  await tell("exportContactData", { path: { id: ada.id } });
  await tell("updateContact", { path: { id: ada.id }, body: { data: { plan: "team" } } });
  await tell("updateContact", {
    path: { id: ada.id },
    body: { data: { plan: "pro", company: "Analytical Engines" } },
  });
  const csv = file(
    "contacts.csv",
    "file",
    "text/csv",
    "email,firstName\ncy@example.com,Cy\nnot an address,Di\n",
  );
  const { jobId } = await tell("importContacts", { form: csv });
  await service.runJobs();
  await tell("getContactImport", { path: { jobId } });
  const upload = await tell("uploadContacts", {
    query: { fileName: "people.csv", mapping: '{"Mail": "email"}' },
    text: "Mail,firstName\nEd@example.com,Ed\n",
  });
  await service.runJobs();
  await tell("listContactImports");
  await tell("listImportPresets");
  await tell("getImport", { path: { jobId: upload.jobId } });
  await tell("undoImport", { path: { jobId: upload.jobId } });
  const unwanted = await tell("uploadContacts", { text: "email\nfay@example.com\n" });
  await tell("cancelImport", { path: { jobId: unwanted.jobId } });
  await tell("bulkUnsubscribeContacts", { body: { mode: "query", filter: { search: "cy@example.com" } } });
  const bulk = await tell("bulkSubscribeContacts", { body: { contactIds: [ada.id] } });
  await tell("bulkDeleteContacts", { body: { mode: "query", filter: { search: "cy@example.com" } } });
  await service.runJobs();
  await tell("getBulkJob", { path: { jobId: bulk.jobId } });
  const segment = await tell("createSegment", {
    body: { name: "Pro, active", condition, trackMembership: true },
  });
  const list = await tell("createSegment", { body: { name: "VIPs", type: "STATIC" } });
  await tell("createSegment", { body: { name: "Pro", condition, trackMembership: true } });
  await tell("addSegmentMembers", {
    path: { id: list.id },
    body: { emails: ["ada@example.com", "new@example.com"], createMissing: true },
  });
  await tell("removeSegmentMembers", { path: { id: list.id }, body: { emails: ["new@example.com"] } });
  await tell("computeSegment", { path: { id: segment.id } });
  await tell("refreshSegment", { path: { id: segment.id } });
  await tell("listSegments");
  await tell("listOperators");
  await tell("previewSegment", { body: { condition } });
  await tell("getSegment", { path: { id: segment.id } });
  await tell("updateSegment", { path: { id: segment.id }, body: { name: "Pro, active this month" } });
  await tell("bulkAddToSegment", {
    body: { segmentId: list.id, mode: "query", filter: { condition } },
  });
  await tell("bulkRemoveFromSegment", { body: { segmentId: list.id, contactIds: [ada.id] } });
  await tell("explainSegment", { path: { id: segment.id }, query: { contactId: ada.id } });
  await tell("listSegmentSizes", { path: { id: segment.id } });
  await tell("listSizesOfSegments", { query: { startDate: "2026-11-21", endDate: "2026-11-22" } });
  await tell("getSegmentUsage", { path: { id: segment.id } });
  await tell("exportContacts", { query: { format: "ndjson", segmentId: segment.id } });
  await tell("listSegmentMembers", { path: { id: segment.id }, query: { pageSize: "20" } });
  await tell("listEvents", { query: { eventName: "ordered", limit: "1" } });
  await tell("countEvents");
  await tell("countEventsByDay", { query: { startDate: "2026-11-21", endDate: "2026-11-22" } });
  await tell("listContactEvents", { path: { contactId: ada.id } });
  await tell("listEventNames");
  await tell("getEventUsage", { path: { eventName: "ordered" } });
  await tell("deleteEvents", { path: { eventName: "signed up" } });
  return ada.id as string;
}

/** Messages: templates, sends, campaigns, the ledger. */
async function messages(tell: Teller, service: TestService, contactId: string): Promise<string> {
  const template = await tell("createTemplate", {
    body: {
      name: "Welcome",
      subject: "Welcome, {{firstName ?? friend}}",
      body: "<p>Hello {{firstName ?? there}}.</p>",
      from: FROM,
      fromName: "Shop",
      type: "TRANSACTIONAL",
    },
  });
  const id = template.id as string;
  await tell("listTemplates", { query: { type: "TRANSACTIONAL" } });
  await tell("previewUnsavedTemplate", {
    body: { subject: "Hello {{firstName ?? there}}", body: "<p>You are on {{plan}}.</p>", contactId },
  });
  await tell("getTemplate", { path: { id } });
  await tell("updateTemplate", { path: { id }, body: { description: "For everybody who signs up" } });
  await tell("getTemplateUsage", { path: { id } });
  await tell("listTemplateUses", { query: { ids: id } });
  await tell("testTemplate", { path: { id }, body: { email: "me@example.com" } });
  await tell("previewTemplate", { path: { id }, body: { contactId } });
  await tell("listTemplateVersions", { path: { id } });
  await tell("getTemplateVersion", { path: { id, version: "1" } });
  await tell("restoreTemplateVersion", { path: { id, version: "1" } });
  const copy = await tell("duplicateTemplate", { path: { id } });
  await tell("deleteTemplate", { path: { id: copy.id } });
  const sent = await tell("sendEmail", {
    headers: { "idempotency-key": "receipt-4711" },
    body: {
      to: { email: "ada@example.com", name: "Ada Lovelace" },
      from: { email: FROM, name: "Shop" },
      subject: "Your receipt {{number}}",
      body: "<p>Thank you, {{firstName ?? customer}}.</p>",
      data: { number: { value: "2026-0117", persistent: false } },
      attachments: [{ filename: "receipt.txt", content: btoa("49.90"), contentType: "text/plain" }],
      tags: [{ name: "category", value: "receipt" }],
    },
  });
  await tell("sendEmails", {
    body: {
      messages: ["Ada", "Bob"].map((name) => ({
        to: `${name.toLowerCase()}@example.com`,
        from: FROM,
        subject: `Your week, ${name}`,
        body: "<p>Three orders.</p>",
        ...(name === "Bob" && { cc: "Cleo <cleo@example.com>", bcc: ["archive@example.com"] }),
      })),
    },
  });
  await tell("verifyEmail", { body: { email: "ada@gmial.com" } });
  await service.runJobs();
  await tell("listEmails", { query: { limit: "1" } });
  const mail = { id: sent.data.emails[0].email as string };
  await tell("getEmail", { path: mail });
  await tell("getEmailContent", { path: mail });
  await tell("getEmailAttachment", { path: { ...mail, index: "0" } });
  await tell("listEmailEvents", { path: mail });
  await tell("resendEmail", { path: mail });
  await scheduled(tell);
  await inbox(tell, service, mail.id);
  const draft = {
    name: "October",
    subject: "What is new",
    body: "<p>Hello {{firstName ?? there}}.</p>",
    from: FROM,
  };
  const campaign = await tell("createCampaign", { body: { ...draft, audienceType: "ALL" } });
  const path = { id: campaign.data.id as string };
  await tell("countCampaignAudience", { body: { audienceType: "ALL" } });
  await tell("updateCampaign", { path, body: { subject: "What is new in October" } });
  await tell("replaceCampaign", {
    path,
    body: {
      ...draft,
      audienceType: "FILTERED",
      audienceCondition: { logic: "AND", groups: [{ filters: [condition.groups[0]!.filters[0]] }] },
    },
  });
  await tell("previewUnsavedCampaign", {
    body: { subject: "What is new", body: "<p>Hello {{firstName}}.</p>", data: { firstName: "Ada" } },
  });
  await tell("previewCampaign", { path, body: { data: { firstName: "Ada" } } });
  await tell("checkCampaign", { path });
  await tell("testCampaign", { path, body: { email: "me@example.com" } });
  const other = await tell("duplicateCampaign", { path });
  await tell("deleteCampaign", { path: { id: other.id } });
  await tell("sendCampaign", { path, body: { scheduledFor: "2030-01-31T09:00:00Z" } });
  await tell("listUpcomingActivity", { query: { daysAhead: "90" } });
  await tell("unscheduleCampaign", { path });
  await tell("sendCampaign", { path, body: { scheduledFor: "2030-01-31T09:00:00Z" } });
  await tell("cancelCampaign", { path });
  await tell("getCampaign", { path });
  await tell("getCampaignStats", { path });
  await tell("listCampaignRecipients", { path, query: { clicked: "true" } });
  await tell("listCampaignLinks", { path });
  await tell("getCampaignSeries", { path });
  await tell("listCampaignReasons", { path });
  await tell("listCampaigns", { query: { pageSize: "1" } });
  await tell("createSuppressions", { body: { emails: ["left@example.com", "gone@example.com"] } });
  await tell("listSuppressions");
  await tell("deleteSuppression", { query: { email: "left@example.com" } });
  await tell("importSuppressions", { text: "email,reason\ngone@example.com,BOUNCE\nno address,\n" });
  await tell("exportSuppressions");
  const image = await tell("uploadImage", { form: file("dot.gif", "image", "image/gif", GIF) });
  await tell("listImages");
  await tell("getImageUsage", { path: { key: image.key } });
  await tell("deleteImage", { path: { key: image.key }, query: { force: "true" } });
  return id;
}

const inSomeMinutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString();

/** A mail that waits for its time. */
async function scheduled(tell: Teller): Promise<void> {
  const sent = await tell("sendEmail", {
    body: {
      to: "bob@example.com",
      from: FROM,
      subject: "See you tomorrow",
      body: "<p>At nine.</p>",
      sendAt: inSomeMinutes(10),
    },
  });
  const path = { id: sent.data.emails[0].email as string };
  await tell("rescheduleEmail", { path, body: { sendAt: inSomeMinutes(20) } });
  await tell("cancelEmail", { path });
}

async function workflows(tell: Teller, contactId: string, templateId: string): Promise<void> {
  const { id } = await tell("createWorkflow", { body: { name: "Welcome", eventName: "signed up" } });
  const path = { id };
  await tell("listWorkflowFields", { query: { eventName: "signed up" } });
  const mail = await tell("createStep", { path, body: { type: "SEND_EMAIL", name: "Welcome", templateId } });
  const exit = await tell("createStep", { path, body: { type: "EXIT", name: "Done", autoConnect: false } });
  const transition = await tell("createTransition", {
    path,
    body: { fromStepId: mail.id, toStepId: exit.id },
  });
  const delay = await tell("insertStep", {
    path: { id, transitionId: transition.id },
    body: { type: "DELAY", name: "Three days", config: { amount: 3, unit: "days" } },
  });
  await tell("updateStep", { path: { id, stepId: delay.id }, body: { config: { amount: 1, unit: "days" } } });
  await tell("updateWorkflow", { path, body: { enabled: true } });
  const graph = await tell("getWorkflowGraph", { path });
  const { version, steps, transitions } = graph;
  await tell("saveWorkflowGraph", { path, body: { version, steps, transitions } });
  await tell("checkWorkflowGraph", { path, body: { steps, transitions: transitions.slice(1) } });
  await tell("testWorkflow", { path, body: { contactId } });
  const execution = await tell("startExecution", {
    path,
    body: { contactId, context: { coupon: "WELCOME" } },
  });
  await tell("getExecution", { path: { id, executionId: execution.id } });
  await tell("getExecutionGraph", { path: { id, executionId: execution.id } });
  await tell("listExecutions", { path, query: { status: "RUNNING" } });
  await tell("getWorkflowStatistics", { path });
  await tell("cancelExecution", { path: { id, executionId: execution.id } });
  await tell("cancelExecutions", { path });
  await tell("listWorkflowVersions", { path });
  await tell("getWorkflowVersion", { path: { id, version: "2" } });
  await tell("restoreWorkflowVersion", { path: { id, version: "2" } });
  const workflow = await tell("getWorkflow", { path });
  await tell("listWorkflows");
  const copy = await tell("duplicateWorkflow", { path });
  await tell("deleteWorkflow", { path: { id: copy.id } });
  await tell("deleteTransition", { path: { id, transitionId: workflow.steps[0].outgoingTransitions[0].id } });
  await tell("deleteStep", { path: { id, stepId: delay.id }, query: { splice: "true" } });
}

async function figures(tell: Teller): Promise<void> {
  await tell("getContactSeries", { query: { startDate: "2026-11-21", endDate: "2026-11-22" } });
  await tell("getTimeseries", { query: { startDate: "2026-11-21", endDate: "2026-11-22" } });
  await tell("getDeliverability", { query: { groupBy: "provider" } });
  await tell("listDeliverabilityAlerts", { query: { open: "true" } });
  await tell("listTopTags");
  await tell("search", { query: { q: "ord" } });
  await tell("listTopCampaigns", { query: { metric: "opens" } });
  await tell("getCampaignsOverview");
  await tell("listTopEvents");
  await tell("listActivity", { query: { limit: "2" } });
  await tell("getActivityStats");
  await tell("getRecentActivityCount");
  await tell("listActivityTypes");
}

/** The log of requests: of one that was refused, too. */
async function requestLog(tell: Teller, service: TestService, { id, secret }: NewProject): Promise<void> {
  const body = { email: "ada.example.com", data: { plan: "pro", password: "correct horse" } };
  const headers = { "user-agent": "shop/2.1" };
  const refused = await service.request("POST", "/contacts", { key: secret, body, headers });
  await service.request("GET", "/segments", { key: secret, headers });
  await until("the log", async () => {
    await flushRequests(service);
    const [row] = await service.pool`select count(*)::int as count from requests where project_id = ${id}`;
    return row!.count > 1;
  });
  await tell("listRequests", { query: { limit: "2" } });
  await tell("getRequest", { path: { id: refused.headers.get("x-request-id")! } });
}

async function installation(tell: Teller, projectId: string): Promise<void> {
  const domain = await tell("createDomain", { body: { domain: "mail.shop.example" } });
  await tell("listDomains", { path: { projectId } });
  await tell("getDomain", { path: { id: domain.id } });
  await tell("getSenderRules", { path: { id: domain.id } });
  await tell("verifyDomain", { path: { id: domain.id } });
  await tell("rekeyDomain", { body: { domain: domain.domain } });
  await tell("deleteDomain", { path: { id: domain.id } });
  await transports(tell);
  await tell("getConfig", { as: "nobody" });
  await tell("listSignInProviders", { as: "nobody" });
  await tell("getHealth", { as: "nobody" });
}

/** What another service has exported. */
async function moves(tell: Teller, service: TestService): Promise<void> {
  const move = await tell("createMove", { body: { from: "brevo" } });
  const path = { id: move.id };
  const query = { fileName: "contacts.csv" };
  await tell("uploadMoveFile", {
    path,
    query,
    text: "EMAIL,FIRSTNAME\ngrace@example.com,Grace\nno address,Ed\n",
  });
  const wrong = await tell("uploadMoveFile", { path, query, text: "EMAIL\nold@example.com\n" });
  await tell("deleteMoveFile", { path: { ...path, fileId: wrong.id } });
  await tell("checkMove", { path, body: { as: "subscribed" } });
  await service.runJobs();
  await tell("getMove", { path });
  await tell("listMoveLeftOut", { path });
  await tell("listMoves");
  await tell("startMove", { path });
  await tell("cancelMove", { path });
}

/** Ways out for mail, and which mails take them. */
async function transports(tell: Teller): Promise<void> {
  const plan = await tell("createWarmupPlan", {
    body: { name: "First week", dailyLimits: [500, 1_000, 2_000, 5_000, 10_000] },
  });
  await tell("updateWarmupPlan", {
    path: { id: plan.id },
    body: { dailyLimits: [500, 1_000, 2_500, 5_000] },
  });
  await tell("listWarmupPlans");
  const unused = await tell("createWarmupPlan", { body: { name: "Too careful", dailyLimits: [10] } });
  await tell("deleteWarmupPlan", { path: { id: unused.id } });
  const { id } = await tell("createTransport", {
    body: {
      name: "Provider",
      kind: "SMTP",
      url: "smtp://postmaster:secret@smtp.postmarkapp.com:587",
      feedbackSecret: "hook:a-long-password",
      perDay: 50_000,
      warmup: { planId: plan.id },
    },
  });
  await tell("updateTransport", { path: { id }, body: { paused: true, pauseReason: "The domain moves" } });
  await tell("listTransports");
  await tell("getTransport", { path: { id } });
  await tell("replaceRoutes", {
    body: {
      rules: [
        { type: "MARKETING", providers: ["google"], transports: [{ id }, { id: "default", priority: 200 }] },
        { transports: [{ id: "default" }] },
      ],
    },
  });
  await tell("getRoutes");
  await tell("testRoutes", { body: { type: "MARKETING", from: FROM, to: "ada@gmail.com" } });
  await tell("replaceRoutes", { body: { rules: [] } });
  await tell("deleteTransport", { path: { id } });
}

async function people(tell: Teller, service: TestService, owner: Person, projectId: string): Promise<void> {
  const as = "person";
  const path = { id: projectId };
  const account = { email: "you@example.com", password: PASSWORD };
  await tell("signUp", { as: "nobody", body: account });
  await tell("logIn", { as: "nobody", body: account });
  await tell("requestVerification", { as: "nobody", body: { email: account.email } });
  await tell("requestPasswordReset", { as: "nobody", body: { email: account.email } });
  await tell("changePassword", { as, body: { password: PASSWORD, newPassword: "four words that differ" } });
  await tell("getCurrentUser", { as });
  await accountWalk(tell, service, { email: owner.email, password: "four words that differ" });
  await tell("listProjects", { as });
  await tell("updateProject", { as, path, body: { tracking: "MARKETING_ONLY", language: "de" } });
  await tell("getProjectReputation", { as, path });
  await tell("getProjectSecurity", { as, path });
  await tell("getWebhookSecret", { as, path });
  await tell("rotateWebhookSecret", { as, path });
  await tell("releaseCapturedMails", { as, path, body: { all: true, dryRun: true } });
  await tell("discardCapturedMails", { as, path, body: { since: "2026-11-01T00:00:00Z", dryRun: true } });
  await tell("getProject", { as, path });
  const key = await tell("createProjectKey", {
    as,
    path,
    body: { name: "Orders of the shop", scopes: ["send", "track"], expiresAt: "2035-01-31T09:00:00Z" },
  });
  await tell("listProjectKeys", { as, path });
  await tell("updateProjectKey", { as, path: { ...path, keyId: key.id }, body: { expiresAt: null } });
  await tell("revokeProjectKey", { as, path: { ...path, keyId: key.id } });
  await tell("createSandbox", { as, path });
  await tell("getSession", { as });
  await tell("getSetupState", { as, path });
  await tell("addMember", { as, path, body: { email: "grace@example.com", role: "MEMBER" } });
  const { data } = await tell("listMembers", { as, path });
  const invited = data.find(({ email }: { email: string }) => email !== owner.email);
  await tell("updateMember", { as, path: { ...path, userId: invited.userId }, body: { role: "ADMIN" } });
  await tell("removeMember", { as, path: { ...path, userId: invited.userId } });
  await tell("updateBillingLimits", { as, path, body: { campaigns: 100_000 } });
  await tell("getBillingLimits", { as, path });
  await tell("getBillingConsumption", { as, path });
  await tell("listAuditLog", { as, path, query: { limit: "1" } });
  const project = await tell("createProject", { as, body: { name: "Shop" } });
  await tell("regenerateKeys", { as, path: { id: project.id } });
  await tell("resetProject", { as, path: { id: project.id } });
  await tell("deleteProject", { as, path: { id: project.id } });
  await tell("logOut", { as: "nobody" });
}

/** What needs the token of a mail, or an answer of Stripe. */
function elsewhere(note: Noter): void {
  accountNotes(note);
  webhookNotes(note);
  const done = (message: string) => ({ success: true, data: { message } });
  note(
    "streamActivity",
    'id: WyIwMTlhYThmMC…\ndata: {"id":"…","type":"email.opened","timestamp":"…","metadata":{}}\n\n',
  );
  note("verifyAccount", done("The address is verified"), { token: "Vb3mX0…" });
  note("resetPassword", done("The password is changed: log in with the new one"), {
    token: "Vb3mX0…",
    newPassword: "four words that differ",
  });
  note(
    "startCheckout",
    { url: "https://checkout.stripe.com/c/pay/cs_live_a1" },
    { returnUrl: "https://app.example.com/billing" },
  );
  note(
    "openBillingPortal",
    { url: "https://billing.stripe.com/p/session/live_a1" },
    { returnUrl: "https://app.example.com/billing" },
  );
  note(
    "testTransport",
    {
      success: false,
      failedAt: "LOGIN",
      response: "Invalid login: 535 5.7.8 Authentication credentials invalid",
      isEncrypted: true,
      from: "test@shop.example",
      to: "ada@example.com",
      tookMs: 214,
    },
    { to: "ada@example.com" },
  );
  // No process takes jobs here.
  note("getReadiness", { ready: true, database: true, migrations: true, workers: true, standing: [] });
  note("listInvoices", {
    data: [
      {
        id: "in_1Q",
        number: "SHOP-0001",
        status: "paid",
        amountDue: 2900,
        amountPaid: 2900,
        currency: "eur",
        createdAt: "2026-11-01T08:00:00.000Z",
        periodStart: "2026-10-01T00:00:00.000Z",
        periodEnd: "2026-11-01T00:00:00.000Z",
        hostedUrl: "https://invoice.stripe.com/i/acct_1/live_1",
        pdfUrl: "https://pay.stripe.com/invoice/acct_1/live_1/pdf",
      },
    ],
    cursor: null,
    hasMore: false,
  });
  note("receiveStripe", undefined, { id: "evt_1", type: "customer.subscription.updated" });
  const mark = "0193a9ce-7c00-7000-8000-000000000001.0193a9ce-7c00-7000-8000-000000000002";
  note("receivePostmark", undefined, { RecordType: "Delivery", Metadata: { postrider: mark } });
  note("receiveMailgun", undefined, {
    "event-data": { event: "delivered", "user-variables": { postrider: mark } },
  });
  note("receiveSendGrid", undefined, { event: "delivered", sg_event_id: "a1", postrider: mark });
  note("receiveResend", undefined, { type: "email.delivered", data: { email_id: "a1" } });
  note("receiveBrevo", undefined, { event: "delivered", "X-Mailin-custom": mark });
  note("receiveMailjet", undefined, { event: "sent", CustomID: mark });
  note(
    "receiveComplaintReport",
    undefined,
    'Content-Type: multipart/report; report-type=feedback-report; boundary="part"',
  );
  note("receiveSns", undefined, {
    Type: "Notification",
    MessageId: "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
    TopicArn: "arn:aws:sns:eu-west-1:123456789012:mails",
    Message: '{"eventType":"Delivery"}',
    Timestamp: "2026-11-22T08:00:00.000Z",
    SignatureVersion: "2",
    Signature: "EXAMPLE",
    SigningCertURL: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
  });
}

/** A mail that was captured, as where there is no mail server. */
async function inbox(tell: Teller, { pool }: TestService, emailId: string): Promise<void> {
  const source = [
    `From: ${FROM}`,
    "To: ada@example.com",
    "Subject: Your receipt",
    "Content-Type: multipart/mixed; boundary=b",
    "",
    "--b",
    "Content-Type: text/html",
    "",
    "<p>Thank you.</p>",
    "--b",
    'Content-Disposition: attachment; filename="receipt.txt"',
    "Content-Type: text/plain",
    "",
    "49.90",
    "--b--",
    "",
  ];
  const [row] = await pool`
    insert into captured_mails (project_id, email_id, from_address, to_address, subject, source)
    select project_id, id, ${FROM}, 'ada@example.com', 'Your receipt', ${Buffer.from(source.join("\r\n"))}
    from emails where id = ${emailId}
    returning id, project_id`;
  const path = { id: row!.id as string };
  const session = { as: "person", headers: { "x-project-id": row!.projectId as string } } as const;
  await tell("listInboxMails", { query: { limit: "1" } });
  await tell("getInboxMail", { path });
  await tell("getInboxMailHtml", { path });
  await tell("getInboxMailSource", { path });
  await tell("getInboxMailAttachment", { path: { ...path, index: "0" } });
  await tell("markInboxMail", { ...session, path, body: { read: true } });
  await tell("markInboxMails", { ...session, body: { read: false } });
  await tell("deleteInboxMails", { ...session, body: { ids: ["01a21ac4-6155-7489-bef6-76660b94d559"] } });
  await tell("deleteInboxMail", { ...session, path });
  await tell("clearInbox", session);
}

/** Every operation of the document once, in an order in which each finds what it needs. */
export async function walk(
  tell: Teller,
  note: Noter,
  { service, owner, project }: { service: TestService; owner: Person; project: NewProject },
): Promise<void> {
  const projectId = project.id;
  await requestLog(tell, service, project);
  await moves(tell, service);
  const contactId = await audience(tell, service);
  const templateId = await messages(tell, service, contactId);
  await workflows(tell, contactId, templateId);
  await figures(tell);
  await webhookWalk(tell, service);
  await installation(tell, projectId);
  await people(tell, service, owner, projectId);
  elsewhere(note);
  await tell("deleteContactField", { path: { field: "company" } });
  const made = await tell("createContact", { body: { email: "last@example.com" } });
  await tell("deleteContact", { path: { id: made.id } });
  const segment = await tell("createSegment", { body: { name: "Short-lived", type: "STATIC" } });
  await tell("deleteSegment", { path: { id: segment.id } });
}
