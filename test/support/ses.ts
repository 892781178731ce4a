// What Amazon SES says, in the two shapes that it has for the same thing.

/** The mail that a report is about. */
export interface SesMail {
  /** Ours: both or none is told. */
  projectId?: string;
  emailId?: string;
  /** By what SES knows it. */
  providerId?: string;
  to?: string;
  sentAt?: Date;
}

/** An id as SES gives them. */
export function newProviderId(): string {
  return `0100018f${Bun.randomUUIDv7().slice(-8)}-${crypto.randomUUID()}-000000`;
}

/** The part about the mail. Its Message-ID is ours, as SES tells it in the headers. */
export function sesMail({ projectId, emailId, providerId, to = "ada@example.com", sentAt }: SesMail) {
  const headers = [
    { name: "From", value: "Shop <hello@shop.example>" },
    { name: "To", value: to },
    ...(emailId ? [{ name: "Message-ID", value: `<${emailId}@shop.example>` }] : []),
    ...(projectId ? [{ name: "Feedback-ID", value: `api:${projectId}:transactional:postrider` }] : []),
  ];
  return {
    timestamp: (sentAt ?? new Date(Date.now() - 5_000)).toISOString(),
    messageId: providerId ?? newProviderId(),
    source: "hello@shop.example",
    sourceArn: "arn:aws:ses:eu-west-1:123456789012:identity/shop.example",
    sendingAccountId: "123456789012",
    destination: [to],
    ...(emailId && {
      headersTruncated: false,
      headers,
      commonHeaders: { from: ["Shop <hello@shop.example>"], to: [to], subject: "Hi" },
    }),
    tags: { "ses:configuration-set": ["postrider"] },
  };
}

/** A report: an event of a configuration set, or with `shape` the feedback of an identity. */
export function sesReport(
  kind: string,
  about: SesMail,
  particulars: object = {},
  shape: "eventType" | "notificationType" = "eventType",
) {
  const at = new Date(Date.now() - 2_000).toISOString();
  const to = about.to ?? "ada@example.com";
  const parts: Record<string, [field: string, content: object]> = {
    Send: ["send", {}],
    Delivery: [
      "delivery",
      { timestamp: at, processingTimeMillis: 546, recipients: [to], smtpResponse: "250 ok" },
    ],
    Bounce: [
      "bounce",
      {
        bounceType: "Permanent",
        bounceSubType: "General",
        bouncedRecipients: [
          {
            emailAddress: to,
            action: "failed",
            status: "5.1.1",
            diagnosticCode: "smtp; 550 5.1.1 user unknown",
          },
        ],
        timestamp: at,
        feedbackId: `${newProviderId()}`,
        reportingMTA: "dns; mta.example.com",
      },
    ],
    Complaint: [
      "complaint",
      {
        complainedRecipients: [{ emailAddress: to }],
        timestamp: at,
        feedbackId: `${newProviderId()}`,
        complaintFeedbackType: "abuse",
      },
    ],
    Reject: ["reject", { reason: "Bad content" }],
    "Rendering Failure": ["failure", { templateName: "T", errorMessage: "Attribute 'name' is not present" }],
    DeliveryDelay: [
      "deliveryDelay",
      {
        delayType: "MailboxFull",
        delayedRecipients: [
          { emailAddress: to, status: "4.2.2", diagnosticCode: "smtp; 452 4.2.2 mailbox full" },
        ],
        timestamp: at,
        expirationTime: new Date(Date.now() + 3_600_000).toISOString(),
      },
    ],
    Open: ["open", { ipAddress: "192.0.2.1", timestamp: at, userAgent: BROWSER }],
    Click: [
      "click",
      {
        ipAddress: "192.0.2.1",
        timestamp: at,
        userAgent: BROWSER,
        link: "https://shop.example/a?b=1",
        linkTags: null,
      },
    ],
  };
  const [field, content] = parts[kind] ?? ["", {}];
  return { [shape]: kind, mail: sesMail(about), ...(field && { [field]: { ...content, ...particulars } }) };
}

const BROWSER =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";

/** What SES says about a mail that came in. */
export function sesReceived({ mail = {}, receipt = {}, headers = {} } = {}) {
  return {
    notificationType: "Received",
    mail: {
      timestamp: "2026-01-05T10:00:00.000Z",
      source: "bounces+ada@example.com",
      messageId: "inbound0000000000000000000000000000000001",
      destination: ["support@shop.example"],
      headersTruncated: false,
      headers: [],
      commonHeaders: {
        returnPath: "bounces+ada@example.com",
        from: ['"Lovelace, Ada" <Ada@Example.com>'],
        to: ["support@shop.example"],
        messageId: "<abc.123@example.com>",
        subject: "A question",
        ...headers,
      },
      ...mail,
    },
    receipt: {
      timestamp: "2026-01-05T10:00:01.000Z",
      processingTimeMillis: 222,
      recipients: ["support@shop.example"],
      spamVerdict: { status: "PASS" },
      virusVerdict: { status: "PASS" },
      spfVerdict: { status: "PASS" },
      dkimVerdict: { status: "GRAY" },
      dmarcVerdict: { status: "PASS" },
      dmarcPolicy: "reject",
      action: { type: "SNS", topicArn: "arn:aws:sns:eu-west-1:123456789012:inbound" },
      ...receipt,
    },
    content: "Return-Path: <bounces+ada@example.com>\r\n\r\nHello",
  };
}
