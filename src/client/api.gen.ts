// Generated from the OpenAPI document by `bun run api:types`: do not edit.
export type Condition = { logic: "AND" | "OR"; groups: (ConditionGroup)[] };
export type ConditionGroup = { filters: (Filter)[]; conditions?: Condition } | { filters?: (Filter)[]; conditions: Condition };
export type Filter = EqualityFilter | TextFilter | OrderFilter | AgeFilter | ExistenceFilter | CountFilter;
export type EqualityFilter = { field: "email"; operator: "equals" | "notEquals"; value: string } | { field: "subscribed"; operator: "equals" | "notEquals"; value: boolean | "true" | "false" } | { field: "createdAt" | "updatedAt"; operator: "equals" | "notEquals"; value: string } | { field: string; operator: "equals" | "notEquals"; value: unknown };
export type TextFilter = { field: "email"; operator: "contains" | "notContains"; value: string } | { field: string; operator: "contains" | "notContains"; value: string | number | boolean };
export type OrderFilter = { field: "createdAt" | "updatedAt"; operator: "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual"; value: string } | { field: string; operator: "greaterThan" | "lessThan" | "greaterThanOrEqual" | "lessThanOrEqual"; value: number | string };
export type AgeFilter = { field: "createdAt" | "updatedAt"; operator: "within" | "olderThan"; value: number; unit: "minutes" | "hours" | "days" | "weeks" | "months" } | { field: string; operator: "within" | "olderThan"; value: number; unit: "minutes" | "hours" | "days" | "weeks" | "months" } | { field: string; operator: "triggeredWithin" | "triggeredOlderThan" | "notTriggeredWithin"; value: number; unit: "minutes" | "hours" | "days" | "weeks" | "months" } | { field: string; operator: "triggeredWithin" | "triggeredOlderThan" | "notTriggeredWithin"; value: number; unit: "minutes" | "hours" | "days" | "weeks" | "months"; campaignId?: string; templateId?: string };
export type ExistenceFilter = { field: string; operator: "exists" | "notExists" } | { field: string; operator: "triggered" | "notTriggered" } | { field: string; operator: "triggered" | "notTriggered"; campaignId?: string; templateId?: string } | { field: string; operator: "memberOfSegment" | "notMemberOfSegment" };
export type CountFilter = { field: string; operator: "triggeredAtLeast" | "triggeredAtMost"; count: number; value?: number; unit?: "minutes" | "hours" | "days" | "weeks" | "months" } | { field: string; operator: "triggeredAtLeast" | "triggeredAtMost"; count: number; value?: number; unit?: "minutes" | "hours" | "days" | "weeks" | "months"; campaignId?: string; templateId?: string };
export type Problem = { success: false; error: { code: string; message: string; statusCode: number; requestId: string; errors?: ({ field: string; message: string; code: string; received?: unknown; line?: number; column?: number })[]; details?: Record<string, unknown>; suggestion?: string }; timestamp: string };
export type NamedAddress = { email: string; name?: string };
export type Mailbox = string | NamedAddress;
export type Tag = { name: string; value: string };
export type TrackingChoice = { opens?: boolean; clicks?: boolean };
export type AttachedFile = { filename: string; content: string; contentType: string; contentId?: string; disposition?: "attachment" };
export type InlineFile = { filename: string; content: string; contentType: string; contentId: string; disposition: "inline" };
export type Attachment = AttachedFile | InlineFile;
export type SendTemplateBody = { to: Mailbox | (Mailbox)[]; template: string; subject?: string; body?: string; from?: Mailbox; cc?: Mailbox | (Mailbox)[]; bcc?: Mailbox | (Mailbox)[]; name?: string; subscribed?: boolean; data?: Record<string, unknown>; headers?: Record<string, string>; reply?: string; replyTo?: string | (string)[]; tags?: (Tag)[]; sendAt?: string; tracking?: boolean | TrackingChoice; unsubscribe?: boolean; attachments?: (Attachment)[] };
export type SendMessageBody = { to: Mailbox | (Mailbox)[]; subject: string; body: string; from: Mailbox; cc?: Mailbox | (Mailbox)[]; bcc?: Mailbox | (Mailbox)[]; name?: string; subscribed?: boolean; data?: Record<string, unknown>; headers?: Record<string, string>; reply?: string; replyTo?: string | (string)[]; tags?: (Tag)[]; sendAt?: string; tracking?: boolean | TrackingChoice; unsubscribe?: boolean; attachments?: (Attachment)[] };
export type SendBody = SendTemplateBody | SendMessageBody;
export type SentEmails = { success: true; data: { emails: ({ contact: { id: string; email: string }; email: string; role?: "to" | "cc" | "bcc" })[]; timestamp: string; scheduledFor?: string }; warnings?: (string)[] };
export type BatchSendTemplateBody = { to: Mailbox | (Mailbox)[]; template: string; subject?: string; body?: string; from?: Mailbox; cc?: Mailbox | (Mailbox)[]; bcc?: Mailbox | (Mailbox)[]; name?: string; subscribed?: boolean; data?: Record<string, unknown>; headers?: Record<string, string>; reply?: string; replyTo?: string | (string)[]; tags?: (Tag)[]; sendAt?: string; tracking?: boolean | TrackingChoice; unsubscribe?: boolean; attachments?: (Attachment)[]; idempotencyKey?: string };
export type BatchSendMessageBody = { to: Mailbox | (Mailbox)[]; subject: string; body: string; from: Mailbox; cc?: Mailbox | (Mailbox)[]; bcc?: Mailbox | (Mailbox)[]; name?: string; subscribed?: boolean; data?: Record<string, unknown>; headers?: Record<string, string>; reply?: string; replyTo?: string | (string)[]; tags?: (Tag)[]; sendAt?: string; tracking?: boolean | TrackingChoice; unsubscribe?: boolean; attachments?: (Attachment)[]; idempotencyKey?: string };
export type BatchMessage = BatchSendTemplateBody | BatchSendMessageBody;
export type SendBatchBody = { messages: (BatchMessage)[]; atomic?: boolean };
export type SentMessage = { success: true; data: { emails: ({ contact: { id: string; email: string }; email: string; role?: "to" | "cc" | "bcc" })[]; timestamp: string; scheduledFor?: string } };
export type SentBatch = { success: true; data: (SentMessage | Problem)[] };
export type TrackBody = { email: string; event: string; subscribed?: boolean; data?: Record<string, unknown> };
export type TrackedEvent = { success: true; data: { contact: string; event: string; timestamp: string }; warnings?: (string)[] };
export type Verification = { success: true; data: { email: string; valid: boolean; isDisposable: boolean; isAlias: boolean; isTypo: boolean; isPlusAddressed: boolean; isPersonalEmail: boolean; domainExists: boolean | null; hasWebsite: boolean; hasMxRecords: boolean | null; reasons: (string)[] } };
export type ListedContact = { id: string; data: Record<string, unknown>; projectId: string; email: string; subscribed: boolean; createdAt: string; updatedAt: string; lastActivityAt?: string };
export type ContactBody = { email: string; subscribed?: boolean; data?: Record<string, unknown> };
export type SavedContact = { id: string; data: Record<string, unknown>; projectId: string; email: string; subscribed: boolean; createdAt: string; updatedAt: string; _meta: { isNew: boolean; isUpdate: boolean } };
export type BareError = { error: string };
export type WholeContact = { id: string; data: Record<string, unknown>; projectId: string; email: string; subscribed: boolean; createdAt: string; updatedAt: string; segments?: ({ id: string; name: string; slug: string; type: "DYNAMIC" | "STATIC" })[]; executions?: ({ id: string; workflowId: string; workflowName: string; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; startedAt: string; completedAt: string | null })[] };
export type Contact = { id: string; data: Record<string, unknown>; projectId: string; email: string; subscribed: boolean; createdAt: string; updatedAt: string };
export type ContactField = { field: string; type: "string" | "number" | "boolean" | "date"; coverage: number };
export type QueuedJob = { jobId: string; message: string };
export type ImportReport = { id: string; state: "waiting" | "active" | "completed" | "failed"; progress: number; result?: { totalRows: number; successCount: number; createdCount: number; updatedCount: number; failureCount: number; errors: ({ row: number; email: string; error: string })[] }; failedReason?: string; createdAt: string; finishedAt: string | null };
export type ListedContactImport = { id: string; state: "waiting" | "active" | "completed" | "failed"; progress: number; fileName: string | null; dryRun: boolean; createdBy: string | null; result?: { totalRows: number; successCount: number; createdCount: number; updatedCount: number; failureCount: number }; failedReason?: string; createdAt: string; finishedAt: string | null; undo: { state: "waiting" | "active" | "completed" | "failed" | null; until: string; deletedCount: number; restoredCount: number; keptCount: number } | null };
export type ImportPreset = { name: "mailchimp" | "brevo" | "sendgrid"; title: string; signs: ((string)[])[]; columns: Record<string, never> };
export type ContactImport = { id: string; state: "waiting" | "active" | "completed" | "failed"; progress: number; fileName: string | null; dryRun: boolean; createdBy: string | null; result?: { totalRows: number; successCount: number; createdCount: number; updatedCount: number; failureCount: number; errors: ({ row: number; email: string; error: string })[]; examples?: ({ row: number; email: string; action: "create" | "update" | "none"; subscribed: boolean; data: Record<string, unknown>; before: Record<string, unknown> | null })[] }; failedReason?: string; createdAt: string; finishedAt: string | null; undo: { state: "waiting" | "active" | "completed" | "failed" | null; until: string; deletedCount: number; restoredCount: number; keptCount: number } | null };
export type BulkByIds = { mode?: "ids"; contactIds: (string)[] };
export type ContactFilter = { search?: string; subscribed?: boolean; segmentId?: string; condition?: Condition };
export type BulkByFilter = { mode: "query"; filter: ContactFilter; excludeIds?: (string)[] };
export type BulkBody = BulkByIds | BulkByFilter;
export type BulkSegmentByIds = { segmentId: string; mode?: "ids"; contactIds: (string)[] };
export type BulkSegmentByFilter = { segmentId: string; mode: "query"; filter: ContactFilter; excludeIds?: (string)[] };
export type BulkSegmentBody = BulkSegmentByIds | BulkSegmentByFilter;
export type BulkReport = { id: string; state: "waiting" | "active" | "completed" | "failed"; progress: number; result?: { operation: "subscribe" | "unsubscribe" | "delete" | "add" | "remove"; totalRequested: number; successCount: number; unchangedCount: number; failureCount: number; errors: ({ contactId: string; error: string })[] }; failedReason?: string; createdAt: string; finishedAt: string | null };
export type Segment = { id: string; name: string; slug: string; description: string | null; type: "DYNAMIC" | "STATIC"; condition: Condition | null; trackMembership: boolean; memberCount: number; projectId: string; createdAt: string; updatedAt: string };
export type DynamicSegmentBody = { name: string; type?: "DYNAMIC"; condition: Condition; description?: string | null; trackMembership?: boolean };
export type StaticSegmentBody = { name: string; type: "STATIC"; description?: string | null; trackMembership?: boolean };
export type SegmentBody = DynamicSegmentBody | StaticSegmentBody;
export type OperatorCatalogue = { fields: ({ field: string; kind: "text" | "boolean" | "time" | "data" | "event" | "segment"; operators: ({ operator: string; operand: "none" | "text" | "boolean" | "time" | "json" | "ordered" | "amount" | "count" })[]; activities?: (string)[]; sources?: (string)[] })[]; units: (string)[]; logic: (string)[] };
export type SegmentPreviewBody = { condition: Condition };
export type SegmentPreview = { count: number; reachable: number; estimated: boolean; sample: (Contact)[] };
export type SegmentPatch = { name?: string; description?: string | null; condition?: Condition; trackMembership?: boolean };
export type SegmentSizesOfDays = { id: string; members: (number | null)[] };
export type SegmentSizes = { dates: (string)[]; segments: (SegmentSizesOfDays)[] };
export type ExplainedFilter = { field: string; operator: string; value?: unknown; unit?: string; count?: number; campaignId?: string | null; templateId?: string | null; matches: boolean; found: unknown };
export type ExplainedCondition = { logic: "AND" | "OR"; matches: boolean; groups: ({ matches: boolean; filters: (ExplainedFilter)[]; conditions?: ExplainedCondition })[] } | null;
export type SegmentExplanation = { contactId: string; matches: boolean; condition: ExplainedCondition; enteredAt: string | null };
export type SegmentSize = { date: string; members: number };
export type SegmentUsage = { segments: ({ id: string; name: string })[]; campaigns: ({ id: string; name: string })[]; workflows: ({ id: string; name: string })[]; canDelete: boolean };
export type ListedTemplate = { id?: string; name?: string; description?: string | null; subject?: string; preheader?: string | null; body?: string; from?: string; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; alias?: string | null; projectId?: string; createdAt?: string; updatedAt?: string };
export type TemplateBody = { name: string; subject: string; body: string; from: string; alias?: string | null; preheader?: string | null; description?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" };
export type Template = { id: string; name: string; description: string | null; subject: string; preheader: string | null; body: string; from: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; alias: string | null; projectId: string; createdAt: string; updatedAt: string };
export type UnsavedPreviewBody = { subject: string; preheader?: string | null; body: string; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; data?: Record<string, unknown>; contactId?: string };
export type UnsavedPreview = { subject: string; html: string; text: string; missing: (string)[]; warnings: (string)[] };
export type TemplatePatch = { name?: string; subject?: string; body?: string; from?: string; alias?: string | null; preheader?: string | null; description?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" };
export type TemplateUsage = { campaigns: ({ id: string; name: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED" })[]; workflowSteps: ({ id: string; name: string; workflowId: string; workflowName: string })[]; emailsSent: number; outcomes: { mails: number; sent: number; delivered: number; opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number; lastSentAt: string | null } };
export type Preview = { subject: string; html: string; text: string; missing: (string)[] };
export type ListedTemplateVersion = { version: number; name: string; subject: string; createdAt: string; createdBy: string | null };
export type TemplateVersion = { version: number; name: string; description: string | null; subject: string; preheader: string | null; body: string; from: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; createdAt: string; createdBy: string | null };
export type CampaignCheckDetails = { reach?: { matching: number; unsubscribed: number; suppressed: number; reachable: number; estimated: boolean }; usage?: { limit: number; used: number }; records?: ({ purpose: "DKIM" | "SPF" | "RETURN_PATH" | "DMARC"; type: string; name: string; status: "PENDING" | "VERIFIED" | "MISSING" | "MISMATCH" })[]; rules?: (string)[]; variables?: ({ name: string; share: number })[]; sample?: number; links?: ({ url: string; kind: "link" | "image"; level: "ERROR" | "WARNING"; reason: string })[]; visited?: number; skipped?: (string)[]; unvisited?: number; images?: (string)[]; words?: number; bytes?: number; spam?: { score: number; threshold: number; symbols: ({ name: string; description: string; score: number })[] } };
export type CampaignCheck = { id: "AUDIENCE" | "SUPPRESSED" | "USAGE_LIMIT" | "SENDER" | "SUBJECT" | "VARIABLES" | "LINKS" | "IMAGES" | "TEXT" | "SIZE" | "SPAM" | "UNSUBSCRIBE" | "POSTAL_ADDRESS"; level: "ERROR" | "WARNING" | "OK"; title: string; message: string; field?: string; details?: CampaignCheckDetails };
export type TemplateUses = { id: string; campaigns: number; workflows: number; lastSentAt: string | null };
export type WholeAudience = { audienceType: "ALL"; segmentId?: string | null; audienceCondition?: Condition | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null };
export type SegmentAudience = { audienceType: "SEGMENT"; segmentId: string; audienceCondition?: Condition | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null };
export type FilteredAudience = { audienceType: "FILTERED"; segmentId?: string | null; audienceCondition: Condition; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null };
export type AudienceBody = WholeAudience | SegmentAudience | FilteredAudience;
export type CampaignReach = { totalRecipients: number; matching: number; unsubscribed: number; suppressed: number; reachable: number; estimated: boolean };
export type NamedRecipient = { email: string; name: string | null };
export type Email = { id: string; contactId: string | null; to: string | null; toName: string | null; subject: string | null; from: string | null; fromName: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; tags: (Tag)[] | null; templateId: string | null; workflowId: string | null; campaignId: string | null; stepId: string | null; workflowExecutionId: string | null; sourceType: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW"; status: "PENDING" | "SENDING" | "CAPTURED" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED" | "IN_DOUBT"; messageId: string | null; providerId: string | null; resendOf: string | null; role: "to" | "cc" | "bcc"; parentId: string | null; cc: (NamedRecipient)[]; bcc: (NamedRecipient)[]; attempts: number; error: string | null; queuedAt: string; nextAttemptAt: string | null; scheduledFor: string | null; doubtedAt: string | null; capturedAt: string | null; sentAt: string | null; deliveredAt: string | null; openedAt: string | null; clickedAt: string | null; bouncedAt: string | null; complainedAt: string | null; unsubscribedAt: string | null; opens: number; clicks: number };
export type CampaignLink = { link: string; clicks: number; firstClicks: number };
export type CampaignReason = { status: "BOUNCED" | "FAILED" | "COMPLAINED" | "SUPPRESSED" | "IN_DOUBT"; reason: string; mails: number; example: string; isSample: boolean };
export type CampaignHour = { hour: string; sent: number; delivered: number; opened: number; clicked: number; bounced: number; complained: number; unsubscribed: number };
export type ListedCampaign = { id?: string; name?: string; description?: string | null; subject?: string; preheader?: string | null; body?: string; from?: string; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; status?: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; audienceType?: "ALL" | "SEGMENT" | "FILTERED"; segmentId?: string | null; audienceCondition?: Condition | null; templateId?: string | null; scheduledFor?: string | null; totalRecipients?: number; sentCount?: number; deliveredCount?: number; openedCount?: number; clickedCount?: number; bouncedCount?: number; complainedCount?: number; unsubscribedCount?: number; failedCount?: number; capturedCount?: number; processedCount?: number; projectId?: string; sentAt?: string | null; createdAt?: string; updatedAt?: string };
export type WholeTemplateCampaignBody = { name: string; description?: string | null; preheader?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; templateId: string; subject?: string | null; body?: string | null; from?: string | null; audienceType: "ALL"; segmentId?: string | null; audienceCondition?: Condition | null };
export type SegmentTemplateCampaignBody = { name: string; description?: string | null; preheader?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; templateId: string; subject?: string | null; body?: string | null; from?: string | null; audienceType: "SEGMENT"; segmentId: string; audienceCondition?: Condition | null };
export type FilteredTemplateCampaignBody = { name: string; description?: string | null; preheader?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; templateId: string; subject?: string | null; body?: string | null; from?: string | null; audienceType: "FILTERED"; segmentId?: string | null; audienceCondition: Condition };
export type WholeCampaignBody = { name: string; description?: string | null; preheader?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; subject: string; body: string; from: string; templateId?: null; audienceType: "ALL"; segmentId?: string | null; audienceCondition?: Condition | null };
export type SegmentCampaignBody = { name: string; description?: string | null; preheader?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; subject: string; body: string; from: string; templateId?: null; audienceType: "SEGMENT"; segmentId: string; audienceCondition?: Condition | null };
export type FilteredCampaignBody = { name: string; description?: string | null; preheader?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; subject: string; body: string; from: string; templateId?: null; audienceType: "FILTERED"; segmentId?: string | null; audienceCondition: Condition };
export type CampaignBody = WholeTemplateCampaignBody | SegmentTemplateCampaignBody | FilteredTemplateCampaignBody | WholeCampaignBody | SegmentCampaignBody | FilteredCampaignBody;
export type Campaign = { id: string; name: string; description: string | null; subject: string; preheader: string | null; body: string; from: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; audienceType: "ALL" | "SEGMENT" | "FILTERED"; segmentId: string | null; audienceCondition: Condition | null; templateId: string | null; scheduledFor: string | null; totalRecipients: number; sentCount: number; deliveredCount: number; openedCount: number; clickedCount: number; bouncedCount: number; complainedCount: number; unsubscribedCount: number; failedCount: number; capturedCount: number; processedCount: number; projectId: string; sentAt: string | null; createdAt: string; updatedAt: string };
export type CampaignPatch = { name?: string; description?: string | null; preheader?: string | null; fromName?: string | null; replyTo?: string | null; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS" | null; subject?: string | null; body?: string | null; from?: string | null; audienceType?: "ALL" | "SEGMENT" | "FILTERED"; segmentId?: string | null; audienceCondition?: Condition | null; templateId?: string | null };
export type CampaignStats = { totalRecipients: number; sentCount: number; deliveredCount: number; openedCount: number; clickedCount: number; bouncedCount: number; complainedCount: number; unsubscribedCount: number; failedCount: number; capturedCount: number; processedCount: number; openRate: number; clickRate: number; bounceRate: number; deliveryRate: number; complaintRate: number; unsubscribeRate: number };
export type CountedWorkflow = { id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Record<string, unknown> | null; allowReentry: boolean; projectId: string; createdAt: string; updatedAt: string; _count: { steps: number; executions: number; active: number } };
export type WorkflowBody = { name: string; eventName: string; description?: string | null; allowReentry?: boolean };
export type Workflow = { id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Record<string, unknown> | null; allowReentry: boolean; projectId: string; createdAt: string; updatedAt: string };
export type WorkflowFields = { fields: (string)[]; typedFields: ({ field: string; type: "string" | "number" | "boolean" | "date"; category: string })[]; count: number };
export type Transition = { id: string; fromStepId: string; toStepId: string; condition: { branch: string } | null; priority: number };
export type WorkflowGraph = { id: string; name: string; description: string | null; enabled: boolean; triggerType: "EVENT" | "MANUAL" | "SCHEDULE"; triggerConfig: Record<string, unknown> | null; allowReentry: boolean; projectId: string; createdAt: string; updatedAt: string; steps: ({ id: string; workflowId: string; type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT"; name: string; position: { x: number; y: number }; config: Record<string, unknown>; templateId: string | null; template: { id: string; name: string } | null; outgoingTransitions: (Transition)[]; incomingTransitions: (Transition)[] })[] };
export type EventTrigger = { eventName: string };
export type EventTriggerPatch = { name?: string; description?: string | null; enabled?: boolean; allowReentry?: boolean; triggerType: "EVENT"; triggerConfig?: EventTrigger | null };
export type ScheduleTrigger = { schedule: string; segmentId?: string; timezone?: string };
export type ScheduleTriggerPatch = { name?: string; description?: string | null; enabled?: boolean; allowReentry?: boolean; triggerType: "SCHEDULE"; triggerConfig?: ScheduleTrigger | null };
export type ManualTriggerPatch = { name?: string; description?: string | null; enabled?: boolean; allowReentry?: boolean; triggerType: "MANUAL"; triggerConfig?: null };
export type SameTriggerPatch = { name?: string; description?: string | null; enabled?: boolean; allowReentry?: boolean; triggerConfig?: EventTrigger | ScheduleTrigger | null; triggerType?: never };
export type WorkflowPatch = EventTriggerPatch | ScheduleTriggerPatch | ManualTriggerPatch | SameTriggerPatch;
export type GraphStep = { id: string; type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT"; name: string; position: { x: number; y: number }; config: Record<string, unknown>; templateId: string | null };
export type GraphTransition = { from: string; to: string; branch: string | null; priority: number };
export type WorkflowFinding = { level: "error" | "warning"; stepId: string | null; field: string | null; message: string };
export type GraphDocument = { version: string; steps: (GraphStep)[]; transitions: (GraphTransition)[]; findings: (WorkflowFinding)[] };
export type TriggerConfig = Record<string, never>;
export type TriggerGivenStep = { id: string; type: "TRIGGER"; name: string; position?: { x: number; y: number } | null; config?: TriggerConfig; templateId?: string | null };
export type SendEmailConfig = { recipient?: { type: "CONTACT" } | { type: "CUSTOM"; customEmail: string } };
export type SendEmailGivenStep = { id: string; type: "SEND_EMAIL"; name: string; position?: { x: number; y: number } | null; config?: SendEmailConfig; templateId?: string | null };
export type DelayConfig = { amount: number; unit: "minutes" | "hours" | "days" | "weeks" } | { until: string };
export type DelayGivenStep = { id: string; type: "DELAY"; name: string; position?: { x: number; y: number } | null; config: DelayConfig; templateId?: string | null };
export type WaitForEventConfig = { eventName: string; timeout?: number };
export type WaitForEventGivenStep = { id: string; type: "WAIT_FOR_EVENT"; name: string; position?: { x: number; y: number } | null; config: WaitForEventConfig; templateId?: string | null };
export type ConditionConfig = { field: string; operator: string; value?: unknown; unit?: string; count?: number; campaignId?: string; templateId?: string } | { condition: Condition } | { mode: "multi"; field: string; branches: ({ id: string; name: string; operator: string; value?: unknown; unit?: string; count?: number; campaignId?: string; templateId?: string })[] };
export type ConditionGivenStep = { id: string; type: "CONDITION"; name: string; position?: { x: number; y: number } | null; config: ConditionConfig; templateId?: string | null };
export type WebhookConfig = { url: string; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"; headers?: Record<string, string>; body?: unknown };
export type WebhookGivenStep = { id: string; type: "WEBHOOK"; name: string; position?: { x: number; y: number } | null; config: WebhookConfig; templateId?: string | null };
export type UpdateContactConfig = { updates?: Record<string, unknown>; subscriptionAction?: "none" | "subscribe" | "unsubscribe" };
export type UpdateContactGivenStep = { id: string; type: "UPDATE_CONTACT"; name: string; position?: { x: number; y: number } | null; config?: UpdateContactConfig; templateId?: string | null };
export type ExitConfig = { reason?: string };
export type ExitGivenStep = { id: string; type: "EXIT"; name: string; position?: { x: number; y: number } | null; config?: ExitConfig; templateId?: string | null };
export type GivenTransition = { from: string; to: string; branch?: string | null; priority?: number | null };
export type GraphBody = { version: string; steps: (TriggerGivenStep | SendEmailGivenStep | DelayGivenStep | WaitForEventGivenStep | ConditionGivenStep | WebhookGivenStep | UpdateContactGivenStep | ExitGivenStep)[]; transitions: (GivenTransition)[] };
export type GraphCheckBody = { version?: string; steps: (TriggerGivenStep | SendEmailGivenStep | DelayGivenStep | WaitForEventGivenStep | ConditionGivenStep | WebhookGivenStep | UpdateContactGivenStep | ExitGivenStep)[]; transitions: (GivenTransition)[] };
export type GraphFault = { stepId: string | null; transition: number | null; field: string | null; message: string; prevents: "saving" | "enabling" };
export type GraphWarning = { stepId: string | null; transition: number | null; field: string | null; message: string };
export type GraphCheck = { valid: boolean; faults: (GraphFault)[]; warnings: (GraphWarning)[] };
export type TransitionStatistics = { to: string; branch: string | null; passed: number; share: number };
export type StepStatistics = { stepId: string; waiting: number; entered: number; passed: number; failed: number; conversion: number; transitions: (TransitionStatistics)[] };
export type SendEmailStep = { type: "SEND_EMAIL"; name: string; position?: { x: number; y: number } | null; config?: SendEmailConfig; templateId: string; autoConnect?: boolean | null };
export type DelayStep = { type: "DELAY"; name: string; position?: { x: number; y: number } | null; config: DelayConfig; templateId?: string | null; autoConnect?: boolean | null };
export type WaitForEventStep = { type: "WAIT_FOR_EVENT"; name: string; position?: { x: number; y: number } | null; config: WaitForEventConfig; templateId?: string | null; autoConnect?: boolean | null };
export type ConditionStep = { type: "CONDITION"; name: string; position?: { x: number; y: number } | null; config: ConditionConfig; templateId?: string | null; autoConnect?: boolean | null };
export type WebhookStep = { type: "WEBHOOK"; name: string; position?: { x: number; y: number } | null; config: WebhookConfig; templateId?: string | null; autoConnect?: boolean | null };
export type UpdateContactStep = { type: "UPDATE_CONTACT"; name: string; position?: { x: number; y: number } | null; config?: UpdateContactConfig; templateId?: string | null; autoConnect?: boolean | null };
export type ExitStep = { type: "EXIT"; name: string; position?: { x: number; y: number } | null; config?: ExitConfig; templateId?: string | null; autoConnect?: boolean | null };
export type Step = { id: string; workflowId: string; type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT"; name: string; position: { x: number; y: number }; config: Record<string, unknown>; templateId: string | null };
export type StepPatch = { name?: string | null; position?: { x: number; y: number } | null; type?: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT" | null; config?: TriggerConfig | SendEmailConfig | DelayConfig | WaitForEventConfig | ConditionConfig | WebhookConfig | UpdateContactConfig | ExitConfig; templateId?: string | null };
export type TransitionBody = { fromStepId: string; toStepId: string; condition?: { branch?: string | null } | null; branch?: string | null; priority?: number | null };
export type SendEmailInsertedStep = { type: "SEND_EMAIL"; name: string; position?: { x: number; y: number } | null; config?: SendEmailConfig; templateId: string };
export type DelayInsertedStep = { type: "DELAY"; name: string; position?: { x: number; y: number } | null; config: DelayConfig; templateId?: string | null };
export type WaitForEventInsertedStep = { type: "WAIT_FOR_EVENT"; name: string; position?: { x: number; y: number } | null; config: WaitForEventConfig; templateId?: string | null };
export type ConditionInsertedStep = { type: "CONDITION"; name: string; position?: { x: number; y: number } | null; config: ConditionConfig; templateId?: string | null };
export type WebhookInsertedStep = { type: "WEBHOOK"; name: string; position?: { x: number; y: number } | null; config: WebhookConfig; templateId?: string | null };
export type UpdateContactInsertedStep = { type: "UPDATE_CONTACT"; name: string; position?: { x: number; y: number } | null; config?: UpdateContactConfig; templateId?: string | null };
export type ExitInsertedStep = { type: "EXIT"; name: string; position?: { x: number; y: number } | null; config?: ExitConfig; templateId?: string | null };
export type ListedWorkflowVersion = { version: number; createdAt: string; createdBy: string | null; steps: number; activeExecutions: number };
export type WorkflowVersion = { version: number; createdAt: string; createdBy: string | null; steps: (GraphStep)[]; transitions: (GraphTransition)[] };
export type StartExecutionBody = { contactId: string; context?: Record<string, unknown> | null };
export type Execution = { id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Record<string, unknown>; startedAt: string; completedAt: string | null };
export type StepName = { id: string; name: string; type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT" } | null;
export type ListedExecution = { id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Record<string, unknown>; startedAt: string; completedAt: string | null; contact: { id: string; email: string } | null; currentStep: StepName };
export type ExecutionWithHistory = { id: string; workflowId: string; contactId: string | null; status: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; currentStepId: string | null; exitReason: string | null; context: Record<string, unknown>; startedAt: string; completedAt: string | null; contact: { id: string; email: string } | null; currentStep: StepName; workflow: { id: string; name: string }; stepExecutions: ({ id: string; executionId: string; stepId: string; step: StepName; status: "PENDING" | "WAITING" | "RUNNING" | "COMPLETED" | "FAILED"; output: unknown; error: string | null; startedAt: string; completedAt: string | null })[] };
export type ExecutionGraphStep = { id: string; type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT"; name: string; position: { x: number; y: number } | null; config: Record<string, unknown>; templateId: string | null };
export type ExecutionGraphTransition = { from: string; to: string; branch: string | null };
export type ExecutionGraph = { version: number | null; steps: (ExecutionGraphStep)[]; transitions: (ExecutionGraphTransition)[] };
export type TrialBody = { contactId?: string | null; data?: Record<string, unknown> | null; eventData?: Record<string, unknown> | null; waits?: "event" | "timeout" | null };
export type WorkflowTrial = { path: ({ stepId: string; name: string; type: "TRIGGER" | "SEND_EMAIL" | "DELAY" | "WAIT_FOR_EVENT" | "CONDITION" | "WEBHOOK" | "UPDATE_CONTACT" | "EXIT"; at: string; branch: string | null; output: unknown; error: string | null })[]; status: "COMPLETED" | "EXITED" | "FAILED" | "RUNNING"; exitReason: string | null };
export type TrackAsMemberBody = { email: string; event: string; subscribed?: boolean; data?: Record<string, unknown> };
export type BareEventBody = { name: string; contactId?: string | null; emailId?: string | null; data?: Record<string, unknown>; email?: never; event?: never };
export type TrackAnyBody = TrackAsMemberBody | BareEventBody;
export type Event = { id: string; name: string; data: Record<string, unknown>; contactId: string | null; emailId: string | null; projectId: string; createdAt: string };
export type ListedEvent = { id: string; name: string; data: Record<string, unknown>; contactId: string | null; emailId: string | null; projectId: string; createdAt: string; contact: { id: string; email: string } | null };
export type EventCount = { name: string; count: number };
export type EventCountsOfName = { name: string; total: number; counts: (number)[]; lastSeenAt: string | null };
export type EventCountsByDay = { dates: (string)[]; events: (EventCountsOfName)[] };
export type EventUsage = { usedInSegments: ({ id: string; name: string })[]; usedInCampaigns: ({ id: string; name: string })[]; usedInWorkflows: ({ id: string; name: string })[]; totalCount: number; uniqueContacts: number; canDelete: boolean };
export type DnsRecord = { type: "TXT" | "MX"; name: string; value: string; priority?: number; purpose: "DKIM" | "SPF" | "RETURN_PATH" | "DMARC"; required: boolean; status: "PENDING" | "VERIFIED" | "MISSING" | "MISMATCH"; found: (string)[]; reason: string | null };
export type Domain = { id: string; domain: string; verified: boolean; status: "PENDING" | "VERIFIED" | "FAILED"; dkimTokens: (string)[]; records: (DnsRecord)[]; lastCheckedAt: string | null; projectId: string; createdAt: string; updatedAt: string };
export type DomainBody = { domain: string; projectId?: string };
export type DomainCheck = { domain: string; verified: boolean; status: "PENDING" | "VERIFIED" | "FAILED"; records: (DnsRecord)[] };
export type RekeyBody = { domain: string };
export type RekeyedDomain = { id: string; domain: string; verified: boolean; status: "PENDING" | "VERIFIED" | "FAILED"; dkimTokens: (string)[]; records: (DnsRecord)[]; lastCheckedAt: string | null; projectId: string; createdAt: string; updatedAt: string; changed: boolean };
export type TransportWarmup = { planId: string; since: string; day: number; limitToday: number | null } | null;
export type TransportFeedback = { provider: "postmark" | "mailgun" | "sendgrid" | "resend" | "brevo" | "mailjet" | "arf"; url: string; hasSecret: boolean } | null;
export type Transport = { id: string; name: string; kind: "SMTP" | "DIRECT" | "CAPTURE"; url: string | null; heloName: string | null; bindAddresses: (string)[] | null; priority: number; weight: number; ratePerSecond: number | null; perDay: number | null; connections: number | null; warmup: TransportWarmup; state: "HEALTHY" | "SLOW" | "PAUSED" | "HELD" | "OUT_OF_QUOTA"; stateReason: string | null; stateUntil: string | null; sentToday: number | null; feedback: TransportFeedback; createdAt: string; updatedAt: string };
export type SharedTransport = { id: string; name: string; kind: "SMTP" | "DIRECT" | "CAPTURE"; state: "HEALTHY" | "SLOW" | "PAUSED" | "HELD" | "OUT_OF_QUOTA" | null; inUse: boolean };
export type TransportList = { transports: (Transport)[]; installation: (SharedTransport)[]; directAddresses: (string)[] | null };
export type TransportBody = { name: string; kind: "SMTP" | "DIRECT" | "CAPTURE"; heloName?: string; bindAddresses?: (string)[] | null; url?: string; priority?: number; weight?: number; ratePerSecond?: number | null; perDay?: number | null; connections?: number | null; warmup?: { planId: string; since?: string } | null; feedbackSecret?: string | null };
export type PatchTransportBody = { name?: string; url?: string; kind?: "SMTP" | "DIRECT" | "CAPTURE"; heloName?: string; bindAddresses?: (string)[] | null; priority?: number; weight?: number; ratePerSecond?: number | null; perDay?: number | null; connections?: number | null; warmup?: { planId: string; since?: string } | null; feedbackSecret?: string | null; paused?: boolean; pauseReason?: string };
export type TestTransportBody = { to?: string; from?: string };
export type TransportTest = { success: boolean; failedAt: "CONNECT" | "TLS" | "LOGIN" | "MAIL" | null; response: string; isEncrypted: boolean | null; from: string; to: string; tookMs: number };
export type RoutedTransport = { id: string; priority?: number; weight?: number };
export type ShownRouteRule = { type?: "TRANSACTIONAL" | "MARKETING"; senderDomains?: (string)[]; providers?: (string)[]; transports: (RoutedTransport)[]; whenFull: "NEXT" | "WAIT" };
export type Routes = { rules: (ShownRouteRule)[]; editedBy: string | null; updatedAt: string | null };
export type RouteRule = { type?: "TRANSACTIONAL" | "MARKETING"; senderDomains?: (string)[]; providers?: (string)[]; transports: (RoutedTransport)[]; whenFull?: "NEXT" | "WAIT" };
export type RoutesBody = { rules: (RouteRule)[] };
export type TestRoutesBody = { type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; from: string; to: string };
export type RoutesTest = { provider: string; rule: number | null; owner: "PROJECT" | "INSTALLATION" | null; whenFull: "NEXT" | "WAIT"; transports: ({ id: string; name: string; kind: "SMTP" | "DIRECT" | "CAPTURE"; owner: "PROJECT" | "INSTALLATION"; priority: number; share: number; state: "HEALTHY" | "SLOW" | "PAUSED" | "HELD" | "OUT_OF_QUOTA" | null })[] };
export type WarmupPlan = { id: string; name: string; dailyLimits: (number)[]; createdAt: string; updatedAt: string };
export type WarmupPlanList = { plans: (WarmupPlan)[] };
export type WarmupPlanBody = { name: string; dailyLimits: (number)[] };
export type PatchWarmupPlanBody = { name?: string; dailyLimits?: (number)[] };
export type MoveFile = { id: string; name: string; bytes: number };
export type MoveTally = { created: number; existing: number };
export type MoveCounts = { contacts: { read: number; created: number; changed: number; unsubscribed: number; refused: number }; suppressions: number; segments: MoveTally; templates: MoveTally; campaigns: MoveTally; workflows: MoveTally } | null;
export type Move = { id: string; from: "plunk" | "postrider" | "listmonk" | "mailchimp" | "brevo" | "sendgrid"; state: "UPLOADING" | "CHECKING" | "READY" | "RUNNING" | "DONE" | "FAILED" | "CANCELLED"; url: string | null; sender: string | null; as: "blocked" | "complained" | "bounced" | "unsubscribed" | "subscribed" | null; files: (MoveFile)[]; step: "lists" | "suppressions" | "contacts" | "members" | "segments" | "templates" | "campaigns" | "workflows" | null; isWaiting: boolean; found: MoveCounts; moved: MoveCounts; leftOutTotal: number; failedReason: string | null; createdBy: string; createdAt: string; startedAt: string | null; finishedAt: string | null };
export type MoveBody = { from: "plunk" | "postrider" | "listmonk" | "mailchimp" | "brevo" | "sendgrid"; url?: string; key?: string; user?: string; password?: string; sender?: string };
export type MoveLeftOut = { position: number; what: string; why: string };
export type CheckMoveBody = { as?: "blocked" | "complained" | "bounced" | "unsubscribed" | "subscribed" };
export type RescheduleBody = { sendAt: string };
export type EmailContent = { subject: string | null; html: string | null; text: string | null; headers: Record<string, never>; attachments: ({ filename: string; contentType: string; disposition: string; size: number })[]; removedAt: string | null };
export type EmailEvent = { id: string; name: string; data: unknown; bot: boolean; createdAt: string };
export type Suppression = { id: string; email: string; reason: "BOUNCE" | "COMPLAINT" | "MANUAL"; projectId: string; createdAt: string };
export type SuppressOneBody = { email: string; reason?: "BOUNCE" | "COMPLAINT" | "MANUAL" };
export type SuppressListBody = { emails: (string)[]; reason?: "BOUNCE" | "COMPLAINT" | "MANUAL" };
export type SuppressBody = SuppressOneBody | SuppressListBody;
export type UnsuppressBody = { email: string };
export type SuppressionImport = { added: number; existing: number; invalid: number; errors: ({ row: number; email: string; error: string })[] };
export type MailsOfDay = { date: string; hour?: string; emails: number; delivered: number; opens: number; clicks: number; bounces: number; complaints: number; machineOpens: number };
export type MailsOfTag = { name: string; value: string; emails: number; delivered: number; opens: number; clicks: number; bounces: number; complaints: number };
export type ContactsOfDay = { date: string; created: number; deleted: number; subscribed: number; unsubscribed: number; bounced: number; complained: number; total: number };
export type RankedCampaign = { id: string; name: string; subject: string; sentCount: number; openedCount: number; clickedCount: number; openRate: number; clickRate: number };
export type CampaignTotals = { total: number; active: number; completed: number; averageOpenRate: number; averageClickRate: number };
export type RankedEvent = { name: string; count: number; previousCount: number; trend: number };
export type TimeToAcceptance = { p50: number; p95: number } | null;
export type DeliverabilityFigures = { mails: number; accepted: number; deferred: number; bounced: number; refused: number; complained: number; bounceRate: number; deferralRate: number; complaintRate: number; tlsRate: number | null; timeToAcceptance: TimeToAcceptance };
export type DeliverabilityGroup = { key: string; name: string; mails: number; accepted: number; deferred: number; bounced: number; refused: number; complained: number; bounceRate: number; deferralRate: number; complaintRate: number; tlsRate: number | null; timeToAcceptance: TimeToAcceptance };
export type DeliverabilityPoint = { at: string; mails: number; accepted: number; deferred: number; bounced: number; refused: number; complained: number; bounceRate: number; deferralRate: number; complaintRate: number; tlsRate: number | null; timeToAcceptance: TimeToAcceptance };
export type Deliverability = { from: string; until: string; total: DeliverabilityFigures; groups: (DeliverabilityGroup)[]; series: (DeliverabilityPoint)[] };
export type DeliverabilityAlert = { id: string; kind: "BOUNCES" | "COMPLAINTS" | "DEFERRALS"; domain: string; provider: string | null; count: number; total: number; rate: number; level: number; openedAt: string; closedAt: string | null };
export type BusiestDay = { provider: "google" | "yahoo" | "microsoft"; date: string; mails: number } | null;
export type SenderRule = { rule: "SPF" | "DKIM" | "DMARC" | "ALIGNMENT" | "ONE_CLICK_UNSUBSCRIBE" | "TLS" | "REVERSE_DNS" | "COMPLAINT_RATE"; providers: ("google" | "yahoo" | "microsoft")[]; askedOf: "ALL" | "BULK"; state: "OK" | "WARNING" | "FAILED" | "UNKNOWN"; detail: string; advice: string | null };
export type SenderRules = { domain: string; busiestDay: BusiestDay; isBulkSender: boolean; rules: (SenderRule)[] };
export type Activity = { id: string; type: "event.triggered" | "email.sent" | "email.delivered" | "email.received" | "email.opened" | "email.clicked" | "email.bounced" | "email.complaint" | "contact.subscribed" | "contact.unsubscribed" | "campaign.sent" | "campaign.scheduled" | "workflow.started" | "workflow.completed"; timestamp: string; contactEmail?: string; contactId?: string; metadata: Record<string, unknown> };
export type ActivityTotals = { totalEvents: number; totalEmailsSent: number; totalEmailsOpened: number; totalEmailsClicked: number; totalWorkflowsStarted: number; openRate: number; clickRate: number };
export type UpcomingActivity = { id: string; type: "campaign.scheduled" | "workflow.waiting"; timestamp: string; contactEmail?: string; contactId?: string; metadata: Record<string, unknown> };
export type LoggedRequest = { id: string; requestId: string; createdAt: string; method: string; path: string; route: string; status: number; code: string | null; message: string | null; durationMs: number; key: { kind: "secret" | "public"; id: string | null; name: string | null; hint: string } | null; user: { id: string; email: string | null } | null; userAgent: string | null; leftOut: string | number };
export type RequestDetails = { id: string; requestId: string; createdAt: string; method: string; path: string; route: string; status: number; code: string | null; message: string | null; durationMs: number; key: { kind: "secret" | "public"; id: string | null; name: string | null; hint: string } | null; user: { id: string; email: string | null } | null; userAgent: string | null; leftOut: string | number; errors: ({ field: string; code: string; message: string })[] | null; body: string | null };
export type SearchResult = { contacts: ({ id: string; email: string; subscribed: boolean })[]; templates: ({ id: string; name: string; type: string })[]; campaigns: ({ id: string; name: string; status: string })[]; segments: ({ id: string; name: string; type: string })[]; workflows: ({ id: string; name: string; enabled: boolean })[]; events: ({ name: string; count: number })[]; incomplete: ("contacts" | "names" | "events")[] };
export type Sandbox = { id: string; public: string; secretHint: string; createdAt: string } | null;
export type ReputationRates = { total: number; bounces: number; complaints: number; bounceRate: number; complaintRate: number };
export type ReputationThreshold = { warning: number; critical: number };
export type Reputation = { status: { sevenDay: ReputationRates; allTime: ReputationRates; isHealthy: boolean; violations: (string)[]; warnings: (string)[] }; levels: { minimumMails: number; bounceRate: ReputationThreshold; complaintRate: ReputationThreshold }; isDisabled: boolean; suspensions: ({ at: string; reason: string | null; liftedAt: string | null })[] };
export type ProjectDetails = { id: string; name: string; public: string; secretHint: string; tracking: "ENABLED" | "DISABLED" | "MARKETING_ONLY"; language: string; timezone: string; resendInDoubt: ("TRANSACTIONAL" | "WORKFLOW" | "CAMPAIGN")[]; sendRate: number | null; postalAddress: string | null; requiresTwoFactor: boolean; disabled: boolean; disabledReason: string | null; createdAt: string; updatedAt: string; role: "MEMBER" | "ADMIN" | "OWNER" | null; sandboxOf: string | null; sandbox: Sandbox; webhookSecretHint: string | null };
export type SetupState = { hasVerifiedDomain: boolean; contactCount: number; hasTemplate: boolean; hasMail: boolean; lastCampaignSentAt: string | null; hasEnabledWorkflow: boolean; hasSubscription: boolean };
export type Member = { userId: string; email: string; role: "MEMBER" | "ADMIN" | "OWNER"; status: "ACTIVE" | "INVITED" };
export type AuditLine = { id: string; at: string; actor: { kind: "USER" | "KEY" | "OPERATOR" | "SERVICE"; userId: string | null; name: string | null }; action: string; subject: string | null; details: Record<string, unknown> };
export type Image = { url: string; key: string; contentType: string; size: number; createdAt: string };
export type ImageUse = { noun: "template" | "campaign"; id: string; name: string };
export type UploadedImage = { url: string; key: string; filename: string; contentType: string; size: number };
export type WebhookEndpoint = { id: string; url: string; description: string; events: ("*" | "email.*" | "contact.*" | "segment.*" | "campaign.*" | "domain.*" | "deliverability.*" | "workflow.*" | "event.*" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complaint" | "email.received" | "contact.created" | "contact.updated" | "contact.subscribed" | "contact.unsubscribed" | "segment.entry" | "segment.exit" | "campaign.sent" | "domain.verified" | "domain.failed" | "deliverability.alert_opened" | "deliverability.alert_closed" | "workflow.started" | "workflow.completed" | "workflow.failed" | "event.tracked")[]; eventNames: (string)[] | null; enabled: boolean; pausedAt: string | null; pauseReason: "USER" | "FAILING" | "GONE" | null; failingSince: string | null; retryAt: string | null; pending: number; delivered: number; failed: number; secretHint: string | null; previousSecretUntil: string | null; createdBy: string; createdAt: string; updatedAt: string };
export type CreateWebhookBody = { url: string; description?: string; events: ("*" | "email.*" | "contact.*" | "segment.*" | "campaign.*" | "domain.*" | "deliverability.*" | "workflow.*" | "event.*" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complaint" | "email.received" | "contact.created" | "contact.updated" | "contact.subscribed" | "contact.unsubscribed" | "segment.entry" | "segment.exit" | "campaign.sent" | "domain.verified" | "domain.failed" | "deliverability.alert_opened" | "deliverability.alert_closed" | "workflow.started" | "workflow.completed" | "workflow.failed" | "event.tracked")[]; eventNames?: (string)[] | null; enabled?: boolean };
export type NewWebhookEndpoint = { id: string; url: string; description: string; events: ("*" | "email.*" | "contact.*" | "segment.*" | "campaign.*" | "domain.*" | "deliverability.*" | "workflow.*" | "event.*" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complaint" | "email.received" | "contact.created" | "contact.updated" | "contact.subscribed" | "contact.unsubscribed" | "segment.entry" | "segment.exit" | "campaign.sent" | "domain.verified" | "domain.failed" | "deliverability.alert_opened" | "deliverability.alert_closed" | "workflow.started" | "workflow.completed" | "workflow.failed" | "event.tracked")[]; eventNames: (string)[] | null; enabled: boolean; pausedAt: string | null; pauseReason: "USER" | "FAILING" | "GONE" | null; failingSince: string | null; retryAt: string | null; pending: number; delivered: number; failed: number; secretHint: string | null; previousSecretUntil: string | null; createdBy: string; createdAt: string; updatedAt: string; secret: string };
export type PatchWebhookBody = { url?: string; description?: string; events?: ("*" | "email.*" | "contact.*" | "segment.*" | "campaign.*" | "domain.*" | "deliverability.*" | "workflow.*" | "event.*" | "email.sent" | "email.delivered" | "email.opened" | "email.clicked" | "email.bounced" | "email.complaint" | "email.received" | "contact.created" | "contact.updated" | "contact.subscribed" | "contact.unsubscribed" | "segment.entry" | "segment.exit" | "campaign.sent" | "domain.verified" | "domain.failed" | "deliverability.alert_opened" | "deliverability.alert_closed" | "workflow.started" | "workflow.completed" | "workflow.failed" | "event.tracked")[]; eventNames?: (string)[] | null; enabled?: boolean };
export type EndpointSecret = { secret: string; previousUntil: string | null };
export type WebhookDelivery = { id: string; type: string; eventName: string | null; status: "PENDING" | "DELIVERED" | "FAILED"; attempts: number; nextAttemptAt: string | null; createdAt: string; lastAttempt: { at: string; ms: number; status: number | null; error: string | null } | null };
export type WebhookDeliveryDetails = { id: string; type: string; eventName: string | null; status: "PENDING" | "DELIVERED" | "FAILED"; attempts: number; nextAttemptAt: string | null; createdAt: string; lastAttempt: { at: string; ms: number; status: number | null; error: string | null } | null; tries: ({ at: string; ms: number; status: number | null; error: string | null })[]; requestBody: string | null; response: { status: number; headers: Record<string, never>; body: unknown; truncated?: boolean } | null };
export type ReplayBody = { status?: "DELIVERED" | "FAILED"; startDate?: string; endDate?: string };
export type Replayed = { replayed: number; hasMore: boolean };
export type ListedInboxMail = { id: string; projectId: string | null; emailId: string | null; from: string; to: string; subject: string; capturedAt: string; readAt: string | null };
export type InboxMail = { id: string; projectId: string | null; emailId: string | null; from: string; to: string; subject: string; capturedAt: string; readAt: string | null; headers: ({ name: string; value: string })[]; hasHtml: boolean; html: string | null; text: string | null; attachments: ({ index: number; filename: string; contentType: string; sizeBytes: number; inline: boolean })[] };
export interface Api {
  "POST /v1/send": { body: SendBody; answer: SentEmails };
  "POST /v1/send/batch": { body: SendBatchBody; answer: SentBatch };
  "POST /v1/track": { body: TrackBody; answer: TrackedEvent };
  "POST /v1/verify": { body: { email: string }; answer: Verification };
  "GET /contacts": { query?: { limit?: number; cursor?: string; search?: string; subscribed?: "true" | "false"; segmentId?: string; condition?: string; field?: string; value?: string; sort?: "createdAt" | "updatedAt" | "email" | "lastActivity"; dir?: "asc" | "desc"; anchor?: string }; answer: { data: (ListedContact)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean; startCursor: string | null } };
  "POST /contacts": { body: ContactBody; answer: SavedContact };
  "GET /contacts/export": { query?: { search?: string; subscribed?: "true" | "false"; segmentId?: string; condition?: string; field?: string; value?: string; format?: "csv" | "ndjson" }; answer: unknown };
  "GET /contacts/export/{id}": { path: { id: string }; answer: unknown };
  "POST /contacts/lookup": { body: { emails: (string)[] }; answer: { found: (string)[]; notFound: (string)[] } };
  "GET /contacts/{id}": { path: { id: string }; query?: { include?: string }; answer: WholeContact };
  "PATCH /contacts/{id}": { path: { id: string }; body: { email?: string; subscribed?: boolean; data?: Record<string, unknown> | null }; answer: Contact };
  "DELETE /contacts/{id}": { path: { id: string }; answer: undefined };
  "GET /contacts/fields": { answer: { fields: (ContactField)[]; count: number } };
  "GET /contacts/fields/{field}/values": { path: { field: string }; query?: { limit?: number; search?: string }; answer: { field: string; values: (unknown)[]; estimated: boolean; count: number; limit: number } };
  "GET /contacts/fields/{field}/usage": { path: { field: string }; answer: { usedInSegments: ({ id: string; name: string })[]; usedInCampaigns: ({ id: string; name: string })[]; usedInWorkflows: ({ id: string; name: string })[]; contactCount: number; canDelete: boolean } };
  "DELETE /contacts/fields/{field}": { path: { field: string }; answer: { deletedFrom: number } };
  "POST /contacts/import": { query?: { dryRun?: "true" | "false" }; body: FormData; answer: QueuedJob };
  "GET /contacts/import/{jobId}": { path: { jobId: string }; answer: ImportReport };
  "POST /contacts/imports": { query?: { dryRun?: "true" | "false"; subscribed?: "true" | "false"; fileName?: string; mapping?: string }; body: Blob; answer: QueuedJob };
  "GET /contacts/imports": { query?: { limit?: number; cursor?: string }; answer: { data: (ListedContactImport)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean } };
  "GET /contacts/imports/presets": { answer: { presets: (ImportPreset)[] } };
  "GET /contacts/imports/{jobId}": { path: { jobId: string }; answer: ContactImport };
  "POST /contacts/imports/{jobId}/cancel": { path: { jobId: string }; answer: ContactImport };
  "POST /contacts/imports/{jobId}/undo": { path: { jobId: string }; answer: ContactImport };
  "POST /contacts/bulk-subscribe": { body: BulkBody; answer: QueuedJob };
  "POST /contacts/bulk-unsubscribe": { body: BulkBody; answer: QueuedJob };
  "POST /contacts/bulk-delete": { body: BulkBody; answer: QueuedJob };
  "POST /contacts/bulk-add-to-segment": { body: BulkSegmentBody; answer: QueuedJob };
  "POST /contacts/bulk-remove-from-segment": { body: BulkSegmentBody; answer: QueuedJob };
  "GET /contacts/bulk/{jobId}": { path: { jobId: string }; answer: BulkReport };
  "GET /segments": { answer: (Segment)[] };
  "POST /segments": { body: SegmentBody; answer: Segment };
  "GET /segments/operators": { answer: OperatorCatalogue };
  "POST /segments/preview": { body: SegmentPreviewBody; answer: SegmentPreview };
  "GET /segments/{id}": { path: { id: string }; answer: Segment };
  "PATCH /segments/{id}": { path: { id: string }; body: SegmentPatch; answer: Segment };
  "DELETE /segments/{id}": { path: { id: string }; answer: undefined };
  "POST /segments/{id}/members": { path: { id: string }; body: { emails: (string)[]; createMissing?: boolean; subscribed?: boolean }; answer: { added: number; created: number; notFound: (string)[] } };
  "DELETE /segments/{id}/members": { path: { id: string }; body: { emails: (string)[] }; answer: { removed: number } };
  "POST /segments/{id}/compute": { path: { id: string }; answer: { added: number; removed: number; total: number } };
  "POST /segments/{id}/refresh": { path: { id: string }; answer: { memberCount: number } };
  "GET /segments/sizes": { query?: { startDate?: string; endDate?: string }; answer: SegmentSizes };
  "GET /segments/{id}/contacts": { path: { id: string }; query?: { page?: number; pageSize?: number; limit?: number; search?: string; cursor?: string }; answer: { data: (Contact)[]; page: number; pageSize: number; total: number; estimated?: boolean; totalPages: number; cursor: string | null; hasMore: boolean } };
  "GET /segments/{id}/explain": { path: { id: string }; query: { contactId: string }; answer: SegmentExplanation };
  "GET /segments/{id}/history": { path: { id: string }; query?: { startDate?: string; endDate?: string }; answer: (SegmentSize)[] };
  "GET /segments/{id}/usage": { path: { id: string }; answer: SegmentUsage };
  "GET /templates": { query?: { page?: number; pageSize?: number; limit?: number; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; search?: string; ids?: string; cursor?: string; fields?: string; sort?: "createdAt" | "name" | "updatedAt"; dir?: "asc" | "desc" }; answer: { data: (ListedTemplate)[]; page: number; pageSize: number; total: number; estimated?: boolean; totalPages: number; cursor: string | null } };
  "POST /templates": { body: TemplateBody; answer: Template };
  "POST /templates/preview": { body: UnsavedPreviewBody; answer: UnsavedPreview };
  "GET /templates/{id}": { path: { id: string }; answer: Template };
  "PATCH /templates/{id}": { path: { id: string }; body: TemplatePatch; answer: Template };
  "DELETE /templates/{id}": { path: { id: string }; answer: undefined };
  "POST /templates/{id}/duplicate": { path: { id: string }; answer: Template };
  "GET /templates/{id}/usage": { path: { id: string }; answer: TemplateUsage };
  "POST /templates/{id}/preview": { path: { id: string }; body?: { data?: Record<string, unknown>; contactId?: string } | null; answer: Preview };
  "GET /templates/{id}/versions": { path: { id: string }; answer: (ListedTemplateVersion)[] };
  "GET /templates/{id}/versions/{version}": { path: { id: string; version: string }; answer: TemplateVersion };
  "POST /templates/{id}/versions/{version}/restore": { path: { id: string; version: string }; answer: Template };
  "POST /campaigns/{id}/check": { path: { id: string }; answer: { checks: (CampaignCheck)[] } };
  "GET /templates/uses": { query: { ids: string }; answer: (TemplateUses)[] };
  "POST /templates/{id}/test": { path: { id: string }; body: { email: string }; answer: { success: true; data: { email: string }; emailId: string; message: string } };
  "POST /campaigns/audience": { body: AudienceBody; answer: CampaignReach };
  "GET /campaigns/{id}/recipients": { path: { id: string }; query?: { limit?: number; cursor?: string; status?: "PENDING" | "SENDING" | "CAPTURED" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED" | "IN_DOUBT"; opened?: "true" | "false"; clicked?: "true" | "false"; unsubscribed?: "true" | "false" }; answer: { data: (Email)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean } };
  "GET /campaigns/{id}/links": { path: { id: string }; answer: (CampaignLink)[] };
  "GET /campaigns/{id}/reasons": { path: { id: string }; answer: (CampaignReason)[] };
  "GET /campaigns/{id}/series": { path: { id: string }; answer: (CampaignHour)[] };
  "GET /campaigns": { query?: { page?: number; pageSize?: number; limit?: number; status?: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; search?: string; fields?: string; sort?: "createdAt" | "name" | "updatedAt"; dir?: "asc" | "desc" }; answer: { data: (ListedCampaign)[]; page: number; pageSize: number; total: number; estimated?: boolean; totalPages: number } };
  "POST /campaigns": { body: CampaignBody; answer: { success: true; data: Campaign; warnings?: (string)[] } };
  "POST /campaigns/preview": { body: UnsavedPreviewBody; answer: UnsavedPreview };
  "GET /campaigns/{id}": { path: { id: string }; answer: Campaign };
  "PUT /campaigns/{id}": { path: { id: string }; body: CampaignBody; answer: Campaign };
  "PATCH /campaigns/{id}": { path: { id: string }; body: CampaignPatch; answer: Campaign };
  "DELETE /campaigns/{id}": { path: { id: string }; answer: undefined };
  "POST /campaigns/{id}/duplicate": { path: { id: string }; answer: { id: string; name: string; description: string | null; subject: string; preheader: string | null; body: string; from: string; fromName: string | null; replyTo: string | null; type: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; audienceType: "ALL" | "SEGMENT" | "FILTERED"; segmentId: string | null; audienceCondition: Condition | null; templateId: string | null; scheduledFor: string | null; totalRecipients: number; sentCount: number; deliveredCount: number; openedCount: number; clickedCount: number; bouncedCount: number; complainedCount: number; unsubscribedCount: number; failedCount: number; capturedCount: number; processedCount: number; projectId: string; sentAt: string | null; createdAt: string; updatedAt: string; warnings?: (string)[] } };
  "GET /campaigns/{id}/stats": { path: { id: string }; answer: CampaignStats };
  "POST /campaigns/{id}/preview": { path: { id: string }; body?: { data?: Record<string, unknown>; contactId?: string } | null; answer: Preview };
  "POST /campaigns/{id}/send": { path: { id: string }; body?: { scheduledFor?: string | null } | null; answer: { success: true; data: { id: string; name: string; status: "DRAFT" | "SCHEDULED" | "SENDING" | "SENT" | "CANCELLED"; scheduledFor: string | null }; message: string } };
  "POST /campaigns/{id}/unschedule": { path: { id: string }; answer: Campaign };
  "POST /campaigns/{id}/cancel": { path: { id: string }; answer: Campaign };
  "POST /campaigns/{id}/test": { path: { id: string }; body: { email: string }; answer: { success: true; data: { email: string }; emailId: string; message: string } };
  "GET /workflows": { query?: { page?: number; pageSize?: number; limit?: number; status?: "active" | "disabled"; search?: string; sort?: "createdAt" | "name" | "updatedAt"; dir?: "asc" | "desc" }; answer: { data: (CountedWorkflow)[]; page: number; pageSize: number; total: number; estimated?: boolean; totalPages: number } };
  "POST /workflows": { body: WorkflowBody; answer: Workflow };
  "GET /workflows/fields": { query?: { eventName?: string }; answer: WorkflowFields };
  "GET /workflows/{id}": { path: { id: string }; answer: WorkflowGraph };
  "PATCH /workflows/{id}": { path: { id: string }; body: WorkflowPatch; answer: Workflow };
  "DELETE /workflows/{id}": { path: { id: string }; answer: undefined };
  "POST /workflows/{id}/duplicate": { path: { id: string }; answer: Workflow };
  "GET /workflows/{id}/graph": { path: { id: string }; answer: GraphDocument };
  "PUT /workflows/{id}/graph": { path: { id: string }; body: GraphBody; answer: GraphDocument };
  "POST /workflows/{id}/graph/check": { path: { id: string }; body?: GraphCheckBody | null; answer: GraphCheck };
  "GET /workflows/{id}/statistics": { path: { id: string }; answer: (StepStatistics)[] };
  "POST /workflows/{id}/steps": { path: { id: string }; body: SendEmailStep | DelayStep | WaitForEventStep | ConditionStep | WebhookStep | UpdateContactStep | ExitStep; answer: Step };
  "PATCH /workflows/{id}/steps/{stepId}": { path: { id: string; stepId: string }; body: StepPatch; answer: Step };
  "DELETE /workflows/{id}/steps/{stepId}": { path: { id: string; stepId: string }; query?: { splice?: "true" | "false" }; answer: undefined };
  "POST /workflows/{id}/transitions": { path: { id: string }; body: TransitionBody; answer: Transition };
  "DELETE /workflows/{id}/transitions/{transitionId}": { path: { id: string; transitionId: string }; answer: undefined };
  "POST /workflows/{id}/transitions/{transitionId}/insert-step": { path: { id: string; transitionId: string }; body: SendEmailInsertedStep | DelayInsertedStep | WaitForEventInsertedStep | ConditionInsertedStep | WebhookInsertedStep | UpdateContactInsertedStep | ExitInsertedStep; answer: Step };
  "GET /workflows/{id}/versions": { path: { id: string }; answer: (ListedWorkflowVersion)[] };
  "GET /workflows/{id}/versions/{version}": { path: { id: string; version: string }; answer: WorkflowVersion };
  "POST /workflows/{id}/versions/{version}/restore": { path: { id: string; version: string }; answer: GraphDocument };
  "POST /workflows/{id}/executions": { path: { id: string }; body: StartExecutionBody; answer: Execution };
  "GET /workflows/{id}/executions": { path: { id: string }; query?: { page?: number; pageSize?: number; limit?: number; status?: "RUNNING" | "WAITING" | "COMPLETED" | "EXITED" | "FAILED" | "CANCELLED"; contactId?: string; stepId?: string; from?: string; until?: string }; answer: { executions: (ListedExecution)[]; data: (ListedExecution)[]; page: number; pageSize: number; total: number; estimated?: boolean; totalPages: number } };
  "GET /workflows/{id}/executions/{executionId}": { path: { id: string; executionId: string }; answer: ExecutionWithHistory };
  "DELETE /workflows/{id}/executions/{executionId}": { path: { id: string; executionId: string }; answer: Execution };
  "GET /workflows/{id}/executions/{executionId}/graph": { path: { id: string; executionId: string }; answer: ExecutionGraph };
  "POST /workflows/{id}/executions/cancel-all": { path: { id: string }; answer: { cancelled: number } };
  "POST /workflows/{id}/test": { path: { id: string }; body: TrialBody; answer: WorkflowTrial };
  "POST /events/track": { body: TrackAnyBody; answer: TrackedEvent | Event };
  "GET /events": { query?: { limit?: number; cursor?: string; eventName?: string }; answer: { events: (ListedEvent)[]; cursor: string | null; hasMore: boolean } };
  "GET /events/stats": { query?: { startDate?: string; endDate?: string }; answer: (EventCount)[] };
  "GET /events/daily": { query?: { startDate?: string; endDate?: string }; answer: EventCountsByDay };
  "GET /events/contact/{contactId}": { path: { contactId: string }; query?: { limit?: number; cursor?: string }; answer: { events: (Event)[]; cursor: string | null; hasMore: boolean } };
  "GET /events/names": { answer: { eventNames: (string)[] } };
  "GET /events/{eventName}/usage": { path: { eventName: string }; answer: EventUsage };
  "DELETE /events/{eventName}": { path: { eventName: string }; answer: { deletedCount: number } };
  "GET /domains/project/{projectId}": { path: { projectId: string }; answer: (Domain)[] };
  "POST /domains": { body: DomainBody; answer: Domain };
  "GET /domains/{id}": { path: { id: string }; answer: Domain };
  "DELETE /domains/{id}": { path: { id: string }; answer: undefined };
  "GET /domains/{id}/verify": { path: { id: string }; answer: DomainCheck };
  "POST /domains/rekey": { body: RekeyBody; answer: RekeyedDomain };
  "GET /transports": { answer: TransportList };
  "POST /transports": { body: TransportBody; answer: Transport };
  "GET /transports/{id}": { path: { id: string }; answer: Transport };
  "PATCH /transports/{id}": { path: { id: string }; body: PatchTransportBody; answer: Transport };
  "DELETE /transports/{id}": { path: { id: string }; answer: undefined };
  "POST /transports/{id}/test": { path: { id: string }; body: TestTransportBody; answer: TransportTest };
  "GET /routes": { answer: Routes };
  "PUT /routes": { body: RoutesBody; answer: Routes };
  "POST /routes/test": { body: TestRoutesBody; answer: RoutesTest };
  "GET /warmup-plans": { answer: WarmupPlanList };
  "POST /warmup-plans": { body: WarmupPlanBody; answer: WarmupPlan };
  "PATCH /warmup-plans/{id}": { path: { id: string }; body: PatchWarmupPlanBody; answer: WarmupPlan };
  "DELETE /warmup-plans/{id}": { path: { id: string }; answer: undefined };
  "GET /moves": { query?: { limit?: number; cursor?: string }; answer: { data: (Move)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean } };
  "POST /moves": { body: MoveBody; answer: Move };
  "GET /moves/{id}": { path: { id: string }; answer: Move };
  "GET /moves/{id}/left-out": { path: { id: string }; query?: { limit?: number; cursor?: string }; answer: { data: (MoveLeftOut)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean } };
  "POST /moves/{id}/files": { path: { id: string }; query: { fileName: string }; body: Blob; answer: MoveFile };
  "DELETE /moves/{id}/files/{fileId}": { path: { id: string; fileId: string }; answer: undefined };
  "POST /moves/{id}/check": { path: { id: string }; body: CheckMoveBody; answer: Move };
  "POST /moves/{id}/start": { path: { id: string }; answer: Move };
  "POST /moves/{id}/cancel": { path: { id: string }; answer: Move };
  "GET /emails": { query?: { limit?: number; cursor?: string; to?: string; contactId?: string; parentId?: string; campaignId?: string; templateId?: string; workflowId?: string; sourceType?: "TRANSACTIONAL" | "CAMPAIGN" | "WORKFLOW"; type?: "TRANSACTIONAL" | "MARKETING" | "HEADLESS"; status?: "PENDING" | "SENDING" | "CAPTURED" | "SENT" | "DELIVERED" | "OPENED" | "CLICKED" | "BOUNCED" | "COMPLAINED" | "FAILED" | "SUPPRESSED" | "IN_DOUBT"; tag?: string; search?: string; from?: string; until?: string; sort?: "queuedAt"; dir?: "asc" | "desc" }; answer: { data: (Email)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean } };
  "GET /emails/{id}": { path: { id: string }; answer: Email };
  "PATCH /emails/{id}": { path: { id: string }; body: RescheduleBody; answer: Email };
  "GET /emails/{id}/content": { path: { id: string }; answer: EmailContent };
  "GET /emails/{id}/events": { path: { id: string }; answer: (EmailEvent)[] };
  "POST /emails/{id}/cancel": { path: { id: string }; answer: Email };
  "POST /emails/{id}/resend": { path: { id: string }; answer: Email };
  "GET /emails/{id}/attachments/{index}": { path: { id: string; index: string }; answer: unknown };
  "GET /suppressions": { query?: { limit?: number; cursor?: string; search?: string; reason?: "BOUNCE" | "COMPLAINT" | "MANUAL"; sort?: "createdAt"; dir?: "asc" | "desc" }; answer: { data: (Suppression)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean } };
  "POST /suppressions": { body: SuppressBody; answer: Suppression | { added: number; existing: number } | Suppression };
  "DELETE /suppressions": { query?: { email?: string }; body?: UnsuppressBody; answer: undefined };
  "GET /suppressions/export": { answer: unknown };
  "POST /suppressions/import": { query?: { reason?: "BOUNCE" | "COMPLAINT" | "MANUAL" }; body: Blob; answer: SuppressionImport };
  "GET /analytics/timeseries": { query?: { startDate?: string; endDate?: string; tz?: string; interval?: "day" | "hour"; campaignId?: string; templateId?: string; workflowId?: string; tag?: string }; answer: (MailsOfDay)[] };
  "GET /analytics/tags": { query?: { limit?: number; startDate?: string; endDate?: string; tz?: string; name?: string }; answer: (MailsOfTag)[] };
  "GET /analytics/contacts": { query?: { startDate?: string; endDate?: string }; answer: (ContactsOfDay)[] };
  "GET /analytics/top-campaigns": { query?: { limit?: number; metric?: "opens" | "clicks" | "openRate" | "clickRate" }; answer: (RankedCampaign)[] };
  "GET /analytics/campaign-stats": { answer: CampaignTotals };
  "GET /analytics/top-events": { query?: { limit?: number; startDate?: string; endDate?: string }; answer: (RankedEvent)[] };
  "GET /deliverability": { query?: { startDate?: string; endDate?: string; groupBy?: "provider" | "domain" | "transport"; interval?: "day" | "hour"; provider?: "google" | "microsoft" | "yahoo" | "apple" | "gmx" | "proton" | "mailru" | "yandex" | "comcast" | "fastmail" | "zoho" | "tonline" | "orange" | "libero" | "tencent" | "netease" | "other"; domain?: string; transport?: string }; answer: Deliverability };
  "GET /deliverability/alerts": { query?: { open?: "true" | "false" }; answer: (DeliverabilityAlert)[] };
  "GET /deliverability/domains/{id}": { path: { id: string }; answer: SenderRules };
  "GET /activity": { query?: { limit?: number; cursor?: string; types?: string; eventName?: string; contactId?: string; search?: string; startDate?: string; endDate?: string }; answer: { data: (Activity)[]; cursor: string | null; hasMore: boolean } };
  "GET /activity/stats": { query?: { startDate?: string; endDate?: string }; answer: ActivityTotals };
  "GET /activity/recent-count": { query?: { minutes?: number }; answer: { count: number; minutes: number } };
  "GET /activity/types": { answer: { types: ("event.triggered" | "email.sent" | "email.delivered" | "email.received" | "email.opened" | "email.clicked" | "email.bounced" | "email.complaint" | "contact.subscribed" | "contact.unsubscribed" | "campaign.sent" | "campaign.scheduled" | "workflow.started" | "workflow.completed")[] } };
  "GET /activity/upcoming": { query?: { limit?: number; daysAhead?: number }; answer: { activities: (UpcomingActivity)[] } };
  "GET /activity/stream": { query?: { types?: string; eventName?: string; contactId?: string }; answer: unknown };
  "GET /requests": { query?: { limit?: number; cursor?: string; status?: string; method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD"; path?: string; key?: string; from?: string; until?: string }; answer: { data: (LoggedRequest)[]; cursor: string | null; hasMore: boolean } };
  "GET /requests/{id}": { path: { id: string }; answer: RequestDetails };
  "GET /search": { query: { q: string }; answer: SearchResult };
  "GET /projects/{id}": { path: { id: string }; answer: ProjectDetails };
  "GET /projects/{id}/setup-state": { path: { id: string }; answer: { success: true; data: SetupState } };
  "GET /projects/{id}/security": { path: { id: string }; answer: { success: true; data: Reputation } };
  "GET /projects/{id}/members": { path: { id: string }; answer: { success: true; data: (Member)[] } };
  "GET /projects/{id}/audit": { path: { id: string }; query?: { limit?: number; cursor?: string }; answer: { data: (AuditLine)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean } };
  "GET /uploads": { query?: { limit?: number; cursor?: string }; answer: { data: (Image)[]; cursor: string | null; hasMore: boolean; total: number; bytes: number; limitBytes: number } };
  "GET /uploads/{key}/usage": { path: { key: string }; answer: { uses: (ImageUse)[] } };
  "DELETE /uploads/{key}": { path: { key: string }; query?: { force?: "true" | "false" }; answer: undefined };
  "POST /uploads/image": { body: FormData; answer: UploadedImage };
  "GET /webhooks": { answer: { webhooks: (WebhookEndpoint)[] } };
  "POST /webhooks": { body: CreateWebhookBody; answer: NewWebhookEndpoint };
  "GET /webhooks/{id}": { path: { id: string }; answer: WebhookEndpoint };
  "PATCH /webhooks/{id}": { path: { id: string }; body: PatchWebhookBody; answer: WebhookEndpoint };
  "DELETE /webhooks/{id}": { path: { id: string }; answer: undefined };
  "GET /webhooks/{id}/secret": { path: { id: string }; answer: EndpointSecret };
  "POST /webhooks/{id}/rotate-secret": { path: { id: string }; answer: EndpointSecret };
  "GET /webhooks/{id}/deliveries": { path: { id: string }; query?: { limit?: number; cursor?: string; status?: "PENDING" | "DELIVERED" | "FAILED"; types?: string; startDate?: string; endDate?: string }; answer: { data: (WebhookDelivery)[]; cursor: string | null; hasMore: boolean } };
  "GET /webhooks/{id}/deliveries/{deliveryId}": { path: { id: string; deliveryId: string }; answer: WebhookDeliveryDetails };
  "POST /webhooks/{id}/deliveries/{deliveryId}/replay": { path: { id: string; deliveryId: string }; answer: WebhookDeliveryDetails };
  "POST /webhooks/{id}/replay": { path: { id: string }; body: ReplayBody; answer: Replayed };
  "POST /webhooks/{id}/test": { path: { id: string }; answer: WebhookDeliveryDetails };
  "GET /inbox/mails": { query?: { limit?: number; cursor?: string; search?: string; to?: string; read?: "true" | "false"; after?: string }; answer: { data: (ListedInboxMail)[]; cursor: string | null; hasMore: boolean; total: number; estimated?: boolean; unread: number } };
  "PATCH /inbox/mails": { body: { read: boolean; ids?: (string)[] }; answer: { updated: number } };
  "DELETE /inbox/mails": { answer: undefined };
  "POST /inbox/mails/delete": { body: { ids: (string)[] }; answer: { deleted: number } };
  "GET /inbox/mails/{id}": { path: { id: string }; answer: InboxMail };
  "PATCH /inbox/mails/{id}": { path: { id: string }; body: { read: boolean }; answer: ListedInboxMail };
  "DELETE /inbox/mails/{id}": { path: { id: string }; answer: undefined };
  "GET /inbox/mails/{id}/html": { path: { id: string }; answer: unknown };
  "GET /inbox/mails/{id}/source": { path: { id: string }; answer: unknown };
  "GET /inbox/mails/{id}/attachments/{index}": { path: { id: string; index: string }; answer: unknown };
}
import type { Call, List } from "./calls.ts";
import type { CallOptions } from "./request.ts";
/** The methods of the client, by resource. */
export interface Resources {
emails: {
  /** Send a transactional email: `POST /v1/send`. */
  send(body: Api["POST /v1/send"]["body"], options?: CallOptions): Call<Api["POST /v1/send"]["answer"]>;
  /** Send up to 1,000 different messages: `POST /v1/send/batch`. */
  sendBatch(body: Api["POST /v1/send/batch"]["body"], options?: CallOptions): Call<Api["POST /v1/send/batch"]["answer"]>;
  /** Check an email address: `POST /v1/verify`. */
  verify(body: Api["POST /v1/verify"]["body"], options?: CallOptions): Call<Api["POST /v1/verify"]["answer"]>;
  /** List mails, newest first: `GET /emails`. */
  list(query?: Api["GET /emails"]["query"], options?: CallOptions): List<Api["GET /emails"]["answer"], Api["GET /emails"]["answer"]["data"][number]>;
  /** Get a mail and its outcome: `GET /emails/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /emails/{id}"]["answer"]>;
  /** Give a scheduled mail another time: `PATCH /emails/{id}`. */
  reschedule(id: string, body: Api["PATCH /emails/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /emails/{id}"]["answer"]>;
  /** Get the content of a mail: `GET /emails/{id}/content`. */
  getContent(id: string, options?: CallOptions): Call<Api["GET /emails/{id}/content"]["answer"]>;
  /** List the events of a mail, oldest first: `GET /emails/{id}/events`. */
  listEvents(id: string, options?: CallOptions): Call<Api["GET /emails/{id}/events"]["answer"]>;
  /** Cancel a mail that was not sent yet: `POST /emails/{id}/cancel`. */
  cancel(id: string, options?: CallOptions): Call<Api["POST /emails/{id}/cancel"]["answer"]>;
  /** Send a mail again to its recipient: `POST /emails/{id}/resend`. */
  resend(id: string, options?: CallOptions): Call<Api["POST /emails/{id}/resend"]["answer"]>;
  /** Get an attachment of a mail: `GET /emails/{id}/attachments/{index}`. */
  getAttachment(id: string, index: string, options?: CallOptions): Call<Response>;
};
events: {
  /** Track an event of a contact: `POST /v1/track`. */
  track(body: Api["POST /v1/track"]["body"], options?: CallOptions): Call<Api["POST /v1/track"]["answer"]>;
  /** Track an event of a contact (200), or record a separate event (201): `POST /events/track`. */
  trackAsMember(body: Api["POST /events/track"]["body"], options?: CallOptions): Call<Api["POST /events/track"]["answer"]>;
  /** List events, newest first: `GET /events`. */
  list(query?: Api["GET /events"]["query"], options?: CallOptions): List<Api["GET /events"]["answer"], Api["GET /events"]["answer"]["events"][number]>;
  /** Count events by name, most frequent first: `GET /events/stats`. */
  count(query?: Api["GET /events/stats"]["query"], options?: CallOptions): Call<Api["GET /events/stats"]["answer"]>;
  /** Count events by name and day, with the time of the last one: `GET /events/daily`. */
  countByDay(query?: Api["GET /events/daily"]["query"], options?: CallOptions): Call<Api["GET /events/daily"]["answer"]>;
  /** List the events of a contact, newest first: `GET /events/contact/{contactId}`. */
  listOfContact(contactId: string, query?: Api["GET /events/contact/{contactId}"]["query"], options?: CallOptions): List<Api["GET /events/contact/{contactId}"]["answer"], Api["GET /events/contact/{contactId}"]["answer"]["events"][number]>;
  /** List the names of all events, most frequent first: `GET /events/names`. */
  listNames(options?: CallOptions): Call<Api["GET /events/names"]["answer"]>;
  /** List what refers to an event name, and how often it was recorded: `GET /events/{eventName}/usage`. */
  getUsage(eventName: string, options?: CallOptions): Call<Api["GET /events/{eventName}/usage"]["answer"]>;
  /** Delete all events with a name; large numbers are deleted by a job: `DELETE /events/{eventName}`. */
  delete(eventName: string, options?: CallOptions): Call<Api["DELETE /events/{eventName}"]["answer"]>;
};
contacts: {
  /** List contacts: `GET /contacts`. */
  list(query?: Api["GET /contacts"]["query"], options?: CallOptions): List<Api["GET /contacts"]["answer"], Api["GET /contacts"]["answer"]["data"][number]>;
  /** Create a contact, or merge into the one with this address: `POST /contacts`. */
  create(body: Api["POST /contacts"]["body"], options?: CallOptions): Call<Api["POST /contacts"]["answer"]>;
  /** Export contacts as CSV or NDJSON: `GET /contacts/export`. */
  export(query?: Api["GET /contacts/export"]["query"], options?: CallOptions): Call<Response>;
  /** Export everything that is known of a contact: `GET /contacts/export/{id}`. */
  exportData(id: string, options?: CallOptions): Call<Response>;
  /** Find out which of up to 500 addresses are contacts: `POST /contacts/lookup`. */
  lookUp(body: Api["POST /contacts/lookup"]["body"], options?: CallOptions): Call<Api["POST /contacts/lookup"]["answer"]>;
  /** Get a contact: `GET /contacts/{id}`. */
  get(id: string, query?: Api["GET /contacts/{id}"]["query"], options?: CallOptions): Call<Api["GET /contacts/{id}"]["answer"]>;
  /** Change a contact; `data: null` clears its data: `PATCH /contacts/{id}`. */
  update(id: string, body: Api["PATCH /contacts/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /contacts/{id}"]["answer"]>;
  /** Delete a contact permanently: `DELETE /contacts/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /contacts/{id}"]["answer"]>;
  /** List the fields of contacts, with types and coverage: `GET /contacts/fields`. */
  listFields(options?: CallOptions): Call<Api["GET /contacts/fields"]["answer"]>;
  /** List the values of a custom field, most frequent first: `GET /contacts/fields/{field}/values`. */
  listFieldValues(field: string, query?: Api["GET /contacts/fields/{field}/values"]["query"], options?: CallOptions): Call<Api["GET /contacts/fields/{field}/values"]["answer"]>;
  /** List what refers to a custom field: `GET /contacts/fields/{field}/usage`. */
  getFieldUsage(field: string, options?: CallOptions): Call<Api["GET /contacts/fields/{field}/usage"]["answer"]>;
  /** Remove a custom field from every contact: `DELETE /contacts/fields/{field}`. */
  deleteField(field: string, options?: CallOptions): Call<Api["DELETE /contacts/fields/{field}"]["answer"]>;
  /** Import contacts from a CSV file: `POST /contacts/import`. */
  import(body: FormData, query?: Api["POST /contacts/import"]["query"], options?: CallOptions): Call<Api["POST /contacts/import"]["answer"]>;
  /** Get the status of an import: `GET /contacts/import/{jobId}`. */
  getContactImport(jobId: string, options?: CallOptions): Call<Api["GET /contacts/import/{jobId}"]["answer"]>;
  /** Import contacts from a CSV file of up to 200 MB: `POST /contacts/imports`. */
  upload(body: string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>, query?: Api["POST /contacts/imports"]["query"], options?: CallOptions): Call<Api["POST /contacts/imports"]["answer"]>;
  /** List imports, newest first: `GET /contacts/imports`. */
  listImports(query?: Api["GET /contacts/imports"]["query"], options?: CallOptions): List<Api["GET /contacts/imports"]["answer"], Api["GET /contacts/imports"]["answer"]["data"][number]>;
  /** List how files of other services are mapped: `GET /contacts/imports/presets`. */
  listImportPresets(options?: CallOptions): Call<Api["GET /contacts/imports/presets"]["answer"]>;
  /** Get an import with its errors: `GET /contacts/imports/{jobId}`. */
  getImport(jobId: string, options?: CallOptions): Call<Api["GET /contacts/imports/{jobId}"]["answer"]>;
  /** Cancel an import that has not ended: `POST /contacts/imports/{jobId}/cancel`. */
  cancelImport(jobId: string, options?: CallOptions): Call<Api["POST /contacts/imports/{jobId}/cancel"]["answer"]>;
  /** Undo an import within 7 days: `POST /contacts/imports/{jobId}/undo`. */
  undoImport(jobId: string, options?: CallOptions): Call<Api["POST /contacts/imports/{jobId}/undo"]["answer"]>;
  /** Subscribe many contacts: `POST /contacts/bulk-subscribe`. */
  bulkSubscribe(body: Api["POST /contacts/bulk-subscribe"]["body"], options?: CallOptions): Call<Api["POST /contacts/bulk-subscribe"]["answer"]>;
  /** Unsubscribe many contacts: `POST /contacts/bulk-unsubscribe`. */
  bulkUnsubscribe(body: Api["POST /contacts/bulk-unsubscribe"]["body"], options?: CallOptions): Call<Api["POST /contacts/bulk-unsubscribe"]["answer"]>;
  /** Delete many contacts for good: `POST /contacts/bulk-delete`. */
  bulkDelete(body: Api["POST /contacts/bulk-delete"]["body"], options?: CallOptions): Call<Api["POST /contacts/bulk-delete"]["answer"]>;
  /** Add many contacts to a static segment: `POST /contacts/bulk-add-to-segment`. */
  bulkAddToSegment(body: Api["POST /contacts/bulk-add-to-segment"]["body"], options?: CallOptions): Call<Api["POST /contacts/bulk-add-to-segment"]["answer"]>;
  /** Remove many contacts from a static segment: `POST /contacts/bulk-remove-from-segment`. */
  bulkRemoveFromSegment(body: Api["POST /contacts/bulk-remove-from-segment"]["body"], options?: CallOptions): Call<Api["POST /contacts/bulk-remove-from-segment"]["answer"]>;
  /** Get the status of a bulk job: `GET /contacts/bulk/{jobId}`. */
  getBulkJob(jobId: string, options?: CallOptions): Call<Api["GET /contacts/bulk/{jobId}"]["answer"]>;
};
segments: {
  /** List all segments, newest first: `GET /segments`. */
  list(options?: CallOptions): Call<Api["GET /segments"]["answer"]>;
  /** Create a segment: `POST /segments`. */
  create(body: Api["POST /segments"]["body"], options?: CallOptions): Call<Api["POST /segments"]["answer"]>;
  /** List the fields of conditions with their operators: `GET /segments/operators`. */
  listOperators(options?: CallOptions): Call<Api["GET /segments/operators"]["answer"]>;
  /** Count the contacts who match a condition, without saving it: `POST /segments/preview`. */
  preview(body: Api["POST /segments/preview"]["body"], options?: CallOptions): Call<Api["POST /segments/preview"]["answer"]>;
  /** Get a segment: `GET /segments/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /segments/{id}"]["answer"]>;
  /** Change a segment; its slug stays: `PATCH /segments/{id}`. */
  update(id: string, body: Api["PATCH /segments/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /segments/{id}"]["answer"]>;
  /** Delete a segment: `DELETE /segments/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /segments/{id}"]["answer"]>;
  /** Add contacts to a static segment: `POST /segments/{id}/members`. */
  addMembers(id: string, body: Api["POST /segments/{id}/members"]["body"], options?: CallOptions): Call<Api["POST /segments/{id}/members"]["answer"]>;
  /** Remove contacts from a static segment: `DELETE /segments/{id}/members`. */
  removeMembers(id: string, body: Api["DELETE /segments/{id}/members"]["body"], options?: CallOptions): Call<Api["DELETE /segments/{id}/members"]["answer"]>;
  /** Compute the membership of a tracked segment and record its events: `POST /segments/{id}/compute`. */
  compute(id: string, options?: CallOptions): Call<Api["POST /segments/{id}/compute"]["answer"]>;
  /** Count the members again, without events: `POST /segments/{id}/refresh`. */
  refresh(id: string, options?: CallOptions): Call<Api["POST /segments/{id}/refresh"]["answer"]>;
  /** List the number of members of all segments per day: `GET /segments/sizes`. */
  listAllSizes(query?: Api["GET /segments/sizes"]["query"], options?: CallOptions): Call<Api["GET /segments/sizes"]["answer"]>;
  /** List the members, live for a dynamic segment: `GET /segments/{id}/contacts`. */
  listMembers(id: string, query?: Api["GET /segments/{id}/contacts"]["query"], options?: CallOptions): List<Api["GET /segments/{id}/contacts"]["answer"], Api["GET /segments/{id}/contacts"]["answer"]["data"][number]>;
  /** Explain why a contact is or is not in a segment: `GET /segments/{id}/explain`. */
  explain(id: string, query: Api["GET /segments/{id}/explain"]["query"], options?: CallOptions): Call<Api["GET /segments/{id}/explain"]["answer"]>;
  /** List the number of members of a segment per day: `GET /segments/{id}/history`. */
  listSizes(id: string, query?: Api["GET /segments/{id}/history"]["query"], options?: CallOptions): Call<Api["GET /segments/{id}/history"]["answer"]>;
  /** List what refers to a segment: `GET /segments/{id}/usage`. */
  getUsage(id: string, options?: CallOptions): Call<Api["GET /segments/{id}/usage"]["answer"]>;
};
templates: {
  /** List templates: `GET /templates`. */
  list(query?: Api["GET /templates"]["query"], options?: CallOptions): List<Api["GET /templates"]["answer"], Api["GET /templates"]["answer"]["data"][number]>;
  /** Create a template: `POST /templates`. */
  create(body: Api["POST /templates"]["body"], options?: CallOptions): Call<Api["POST /templates"]["answer"]>;
  /** Render an unsaved template: `POST /templates/preview`. */
  previewUnsaved(body: Api["POST /templates/preview"]["body"], options?: CallOptions): Call<Api["POST /templates/preview"]["answer"]>;
  /** Get a template: `GET /templates/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /templates/{id}"]["answer"]>;
  /** Change a template: `PATCH /templates/{id}`. */
  update(id: string, body: Api["PATCH /templates/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /templates/{id}"]["answer"]>;
  /** Delete a template: `DELETE /templates/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /templates/{id}"]["answer"]>;
  /** Copy a template: `POST /templates/{id}/duplicate`. */
  duplicate(id: string, options?: CallOptions): Call<Api["POST /templates/{id}/duplicate"]["answer"]>;
  /** List what refers to a template, and count its mails: `GET /templates/{id}/usage`. */
  getUsage(id: string, options?: CallOptions): Call<Api["GET /templates/{id}/usage"]["answer"]>;
  /** Render a template for a contact, or for sample data: `POST /templates/{id}/preview`. */
  preview(id: string, body?: Api["POST /templates/{id}/preview"]["body"], options?: CallOptions): Call<Api["POST /templates/{id}/preview"]["answer"]>;
  /** List the versions of a template, newest first: `GET /templates/{id}/versions`. */
  listVersions(id: string, options?: CallOptions): Call<Api["GET /templates/{id}/versions"]["answer"]>;
  /** Get a version of a template: `GET /templates/{id}/versions/{version}`. */
  getVersion(id: string, version: string, options?: CallOptions): Call<Api["GET /templates/{id}/versions/{version}"]["answer"]>;
  /** Restore a version of a template: `POST /templates/{id}/versions/{version}/restore`. */
  restoreVersion(id: string, version: string, options?: CallOptions): Call<Api["POST /templates/{id}/versions/{version}/restore"]["answer"]>;
  /** List how often templates are used: `GET /templates/uses`. */
  listUses(query: Api["GET /templates/uses"]["query"], options?: CallOptions): Call<Api["GET /templates/uses"]["answer"]>;
  /** Send a test of a template to one address; `emailId` is its id in the ledger: `POST /templates/{id}/test`. */
  test(id: string, body: Api["POST /templates/{id}/test"]["body"], options?: CallOptions): Call<Api["POST /templates/{id}/test"]["answer"]>;
};
campaigns: {
  /** Check a campaign before sending it: `POST /campaigns/{id}/check`. */
  check(id: string, options?: CallOptions): Call<Api["POST /campaigns/{id}/check"]["answer"]>;
  /** Count the audience of an unsaved campaign: `POST /campaigns/audience`. */
  countAudience(body: Api["POST /campaigns/audience"]["body"], options?: CallOptions): Call<Api["POST /campaigns/audience"]["answer"]>;
  /** List the mails of a campaign by outcome: `GET /campaigns/{id}/recipients`. */
  listRecipients(id: string, query?: Api["GET /campaigns/{id}/recipients"]["query"], options?: CallOptions): List<Api["GET /campaigns/{id}/recipients"]["answer"], Api["GET /campaigns/{id}/recipients"]["answer"]["data"][number]>;
  /** List the links of a campaign that people followed, most followed first: `GET /campaigns/{id}/links`. */
  listLinks(id: string, options?: CallOptions): Call<Api["GET /campaigns/{id}/links"]["answer"]>;
  /** List why mails of a campaign did not arrive, most frequent reason first: `GET /campaigns/{id}/reasons`. */
  listReasons(id: string, options?: CallOptions): Call<Api["GET /campaigns/{id}/reasons"]["answer"]>;
  /** Show the outcomes of a campaign per hour: `GET /campaigns/{id}/series`. */
  getSeries(id: string, options?: CallOptions): Call<Api["GET /campaigns/{id}/series"]["answer"]>;
  /** List campaigns: `GET /campaigns`. */
  list(query?: Api["GET /campaigns"]["query"], options?: CallOptions): List<Api["GET /campaigns"]["answer"], Api["GET /campaigns"]["answer"]["data"][number]>;
  /** Create a draft: `POST /campaigns`. */
  create(body: Api["POST /campaigns"]["body"], options?: CallOptions): Call<Api["POST /campaigns"]["answer"]>;
  /** Render an unsaved campaign: `POST /campaigns/preview`. */
  previewUnsaved(body: Api["POST /campaigns/preview"]["body"], options?: CallOptions): Call<Api["POST /campaigns/preview"]["answer"]>;
  /** Get a campaign: `GET /campaigns/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /campaigns/{id}"]["answer"]>;
  /** Replace a draft or a scheduled campaign; omitted fields become empty: `PUT /campaigns/{id}`. */
  replace(id: string, body: Api["PUT /campaigns/{id}"]["body"], options?: CallOptions): Call<Api["PUT /campaigns/{id}"]["answer"]>;
  /** Change a draft or a scheduled campaign; omitted fields stay: `PATCH /campaigns/{id}`. */
  update(id: string, body: Api["PATCH /campaigns/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /campaigns/{id}"]["answer"]>;
  /** Delete a campaign; its mails stay in the ledger: `DELETE /campaigns/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /campaigns/{id}"]["answer"]>;
  /** Copy a campaign to a new draft: `POST /campaigns/{id}/duplicate`. */
  duplicate(id: string, options?: CallOptions): Call<Api["POST /campaigns/{id}/duplicate"]["answer"]>;
  /** Outcomes of a campaign's mails; rates are percentages of those sent: `GET /campaigns/{id}/stats`. */
  getStats(id: string, options?: CallOptions): Call<Api["GET /campaigns/{id}/stats"]["answer"]>;
  /** Render a campaign for a contact, or for sample data: `POST /campaigns/{id}/preview`. */
  preview(id: string, body?: Api["POST /campaigns/{id}/preview"]["body"], options?: CallOptions): Call<Api["POST /campaigns/{id}/preview"]["answer"]>;
  /** Send a campaign now, or schedule it: `POST /campaigns/{id}/send`. */
  send(id: string, body?: Api["POST /campaigns/{id}/send"]["body"], options?: CallOptions): Call<Api["POST /campaigns/{id}/send"]["answer"]>;
  /** Make a scheduled campaign a draft again: `POST /campaigns/{id}/unschedule`. */
  unschedule(id: string, options?: CallOptions): Call<Api["POST /campaigns/{id}/unschedule"]["answer"]>;
  /** Cancel a campaign that is scheduled or being sent: `POST /campaigns/{id}/cancel`. */
  cancel(id: string, options?: CallOptions): Call<Api["POST /campaigns/{id}/cancel"]["answer"]>;
  /** Send a test to one address; `emailId` is its id in the ledger: `POST /campaigns/{id}/test`. */
  test(id: string, body: Api["POST /campaigns/{id}/test"]["body"], options?: CallOptions): Call<Api["POST /campaigns/{id}/test"]["answer"]>;
};
workflows: {
  /** List workflows: `GET /workflows`. */
  list(query?: Api["GET /workflows"]["query"], options?: CallOptions): List<Api["GET /workflows"]["answer"], Api["GET /workflows"]["answer"]["data"][number]>;
  /** Create a workflow that starts with an event; it is disabled: `POST /workflows`. */
  create(body: Api["POST /workflows"]["body"], options?: CallOptions): Call<Api["POST /workflows"]["answer"]>;
  /** List the fields that a CONDITION can use: `GET /workflows/fields`. */
  listFields(query?: Api["GET /workflows/fields"]["query"], options?: CallOptions): Call<Api["GET /workflows/fields"]["answer"]>;
  /** Get a workflow with its steps and transitions: `GET /workflows/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /workflows/{id}"]["answer"]>;
  /** Change a workflow, its trigger, and whether it is enabled: `PATCH /workflows/{id}`. */
  update(id: string, body: Api["PATCH /workflows/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /workflows/{id}"]["answer"]>;
  /** Delete a workflow that has no active executions: `DELETE /workflows/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /workflows/{id}"]["answer"]>;
  /** Copy a workflow with its steps and transitions, disabled: `POST /workflows/{id}/duplicate`. */
  duplicate(id: string, options?: CallOptions): Call<Api["POST /workflows/{id}/duplicate"]["answer"]>;
  /** Get the graph of a workflow as one document: `GET /workflows/{id}/graph`. */
  getGraph(id: string, options?: CallOptions): Call<Api["GET /workflows/{id}/graph"]["answer"]>;
  /** Save the graph of a workflow as a whole: `PUT /workflows/{id}/graph`. */
  saveGraph(id: string, body: Api["PUT /workflows/{id}/graph"]["body"], options?: CallOptions): Call<Api["PUT /workflows/{id}/graph"]["answer"]>;
  /** Check a graph without saving it: `POST /workflows/{id}/graph/check`. */
  checkGraph(id: string, body?: Api["POST /workflows/{id}/graph/check"]["body"], options?: CallOptions): Call<Api["POST /workflows/{id}/graph/check"]["answer"]>;
  /** Count for each step the executions that wait there, passed it and failed: `GET /workflows/{id}/statistics`. */
  getStatistics(id: string, options?: CallOptions): Call<Api["GET /workflows/{id}/statistics"]["answer"]>;
  /** Add a step: `POST /workflows/{id}/steps`. */
  createStep(id: string, body: Api["POST /workflows/{id}/steps"]["body"], options?: CallOptions): Call<Api["POST /workflows/{id}/steps"]["answer"]>;
  /** Change a step; a config is replaced as a whole: `PATCH /workflows/{id}/steps/{stepId}`. */
  updateStep(id: string, stepId: string, body: Api["PATCH /workflows/{id}/steps/{stepId}"]["body"], options?: CallOptions): Call<Api["PATCH /workflows/{id}/steps/{stepId}"]["answer"]>;
  /** Delete a step; with `splice=true`, its predecessors are connected to its successor: `DELETE /workflows/{id}/steps/{stepId}`. */
  deleteStep(id: string, stepId: string, query?: Api["DELETE /workflows/{id}/steps/{stepId}"]["query"], options?: CallOptions): Call<Api["DELETE /workflows/{id}/steps/{stepId}"]["answer"]>;
  /** Connect one step to another; from a CONDITION, with one of its branches: `POST /workflows/{id}/transitions`. */
  createTransition(id: string, body: Api["POST /workflows/{id}/transitions"]["body"], options?: CallOptions): Call<Api["POST /workflows/{id}/transitions"]["answer"]>;
  /** Delete a transition; both steps stay: `DELETE /workflows/{id}/transitions/{transitionId}`. */
  deleteTransition(id: string, transitionId: string, options?: CallOptions): Call<Api["DELETE /workflows/{id}/transitions/{transitionId}"]["answer"]>;
  /** Insert a step into a transition: `POST /workflows/{id}/transitions/{transitionId}/insert-step`. */
  insertStep(id: string, transitionId: string, body: Api["POST /workflows/{id}/transitions/{transitionId}/insert-step"]["body"], options?: CallOptions): Call<Api["POST /workflows/{id}/transitions/{transitionId}/insert-step"]["answer"]>;
  /** List the versions of a workflow, newest first: `GET /workflows/{id}/versions`. */
  listVersions(id: string, options?: CallOptions): Call<Api["GET /workflows/{id}/versions"]["answer"]>;
  /** Get a version of a workflow: `GET /workflows/{id}/versions/{version}`. */
  getVersion(id: string, version: string, options?: CallOptions): Call<Api["GET /workflows/{id}/versions/{version}"]["answer"]>;
  /** Restore a version of a workflow: `POST /workflows/{id}/versions/{version}/restore`. */
  restoreVersion(id: string, version: string, options?: CallOptions): Call<Api["POST /workflows/{id}/versions/{version}/restore"]["answer"]>;
  /** Start an execution for a contact: `POST /workflows/{id}/executions`. */
  startExecution(id: string, body: Api["POST /workflows/{id}/executions"]["body"], options?: CallOptions): Call<Api["POST /workflows/{id}/executions"]["answer"]>;
  /** List the executions of a workflow: `GET /workflows/{id}/executions`. */
  listExecutions(id: string, query?: Api["GET /workflows/{id}/executions"]["query"], options?: CallOptions): List<Api["GET /workflows/{id}/executions"]["answer"], Api["GET /workflows/{id}/executions"]["answer"]["data"][number]>;
  /** Get an execution with its full history: `GET /workflows/{id}/executions/{executionId}`. */
  getExecution(id: string, executionId: string, options?: CallOptions): Call<Api["GET /workflows/{id}/executions/{executionId}"]["answer"]>;
  /** Cancel an active execution: `DELETE /workflows/{id}/executions/{executionId}`. */
  cancelExecution(id: string, executionId: string, options?: CallOptions): Call<Api["DELETE /workflows/{id}/executions/{executionId}"]["answer"]>;
  /** Get the graph that an execution follows: `GET /workflows/{id}/executions/{executionId}/graph`. */
  getExecutionGraph(id: string, executionId: string, options?: CallOptions): Call<Api["GET /workflows/{id}/executions/{executionId}/graph"]["answer"]>;
  /** Cancel every active execution: `POST /workflows/{id}/executions/cancel-all`. */
  cancelExecutions(id: string, options?: CallOptions): Call<Api["POST /workflows/{id}/executions/cancel-all"]["answer"]>;
  /** Test a workflow: the path that a contact would take: `POST /workflows/{id}/test`. */
  test(id: string, body: Api["POST /workflows/{id}/test"]["body"], options?: CallOptions): Call<Api["POST /workflows/{id}/test"]["answer"]>;
};
domains: {
  /** List the domains of the project, with their DNS records: `GET /domains/project/{projectId}`. */
  list(projectId: string, options?: CallOptions): Call<Api["GET /domains/project/{projectId}"]["answer"]>;
  /** Add a domain; the response lists the DNS records it needs: `POST /domains`. */
  create(body: Api["POST /domains"]["body"], options?: CallOptions): Call<Api["POST /domains"]["answer"]>;
  /** Get a domain with its DNS records: `GET /domains/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /domains/{id}"]["answer"]>;
  /** Remove a domain: `DELETE /domains/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /domains/{id}"]["answer"]>;
  /** Check the records of a domain now: `GET /domains/{id}/verify`. */
  verify(id: string, options?: CallOptions): Call<Api["GET /domains/{id}/verify"]["answer"]>;
  /** Replace a DKIM key that was lost: `POST /domains/rekey`. */
  rekey(body: Api["POST /domains/rekey"]["body"], options?: CallOptions): Call<Api["POST /domains/rekey"]["answer"]>;
};
transports: {
  /** List the transports of the project, and those of the installation: `GET /transports`. */
  list(options?: CallOptions): Call<Api["GET /transports"]["answer"]>;
  /** Add a transport: `POST /transports`. */
  create(body: Api["POST /transports"]["body"], options?: CallOptions): Call<Api["POST /transports"]["answer"]>;
  /** Get a transport: `GET /transports/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /transports/{id}"]["answer"]>;
  /** Change, pause or resume a transport: `PATCH /transports/{id}`. */
  update(id: string, body: Api["PATCH /transports/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /transports/{id}"]["answer"]>;
  /** Remove a transport: `DELETE /transports/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /transports/{id}"]["answer"]>;
  /** Send a test mail by this transport alone: `POST /transports/{id}/test`. */
  test(id: string, body: Api["POST /transports/{id}/test"]["body"], options?: CallOptions): Call<Api["POST /transports/{id}/test"]["answer"]>;
  /** Get the routes of the project: `GET /routes`. */
  getRoutes(options?: CallOptions): Call<Api["GET /routes"]["answer"]>;
  /** Replace the routes of the project: `PUT /routes`. */
  replaceRoutes(body: Api["PUT /routes"]["body"], options?: CallOptions): Call<Api["PUT /routes"]["answer"]>;
  /** Find out which transports a mail would take: `POST /routes/test`. */
  testRoutes(body: Api["POST /routes/test"]["body"], options?: CallOptions): Call<Api["POST /routes/test"]["answer"]>;
  /** List the warm-up plans, oldest first: `GET /warmup-plans`. */
  listWarmupPlans(options?: CallOptions): Call<Api["GET /warmup-plans"]["answer"]>;
  /** Create a warm-up plan: `POST /warmup-plans`. */
  createWarmupPlan(body: Api["POST /warmup-plans"]["body"], options?: CallOptions): Call<Api["POST /warmup-plans"]["answer"]>;
  /** Change a warm-up plan: `PATCH /warmup-plans/{id}`. */
  updateWarmupPlan(id: string, body: Api["PATCH /warmup-plans/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /warmup-plans/{id}"]["answer"]>;
  /** Remove a warm-up plan: `DELETE /warmup-plans/{id}`. */
  deleteWarmupPlan(id: string, options?: CallOptions): Call<Api["DELETE /warmup-plans/{id}"]["answer"]>;
};
moves: {
  /** List the moves from other services, newest first: `GET /moves`. */
  list(query?: Api["GET /moves"]["query"], options?: CallOptions): List<Api["GET /moves"]["answer"], Api["GET /moves"]["answer"]["data"][number]>;
  /** Begin to move in from another service: `POST /moves`. */
  create(body: Api["POST /moves"]["body"], options?: CallOptions): Call<Api["POST /moves"]["answer"]>;
  /** Get a move with its progress: `GET /moves/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /moves/{id}"]["answer"]>;
  /** List what was left out of a move, and why: `GET /moves/{id}/left-out`. */
  listLeftOut(id: string, query?: Api["GET /moves/{id}/left-out"]["query"], options?: CallOptions): List<Api["GET /moves/{id}/left-out"]["answer"], Api["GET /moves/{id}/left-out"]["answer"]["data"][number]>;
  /** Upload a file that another service has exported: `POST /moves/{id}/files`. */
  uploadFile(id: string, body: string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>, query: Api["POST /moves/{id}/files"]["query"], options?: CallOptions): Call<Api["POST /moves/{id}/files"]["answer"]>;
  /** Remove a file from a move: `DELETE /moves/{id}/files/{fileId}`. */
  deleteFile(id: string, fileId: string, options?: CallOptions): Call<Api["DELETE /moves/{id}/files/{fileId}"]["answer"]>;
  /** Begin the dry run of a move, or begin it again: `POST /moves/{id}/check`. */
  check(id: string, body: Api["POST /moves/{id}/check"]["body"], options?: CallOptions): Call<Api["POST /moves/{id}/check"]["answer"]>;
  /** Bring in what the dry run has found: `POST /moves/{id}/start`. */
  start(id: string, options?: CallOptions): Call<Api["POST /moves/{id}/start"]["answer"]>;
  /** Cancel a move that has not ended: `POST /moves/{id}/cancel`. */
  cancel(id: string, options?: CallOptions): Call<Api["POST /moves/{id}/cancel"]["answer"]>;
};
suppressions: {
  /** List suppressed addresses, newest first: `GET /suppressions`. */
  list(query?: Api["GET /suppressions"]["query"], options?: CallOptions): List<Api["GET /suppressions"]["answer"], Api["GET /suppressions"]["answer"]["data"][number]>;
  /** Suppress an address, or a list of them: `POST /suppressions`. */
  create(body: Api["POST /suppressions"]["body"], options?: CallOptions): Call<Api["POST /suppressions"]["answer"]>;
  /** Remove an address from the list, given in the body or in the query: `DELETE /suppressions`. */
  delete(body?: Api["DELETE /suppressions"]["body"], query?: Api["DELETE /suppressions"]["query"], options?: CallOptions): Call<Api["DELETE /suppressions"]["answer"]>;
  /** Export the suppression list as CSV: `GET /suppressions/export`. */
  export(options?: CallOptions): Call<Response>;
  /** Import suppressed addresses from a CSV file: `POST /suppressions/import`. */
  import(body: string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>, query?: Api["POST /suppressions/import"]["query"], options?: CallOptions): Call<Api["POST /suppressions/import"]["answer"]>;
};
analytics: {
  /** Outcomes of mails per day; opens and clicks count each mail once, without bots: `GET /analytics/timeseries`. */
  getTimeseries(query?: Api["GET /analytics/timeseries"]["query"], options?: CallOptions): Call<Api["GET /analytics/timeseries"]["answer"]>;
  /** Outcomes of mails by tag, the most frequent first: `GET /analytics/tags`. */
  listTopTags(query?: Api["GET /analytics/tags"]["query"], options?: CallOptions): Call<Api["GET /analytics/tags"]["answer"]>;
  /** Contacts per day: `GET /analytics/contacts`. */
  getContactSeries(query?: Api["GET /analytics/contacts"]["query"], options?: CallOptions): Call<Api["GET /analytics/contacts"]["answer"]>;
  /** The most successful campaigns, by `opens` unless stated otherwise: `GET /analytics/top-campaigns`. */
  listTopCampaigns(query?: Api["GET /analytics/top-campaigns"]["query"], options?: CallOptions): Call<Api["GET /analytics/top-campaigns"]["answer"]>;
  /** How many campaigns there are, and their rates, weighted by mails sent: `GET /analytics/campaign-stats`. */
  getCampaignsOverview(options?: CallOptions): Call<Api["GET /analytics/campaign-stats"]["answer"]>;
  /** The events that clients track most often, on days of UTC: `GET /analytics/top-events`. */
  listTopEvents(query?: Api["GET /analytics/top-events"]["query"], options?: CallOptions): Call<Api["GET /analytics/top-events"]["answer"]>;
  /** How mails were taken: by mailbox provider, sender domain or transport: `GET /deliverability`. */
  getDeliverability(query?: Api["GET /deliverability"]["query"], options?: CallOptions): Call<Api["GET /deliverability"]["answer"]>;
  /** Rates of bounces, complaints and deferrals that are too high, or were: `GET /deliverability/alerts`. */
  listDeliverabilityAlerts(query?: Api["GET /deliverability/alerts"]["query"], options?: CallOptions): Call<Api["GET /deliverability/alerts"]["answer"]>;
  /** What Google, Yahoo and Microsoft ask of senders, and how a domain stands: `GET /deliverability/domains/{id}`. */
  getSenderRules(id: string, options?: CallOptions): Call<Api["GET /deliverability/domains/{id}"]["answer"]>;
};
activity: {
  /** List activity, newest first: `GET /activity`. */
  list(query?: Api["GET /activity"]["query"], options?: CallOptions): List<Api["GET /activity"]["answer"], Api["GET /activity"]["answer"]["data"][number]>;
  /** Count activity over a number of days (UTC), from counters: `GET /activity/stats`. */
  getStats(query?: Api["GET /activity/stats"]["query"], options?: CallOptions): Call<Api["GET /activity/stats"]["answer"]>;
  /** Count activity of the last minutes: `GET /activity/recent-count`. */
  getRecentCount(query?: Api["GET /activity/recent-count"]["query"], options?: CallOptions): Call<Api["GET /activity/recent-count"]["answer"]>;
  /** List the types of activity in the project: `GET /activity/types`. */
  listTypes(options?: CallOptions): Call<Api["GET /activity/types"]["answer"]>;
  /** List upcoming activity, next first: `GET /activity/upcoming`. */
  listUpcoming(query?: Api["GET /activity/upcoming"]["query"], options?: CallOptions): Call<Api["GET /activity/upcoming"]["answer"]>;
  /** Stream activity live: `GET /activity/stream`. */
  stream(query?: Api["GET /activity/stream"]["query"], options?: CallOptions): Call<Response>;
};
requests: {
  /** List the API requests of the project, newest first: `GET /requests`. */
  list(query?: Api["GET /requests"]["query"], options?: CallOptions): List<Api["GET /requests"]["answer"], Api["GET /requests"]["answer"]["data"][number]>;
  /** Get a request, with what was wrong and its body: `GET /requests/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /requests/{id}"]["answer"]>;
};
  /** Search contacts, templates, campaigns, segments, workflows and events: `GET /search`. */
  search(query: Api["GET /search"]["query"], options?: CallOptions): Call<Api["GET /search"]["answer"]>;
projects: {
  /** Get a project with its settings: `GET /projects/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /projects/{id}"]["answer"]>;
  /** Get the set-up progress of a project: `GET /projects/{id}/setup-state`. */
  getSetupState(id: string, options?: CallOptions): Call<Api["GET /projects/{id}/setup-state"]["answer"]>;
  /** See bounce and complaint rates, and suspensions: `GET /projects/{id}/security`. */
  getSecurity(id: string, options?: CallOptions): Call<Api["GET /projects/{id}/security"]["answer"]>;
  /** List members and invitations, oldest first: `GET /projects/{id}/members`. */
  listMembers(id: string, options?: CallOptions): Call<Api["GET /projects/{id}/members"]["answer"]>;
  /** List the audit log of a project, newest first: `GET /projects/{id}/audit`. */
  listAuditLog(id: string, query?: Api["GET /projects/{id}/audit"]["query"], options?: CallOptions): List<Api["GET /projects/{id}/audit"]["answer"], Api["GET /projects/{id}/audit"]["answer"]["data"][number]>;
};
uploads: {
  /** List images, newest first: `GET /uploads`. */
  listImages(query?: Api["GET /uploads"]["query"], options?: CallOptions): List<Api["GET /uploads"]["answer"], Api["GET /uploads"]["answer"]["data"][number]>;
  /** List the templates and campaigns that show an image: `GET /uploads/{key}/usage`. */
  getImageUsage(key: string, options?: CallOptions): Call<Api["GET /uploads/{key}/usage"]["answer"]>;
  /** Delete an image: `DELETE /uploads/{key}`. */
  deleteImage(key: string, query?: Api["DELETE /uploads/{key}"]["query"], options?: CallOptions): Call<Api["DELETE /uploads/{key}"]["answer"]>;
  /** Upload an image: `POST /uploads/image`. */
  uploadImage(body: FormData, options?: CallOptions): Call<Api["POST /uploads/image"]["answer"]>;
};
webhooks: {
  /** List the webhooks, oldest first: `GET /webhooks`. */
  list(options?: CallOptions): Call<Api["GET /webhooks"]["answer"]>;
  /** Create a webhook: `POST /webhooks`. */
  create(body: Api["POST /webhooks"]["body"], options?: CallOptions): Call<Api["POST /webhooks"]["answer"]>;
  /** Get a webhook: `GET /webhooks/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /webhooks/{id}"]["answer"]>;
  /** Change or pause a webhook: `PATCH /webhooks/{id}`. */
  update(id: string, body: Api["PATCH /webhooks/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /webhooks/{id}"]["answer"]>;
  /** Delete a webhook, with everything that waits for it: `DELETE /webhooks/{id}`. */
  delete(id: string, options?: CallOptions): Call<Api["DELETE /webhooks/{id}"]["answer"]>;
  /** Get the secret of a webhook: `GET /webhooks/{id}/secret`. */
  getEndpointSecret(id: string, options?: CallOptions): Call<Api["GET /webhooks/{id}/secret"]["answer"]>;
  /** Create a new secret for a webhook: `POST /webhooks/{id}/rotate-secret`. */
  rotateEndpointSecret(id: string, options?: CallOptions): Call<Api["POST /webhooks/{id}/rotate-secret"]["answer"]>;
  /** List the deliveries of a webhook, newest first: `GET /webhooks/{id}/deliveries`. */
  listDeliveries(id: string, query?: Api["GET /webhooks/{id}/deliveries"]["query"], options?: CallOptions): List<Api["GET /webhooks/{id}/deliveries"]["answer"], Api["GET /webhooks/{id}/deliveries"]["answer"]["data"][number]>;
  /** Get a delivery, with its request, attempts and last response: `GET /webhooks/{id}/deliveries/{deliveryId}`. */
  getDelivery(id: string, deliveryId: string, options?: CallOptions): Call<Api["GET /webhooks/{id}/deliveries/{deliveryId}"]["answer"]>;
  /** Send a delivery again: `POST /webhooks/{id}/deliveries/{deliveryId}/replay`. */
  replayDelivery(id: string, deliveryId: string, options?: CallOptions): Call<Api["POST /webhooks/{id}/deliveries/{deliveryId}/replay"]["answer"]>;
  /** Send deliveries again: of a period, or all that failed: `POST /webhooks/{id}/replay`. */
  replayDeliveries(id: string, body: Api["POST /webhooks/{id}/replay"]["body"], options?: CallOptions): Call<Api["POST /webhooks/{id}/replay"]["answer"]>;
  /** Send a test to a webhook now: `POST /webhooks/{id}/test`. */
  test(id: string, options?: CallOptions): Call<Api["POST /webhooks/{id}/test"]["answer"]>;
};
inbox: {
  /** List captured mails, newest first: `GET /inbox/mails`. */
  list(query?: Api["GET /inbox/mails"]["query"], options?: CallOptions): List<Api["GET /inbox/mails"]["answer"], Api["GET /inbox/mails"]["answer"]["data"][number]>;
  /** Mark captured mails as read or unread: `PATCH /inbox/mails`. */
  markInboxMails(body: Api["PATCH /inbox/mails"]["body"], options?: CallOptions): Call<Api["PATCH /inbox/mails"]["answer"]>;
  /** Delete all captured mails from the inbox: `DELETE /inbox/mails`. */
  clearInbox(options?: CallOptions): Call<Api["DELETE /inbox/mails"]["answer"]>;
  /** Delete several captured mails from the inbox: `POST /inbox/mails/delete`. */
  deleteInboxMails(body: Api["POST /inbox/mails/delete"]["body"], options?: CallOptions): Call<Api["POST /inbox/mails/delete"]["answer"]>;
  /** Get a captured mail with its content: `GET /inbox/mails/{id}`. */
  get(id: string, options?: CallOptions): Call<Api["GET /inbox/mails/{id}"]["answer"]>;
  /** Mark a captured mail as read or unread: `PATCH /inbox/mails/{id}`. */
  markInboxMail(id: string, body: Api["PATCH /inbox/mails/{id}"]["body"], options?: CallOptions): Call<Api["PATCH /inbox/mails/{id}"]["answer"]>;
  /** Delete a captured mail from the inbox: `DELETE /inbox/mails/{id}`. */
  deleteInboxMail(id: string, options?: CallOptions): Call<Api["DELETE /inbox/mails/{id}"]["answer"]>;
  /** Show the HTML of a captured mail: `GET /inbox/mails/{id}/html`. */
  getHtml(id: string, options?: CallOptions): Call<Response>;
  /** Get the source of a captured mail: `GET /inbox/mails/{id}/source`. */
  getSource(id: string, options?: CallOptions): Call<Response>;
  /** Get an attachment of a captured mail: `GET /inbox/mails/{id}/attachments/{index}`. */
  getAttachment(id: string, index: string, options?: CallOptions): Call<Response>;
};
}
export const OPERATIONS = {
emails: {
  send: {"endpoint":"POST /v1/send","takes":["body"],"keyed":true,"replays":true},
  sendBatch: {"endpoint":"POST /v1/send/batch","takes":["body"],"keyed":true,"replays":true},
  verify: {"endpoint":"POST /v1/verify","takes":["body"]},
  list: {"endpoint":"GET /emails","takes":["query"],"list":["cursor","data"]},
  get: {"endpoint":"GET /emails/{id}","takes":[]},
  reschedule: {"endpoint":"PATCH /emails/{id}","takes":["body"]},
  getContent: {"endpoint":"GET /emails/{id}/content","takes":[]},
  listEvents: {"endpoint":"GET /emails/{id}/events","takes":[]},
  cancel: {"endpoint":"POST /emails/{id}/cancel","takes":[]},
  resend: {"endpoint":"POST /emails/{id}/resend","takes":[],"keyed":true},
  getAttachment: {"endpoint":"GET /emails/{id}/attachments/{index}","takes":[],"file":true},
},
events: {
  track: {"endpoint":"POST /v1/track","takes":["body"],"keyed":true},
  trackAsMember: {"endpoint":"POST /events/track","takes":["body"],"keyed":true},
  list: {"endpoint":"GET /events","takes":["query"],"list":["cursor","events"]},
  count: {"endpoint":"GET /events/stats","takes":["query"]},
  countByDay: {"endpoint":"GET /events/daily","takes":["query"]},
  listOfContact: {"endpoint":"GET /events/contact/{contactId}","takes":["query"],"list":["cursor","events"]},
  listNames: {"endpoint":"GET /events/names","takes":[]},
  getUsage: {"endpoint":"GET /events/{eventName}/usage","takes":[]},
  delete: {"endpoint":"DELETE /events/{eventName}","takes":[]},
},
contacts: {
  list: {"endpoint":"GET /contacts","takes":["query"],"list":["cursor","data"]},
  create: {"endpoint":"POST /contacts","takes":["body"]},
  export: {"endpoint":"GET /contacts/export","takes":["query"],"file":true},
  exportData: {"endpoint":"GET /contacts/export/{id}","takes":[],"file":true},
  lookUp: {"endpoint":"POST /contacts/lookup","takes":["body"]},
  get: {"endpoint":"GET /contacts/{id}","takes":["query"]},
  update: {"endpoint":"PATCH /contacts/{id}","takes":["body"]},
  delete: {"endpoint":"DELETE /contacts/{id}","takes":[]},
  listFields: {"endpoint":"GET /contacts/fields","takes":[]},
  listFieldValues: {"endpoint":"GET /contacts/fields/{field}/values","takes":["query"]},
  getFieldUsage: {"endpoint":"GET /contacts/fields/{field}/usage","takes":[]},
  deleteField: {"endpoint":"DELETE /contacts/fields/{field}","takes":[]},
  import: {"endpoint":"POST /contacts/import","takes":["body","query"],"media":"multipart/form-data"},
  getContactImport: {"endpoint":"GET /contacts/import/{jobId}","takes":[]},
  upload: {"endpoint":"POST /contacts/imports","takes":["body","query"],"media":"text/csv"},
  listImports: {"endpoint":"GET /contacts/imports","takes":["query"],"list":["cursor","data"]},
  listImportPresets: {"endpoint":"GET /contacts/imports/presets","takes":[]},
  getImport: {"endpoint":"GET /contacts/imports/{jobId}","takes":[]},
  cancelImport: {"endpoint":"POST /contacts/imports/{jobId}/cancel","takes":[]},
  undoImport: {"endpoint":"POST /contacts/imports/{jobId}/undo","takes":[]},
  bulkSubscribe: {"endpoint":"POST /contacts/bulk-subscribe","takes":["body"]},
  bulkUnsubscribe: {"endpoint":"POST /contacts/bulk-unsubscribe","takes":["body"]},
  bulkDelete: {"endpoint":"POST /contacts/bulk-delete","takes":["body"]},
  bulkAddToSegment: {"endpoint":"POST /contacts/bulk-add-to-segment","takes":["body"]},
  bulkRemoveFromSegment: {"endpoint":"POST /contacts/bulk-remove-from-segment","takes":["body"]},
  getBulkJob: {"endpoint":"GET /contacts/bulk/{jobId}","takes":[]},
},
segments: {
  list: {"endpoint":"GET /segments","takes":[]},
  create: {"endpoint":"POST /segments","takes":["body"]},
  listOperators: {"endpoint":"GET /segments/operators","takes":[]},
  preview: {"endpoint":"POST /segments/preview","takes":["body"]},
  get: {"endpoint":"GET /segments/{id}","takes":[]},
  update: {"endpoint":"PATCH /segments/{id}","takes":["body"]},
  delete: {"endpoint":"DELETE /segments/{id}","takes":[]},
  addMembers: {"endpoint":"POST /segments/{id}/members","takes":["body"]},
  removeMembers: {"endpoint":"DELETE /segments/{id}/members","takes":["body"]},
  compute: {"endpoint":"POST /segments/{id}/compute","takes":[]},
  refresh: {"endpoint":"POST /segments/{id}/refresh","takes":[]},
  listAllSizes: {"endpoint":"GET /segments/sizes","takes":["query"]},
  listMembers: {"endpoint":"GET /segments/{id}/contacts","takes":["query"],"list":["cursor","data"]},
  explain: {"endpoint":"GET /segments/{id}/explain","takes":["query"]},
  listSizes: {"endpoint":"GET /segments/{id}/history","takes":["query"]},
  getUsage: {"endpoint":"GET /segments/{id}/usage","takes":[]},
},
templates: {
  list: {"endpoint":"GET /templates","takes":["query"],"list":["page","data"]},
  create: {"endpoint":"POST /templates","takes":["body"]},
  previewUnsaved: {"endpoint":"POST /templates/preview","takes":["body"]},
  get: {"endpoint":"GET /templates/{id}","takes":[]},
  update: {"endpoint":"PATCH /templates/{id}","takes":["body"]},
  delete: {"endpoint":"DELETE /templates/{id}","takes":[]},
  duplicate: {"endpoint":"POST /templates/{id}/duplicate","takes":[]},
  getUsage: {"endpoint":"GET /templates/{id}/usage","takes":[]},
  preview: {"endpoint":"POST /templates/{id}/preview","takes":["body"]},
  listVersions: {"endpoint":"GET /templates/{id}/versions","takes":[]},
  getVersion: {"endpoint":"GET /templates/{id}/versions/{version}","takes":[]},
  restoreVersion: {"endpoint":"POST /templates/{id}/versions/{version}/restore","takes":[]},
  listUses: {"endpoint":"GET /templates/uses","takes":["query"]},
  test: {"endpoint":"POST /templates/{id}/test","takes":["body"]},
},
campaigns: {
  check: {"endpoint":"POST /campaigns/{id}/check","takes":[]},
  countAudience: {"endpoint":"POST /campaigns/audience","takes":["body"]},
  listRecipients: {"endpoint":"GET /campaigns/{id}/recipients","takes":["query"],"list":["cursor","data"]},
  listLinks: {"endpoint":"GET /campaigns/{id}/links","takes":[]},
  listReasons: {"endpoint":"GET /campaigns/{id}/reasons","takes":[]},
  getSeries: {"endpoint":"GET /campaigns/{id}/series","takes":[]},
  list: {"endpoint":"GET /campaigns","takes":["query"],"list":["page","data"]},
  create: {"endpoint":"POST /campaigns","takes":["body"]},
  previewUnsaved: {"endpoint":"POST /campaigns/preview","takes":["body"]},
  get: {"endpoint":"GET /campaigns/{id}","takes":[]},
  replace: {"endpoint":"PUT /campaigns/{id}","takes":["body"]},
  update: {"endpoint":"PATCH /campaigns/{id}","takes":["body"]},
  delete: {"endpoint":"DELETE /campaigns/{id}","takes":[]},
  duplicate: {"endpoint":"POST /campaigns/{id}/duplicate","takes":[]},
  getStats: {"endpoint":"GET /campaigns/{id}/stats","takes":[]},
  preview: {"endpoint":"POST /campaigns/{id}/preview","takes":["body"]},
  send: {"endpoint":"POST /campaigns/{id}/send","takes":["body"]},
  unschedule: {"endpoint":"POST /campaigns/{id}/unschedule","takes":[]},
  cancel: {"endpoint":"POST /campaigns/{id}/cancel","takes":[]},
  test: {"endpoint":"POST /campaigns/{id}/test","takes":["body"]},
},
workflows: {
  list: {"endpoint":"GET /workflows","takes":["query"],"list":["page","data"]},
  create: {"endpoint":"POST /workflows","takes":["body"]},
  listFields: {"endpoint":"GET /workflows/fields","takes":["query"]},
  get: {"endpoint":"GET /workflows/{id}","takes":[]},
  update: {"endpoint":"PATCH /workflows/{id}","takes":["body"]},
  delete: {"endpoint":"DELETE /workflows/{id}","takes":[]},
  duplicate: {"endpoint":"POST /workflows/{id}/duplicate","takes":[]},
  getGraph: {"endpoint":"GET /workflows/{id}/graph","takes":[]},
  saveGraph: {"endpoint":"PUT /workflows/{id}/graph","takes":["body"]},
  checkGraph: {"endpoint":"POST /workflows/{id}/graph/check","takes":["body"]},
  getStatistics: {"endpoint":"GET /workflows/{id}/statistics","takes":[]},
  createStep: {"endpoint":"POST /workflows/{id}/steps","takes":["body"]},
  updateStep: {"endpoint":"PATCH /workflows/{id}/steps/{stepId}","takes":["body"]},
  deleteStep: {"endpoint":"DELETE /workflows/{id}/steps/{stepId}","takes":["query"]},
  createTransition: {"endpoint":"POST /workflows/{id}/transitions","takes":["body"]},
  deleteTransition: {"endpoint":"DELETE /workflows/{id}/transitions/{transitionId}","takes":[]},
  insertStep: {"endpoint":"POST /workflows/{id}/transitions/{transitionId}/insert-step","takes":["body"]},
  listVersions: {"endpoint":"GET /workflows/{id}/versions","takes":[]},
  getVersion: {"endpoint":"GET /workflows/{id}/versions/{version}","takes":[]},
  restoreVersion: {"endpoint":"POST /workflows/{id}/versions/{version}/restore","takes":[]},
  startExecution: {"endpoint":"POST /workflows/{id}/executions","takes":["body"]},
  listExecutions: {"endpoint":"GET /workflows/{id}/executions","takes":["query"],"list":["page","data"]},
  getExecution: {"endpoint":"GET /workflows/{id}/executions/{executionId}","takes":[]},
  cancelExecution: {"endpoint":"DELETE /workflows/{id}/executions/{executionId}","takes":[]},
  getExecutionGraph: {"endpoint":"GET /workflows/{id}/executions/{executionId}/graph","takes":[]},
  cancelExecutions: {"endpoint":"POST /workflows/{id}/executions/cancel-all","takes":[]},
  test: {"endpoint":"POST /workflows/{id}/test","takes":["body"]},
},
domains: {
  list: {"endpoint":"GET /domains/project/{projectId}","takes":[]},
  create: {"endpoint":"POST /domains","takes":["body"]},
  get: {"endpoint":"GET /domains/{id}","takes":[]},
  delete: {"endpoint":"DELETE /domains/{id}","takes":[]},
  verify: {"endpoint":"GET /domains/{id}/verify","takes":[]},
  rekey: {"endpoint":"POST /domains/rekey","takes":["body"]},
},
transports: {
  list: {"endpoint":"GET /transports","takes":[]},
  create: {"endpoint":"POST /transports","takes":["body"]},
  get: {"endpoint":"GET /transports/{id}","takes":[]},
  update: {"endpoint":"PATCH /transports/{id}","takes":["body"]},
  delete: {"endpoint":"DELETE /transports/{id}","takes":[]},
  test: {"endpoint":"POST /transports/{id}/test","takes":["body"]},
  getRoutes: {"endpoint":"GET /routes","takes":[]},
  replaceRoutes: {"endpoint":"PUT /routes","takes":["body"]},
  testRoutes: {"endpoint":"POST /routes/test","takes":["body"]},
  listWarmupPlans: {"endpoint":"GET /warmup-plans","takes":[]},
  createWarmupPlan: {"endpoint":"POST /warmup-plans","takes":["body"]},
  updateWarmupPlan: {"endpoint":"PATCH /warmup-plans/{id}","takes":["body"]},
  deleteWarmupPlan: {"endpoint":"DELETE /warmup-plans/{id}","takes":[]},
},
moves: {
  list: {"endpoint":"GET /moves","takes":["query"],"list":["cursor","data"]},
  create: {"endpoint":"POST /moves","takes":["body"]},
  get: {"endpoint":"GET /moves/{id}","takes":[]},
  listLeftOut: {"endpoint":"GET /moves/{id}/left-out","takes":["query"],"list":["cursor","data"]},
  uploadFile: {"endpoint":"POST /moves/{id}/files","takes":["body","query"],"media":"application/octet-stream"},
  deleteFile: {"endpoint":"DELETE /moves/{id}/files/{fileId}","takes":[]},
  check: {"endpoint":"POST /moves/{id}/check","takes":["body"]},
  start: {"endpoint":"POST /moves/{id}/start","takes":[]},
  cancel: {"endpoint":"POST /moves/{id}/cancel","takes":[]},
},
suppressions: {
  list: {"endpoint":"GET /suppressions","takes":["query"],"list":["cursor","data"]},
  create: {"endpoint":"POST /suppressions","takes":["body"]},
  delete: {"endpoint":"DELETE /suppressions","takes":["body","query"]},
  export: {"endpoint":"GET /suppressions/export","takes":[],"file":true},
  import: {"endpoint":"POST /suppressions/import","takes":["body","query"],"media":"text/csv"},
},
analytics: {
  getTimeseries: {"endpoint":"GET /analytics/timeseries","takes":["query"]},
  listTopTags: {"endpoint":"GET /analytics/tags","takes":["query"]},
  getContactSeries: {"endpoint":"GET /analytics/contacts","takes":["query"]},
  listTopCampaigns: {"endpoint":"GET /analytics/top-campaigns","takes":["query"]},
  getCampaignsOverview: {"endpoint":"GET /analytics/campaign-stats","takes":[]},
  listTopEvents: {"endpoint":"GET /analytics/top-events","takes":["query"]},
  getDeliverability: {"endpoint":"GET /deliverability","takes":["query"]},
  listDeliverabilityAlerts: {"endpoint":"GET /deliverability/alerts","takes":["query"]},
  getSenderRules: {"endpoint":"GET /deliverability/domains/{id}","takes":[]},
},
activity: {
  list: {"endpoint":"GET /activity","takes":["query"],"list":["cursor","data"]},
  getStats: {"endpoint":"GET /activity/stats","takes":["query"]},
  getRecentCount: {"endpoint":"GET /activity/recent-count","takes":["query"]},
  listTypes: {"endpoint":"GET /activity/types","takes":[]},
  listUpcoming: {"endpoint":"GET /activity/upcoming","takes":["query"]},
  stream: {"endpoint":"GET /activity/stream","takes":["query"],"file":true},
},
requests: {
  list: {"endpoint":"GET /requests","takes":["query"],"list":["cursor","data"]},
  get: {"endpoint":"GET /requests/{id}","takes":[]},
},
  search: {"endpoint":"GET /search","takes":["query"]},
projects: {
  get: {"endpoint":"GET /projects/{id}","takes":[]},
  getSetupState: {"endpoint":"GET /projects/{id}/setup-state","takes":[]},
  getSecurity: {"endpoint":"GET /projects/{id}/security","takes":[]},
  listMembers: {"endpoint":"GET /projects/{id}/members","takes":[]},
  listAuditLog: {"endpoint":"GET /projects/{id}/audit","takes":["query"],"list":["cursor","data"]},
},
uploads: {
  listImages: {"endpoint":"GET /uploads","takes":["query"],"list":["cursor","data"]},
  getImageUsage: {"endpoint":"GET /uploads/{key}/usage","takes":[]},
  deleteImage: {"endpoint":"DELETE /uploads/{key}","takes":["query"]},
  uploadImage: {"endpoint":"POST /uploads/image","takes":["body"],"media":"multipart/form-data"},
},
webhooks: {
  list: {"endpoint":"GET /webhooks","takes":[]},
  create: {"endpoint":"POST /webhooks","takes":["body"]},
  get: {"endpoint":"GET /webhooks/{id}","takes":[]},
  update: {"endpoint":"PATCH /webhooks/{id}","takes":["body"]},
  delete: {"endpoint":"DELETE /webhooks/{id}","takes":[]},
  getEndpointSecret: {"endpoint":"GET /webhooks/{id}/secret","takes":[]},
  rotateEndpointSecret: {"endpoint":"POST /webhooks/{id}/rotate-secret","takes":[]},
  listDeliveries: {"endpoint":"GET /webhooks/{id}/deliveries","takes":["query"],"list":["cursor","data"]},
  getDelivery: {"endpoint":"GET /webhooks/{id}/deliveries/{deliveryId}","takes":[]},
  replayDelivery: {"endpoint":"POST /webhooks/{id}/deliveries/{deliveryId}/replay","takes":[]},
  replayDeliveries: {"endpoint":"POST /webhooks/{id}/replay","takes":["body"]},
  test: {"endpoint":"POST /webhooks/{id}/test","takes":[]},
},
inbox: {
  list: {"endpoint":"GET /inbox/mails","takes":["query"],"list":["cursor","data"]},
  markInboxMails: {"endpoint":"PATCH /inbox/mails","takes":["body"]},
  clearInbox: {"endpoint":"DELETE /inbox/mails","takes":[]},
  deleteInboxMails: {"endpoint":"POST /inbox/mails/delete","takes":["body"]},
  get: {"endpoint":"GET /inbox/mails/{id}","takes":[]},
  markInboxMail: {"endpoint":"PATCH /inbox/mails/{id}","takes":["body"]},
  deleteInboxMail: {"endpoint":"DELETE /inbox/mails/{id}","takes":[]},
  getHtml: {"endpoint":"GET /inbox/mails/{id}/html","takes":[],"file":true},
  getSource: {"endpoint":"GET /inbox/mails/{id}/source","takes":[],"file":true},
  getAttachment: {"endpoint":"GET /inbox/mails/{id}/attachments/{index}","takes":[],"file":true},
},
} as const;
