// Mails that come back, in the forms that mail servers and providers give them.

/** The return path of the mail that they are about. */
export const RETURN_PATH = "b-0123456789abcdefghijklmnopqrstuv0123456789@bounces.shop.example";

/** The source as it comes over the wire. */
export function wire(lines: string): Uint8Array {
  return Buffer.from(`${lines.trim()}\n`.replace(/\r?\n/g, "\r\n"));
}

/** The mail itself, as it is sent back. */
export const ORIGINAL = `
Return-Path: <${RETURN_PATH}>
Received: from mail.shop.example (mail.shop.example [192.0.2.55])
	by mx.example.net with ESMTPS id 5.1.1; Fri, 20 Nov 2026 08:00:00 +0000
From: Shop <hello@shop.example>
To: nobody@example.net
Subject: Your order
Message-ID: <0193a000-0000-7000-8000-000000000001@shop.example>

Thank you. Our old mailbox was full: 452 4.2.2.
`.trim();

interface Parts {
  /** More fields of the header. */
  header?: string;
  subject?: string;
  type?: string;
  /** What people read. */
  text?: string;
  /** The type and content of the part that machines read. */
  status: string;
  statusType?: string;
  original?: string;
  originalType?: string;
}

/** A report in three parts. */
export function report({
  header = "Auto-Submitted: auto-replied",
  subject = "Undelivered Mail Returned to Sender",
  type = "delivery-status",
  text = "I'm sorry to have to inform you that your message could not be delivered.",
  status,
  statusType = "message/delivery-status",
  original = ORIGINAL,
  originalType = "message/rfc822",
}: Parts): Uint8Array {
  return wire(`
Date: Fri, 20 Nov 2026 09:00:07 +0100 (CET)
From: MAILER-DAEMON@mx.example.net (Mail Delivery System)
Subject: ${subject}
To: ${RETURN_PATH}
${header}
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type};
	boundary="4Wx1Yz.1763629207/mx.example.net"

This is a MIME-encapsulated message.

--4Wx1Yz.1763629207/mx.example.net
Content-Description: Notification
Content-Type: text/plain; charset=utf-8

${text}

--4Wx1Yz.1763629207/mx.example.net
Content-Description: Delivery report
Content-Type: ${statusType}

${status.trim()}

--4Wx1Yz.1763629207/mx.example.net
Content-Description: Undelivered Message
Content-Type: ${originalType}

${original}

--4Wx1Yz.1763629207/mx.example.net--`);
}

/** Those of real servers and providers, by name. */
export const SAMPLES = {
  postfixLocal: report({
    status: `
Reporting-MTA: dns; mx.example.net
X-Postfix-Queue-ID: 4Wx1Yz0abc
X-Postfix-Sender: rfc822; ${RETURN_PATH}
Arrival-Date: Fri, 20 Nov 2026 09:00:05 +0100 (CET)

Final-Recipient: rfc822; nobody@example.net
Original-Recipient: rfc822;nobody@example.net
Action: failed
Status: 5.1.1
Diagnostic-Code: X-Postfix; unknown user: "nobody"`,
  }),

  postfixRemote: report({
    status: `
Reporting-MTA: dns; relay.example.org
Arrival-Date: Fri, 20 Nov 2026 09:00:05 +0100 (CET)

Final-Recipient: rfc822; nobody@example.net
Original-Recipient: rfc822;nobody@example.net
Action: failed
Status: 5.1.1
Remote-MTA: dns; mx.example.net
Diagnostic-Code: smtp; 550 5.1.1 <nobody@example.net>: Recipient address
    rejected: User unknown in virtual mailbox table`,
  }),

  postfixDelayed: report({
    subject: "Delayed Mail (still being retried)",
    status: `
Reporting-MTA: dns; relay.example.org
Arrival-Date: Fri, 20 Nov 2026 05:00:05 +0100 (CET)

Final-Recipient: rfc822; ada@example.net
Original-Recipient: rfc822;ada@example.net
Action: delayed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to mx.example.net[192.0.2.9]:25: Connection timed out
Will-Retry-Until: Wed, 25 Nov 2026 05:00:05 +0100 (CET)`,
  }),

  postfixExpired: report({
    status: `
Reporting-MTA: dns; relay.example.org
Arrival-Date: Sun, 15 Nov 2026 09:00:05 +0100 (CET)

Final-Recipient: rfc822; ada@example.net
Action: failed
Status: 4.4.1
Diagnostic-Code: X-Postfix; connect to mx.example.net[192.0.2.9]:25: Connection timed out`,
  }),

  postfixNoHost: report({
    status: `
Reporting-MTA: dns; relay.example.org

Final-Recipient: rfc822; ada@example.invalid
Action: failed
Status: 5.4.4
Diagnostic-Code: X-Postfix; Host or domain name not found. Name service error
    for name=example.invalid type=AAAA: Host not found`,
  }),

  eximReport: report({
    header: "Auto-Submitted: auto-replied\nX-Failed-Recipients: nobody@example.net",
    subject: "Mail delivery failed: returning message to sender",
    status: `
Reporting-MTA: dns; exim.example.org

Action: failed
Final-Recipient: rfc822;nobody@example.net
Status: 5.0.0
Remote-MTA: dns; mx.example.net
Diagnostic-Code: smtp; 550-5.1.1 The account that you tried to reach does not exist.
 550 5.1.1 Look for a typing error`,
  }),

  eximText: wire(`
From: Mail Delivery System <Mailer-Daemon@exim.example.org>
To: ${RETURN_PATH}
Subject: Mail delivery failed: returning message to sender
Date: Fri, 20 Nov 2026 08:00:07 +0000
Auto-Submitted: auto-replied
X-Failed-Recipients: nobody@example.net

This message was created automatically by mail delivery software (Exim 4.94.2).

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  nobody@example.net
    SMTP error from remote mail server after RCPT TO:<nobody@example.net>:
    host mx.example.net [192.0.2.5]: 550 no such user here

------ This is a copy of the message, including all the headers. ------

${ORIGINAL}`),

  eximWarning: wire(`
From: Mail Delivery System <Mailer-Daemon@exim.example.org>
To: ${RETURN_PATH}
Subject: Warning: message 1tDabc-000abc-2X delayed 24 hours
Auto-Submitted: auto-replied
Date: Fri, 20 Nov 2026 08:00:07 +0000

A message that you sent has not yet been delivered to one or more of its
recipients after more than 24 hours on the queue. No action is required.`),

  exchange: report({
    header: "Auto-Submitted: auto-replied\nX-MS-Exchange-Message-Is-Ndr:\nContent-Language: en-US",
    subject: "Undeliverable: Your order",
    status: `
Reporting-MTA: dns;AM0PR01MB0001.eurprd01.prod.outlook.example
Received-From-MTA: dns;mail.shop.example
Arrival-Date: Fri, 20 Nov 2026 08:00:02 +0000

Final-Recipient: rfc822;Nobody@Example.NET
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient nobody@example.net not found by SMTP address lookup
X-Display-Name: Nobody`,
  }),

  exchangeEdge: report({
    subject: "Undeliverable: Your order",
    status: `
Reporting-MTA: dns;edge.example.org

Final-Recipient: rfc822;nobody@example.net
Action: failed
Status: 5.4.1
Diagnostic-Code: smtp;550 5.4.1 Recipient address rejected: Access denied`,
  }),

  gmail: report({
    header: "Auto-Submitted: auto-replied\nX-Failed-Recipients: nobody@gmail.example",
    subject: "Delivery Status Notification (Failure)",
    status: `
Reporting-MTA: dns; googlemail.example
Received-From-MTA: dns; ${RETURN_PATH}
Arrival-Date: Fri, 20 Nov 2026 00:00:05 -0800 (PST)
X-Original-Message-ID: <0193a000-0000-7000-8000-000000000001@shop.example>

Final-Recipient: rfc822; nobody@gmail.example
Action: failed
Status: 5.1.1
Remote-MTA: dns; gmail-smtp-in.example. (192.0.2.27, the server for the domain.)
Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try
 550-5.1.1 double-checking the recipient's email address for typos or
 550 5.1.1 unnecessary spaces. - gsmtp
Last-Attempt-Date: Fri, 20 Nov 2026 00:00:06 -0800 (PST)`,
  }),

  gmailFull: report({
    subject: "Delivery Status Notification (Failure)",
    status: `
Reporting-MTA: dns; googlemail.example

Final-Recipient: rfc822; full@gmail.example
Action: failed
Status: 5.2.2
Diagnostic-Code: smtp; 552-5.2.2 The email account that you tried to reach is over quota.`,
  }),

  sendmail: report({
    header: "Auto-Submitted: auto-generated (failure)",
    subject: "Returned mail: see transcript for details",
    text: `The original message was received at Fri, 20 Nov 2026 08:00:00 GMT
from mail.shop.example [192.0.2.55]

   ----- The following addresses had permanent fatal errors -----
<nobody@example.net>
    (reason: 550 5.1.1 <nobody@example.net>... User unknown)`,
    status: `
Reporting-MTA: dns; sendmail.example.org
Received-From-MTA: DNS; mail.shop.example
Arrival-Date: Fri, 20 Nov 2026 08:00:00 GMT

Final-Recipient: RFC822; nobody@example.net
Action: failed
Status: 5.1.1
Remote-MTA: DNS; mx.example.net
Diagnostic-Code: SMTP; 550 5.1.1 <nobody@example.net>... User unknown
Last-Attempt-Date: Fri, 20 Nov 2026 08:00:03 GMT`,
    originalType: "text/rfc822-headers",
  }),

  qmail: wire(`
Date: 20 Nov 2026 08:00:07 -0000
From: MAILER-DAEMON@qmail.example.org
To: ${RETURN_PATH}
Subject: failure notice

Hi. This is the qmail-send program at qmail.example.org.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<nobody@example.net>:
192.0.2.9 does not like recipient.
Remote host said: 550 sorry, no mailbox here by that name (#5.1.1 - chkuser)
Giving up on 192.0.2.9.

--- Below this line is a copy of the message.

${ORIGINAL}`),

  blockedAsSpam: report({
    status: `
Reporting-MTA: dns; relay.example.org

Final-Recipient: rfc822; ada@example.net
Action: failed
Status: 5.7.1
Diagnostic-Code: smtp; 550 5.7.1 Service unavailable; client host [192.0.2.55] blocked using a block list`,
  }),

  delivered: report({
    subject: "Successful Mail Delivery Report",
    status: `
Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ada@example.net
Action: delivered (to mailbox)
Status: 2.0.0`,
  }),

  relayed: report({
    subject: "Successful Mail Delivery Report",
    status: `
Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; ada@example.net
Action: relayed
Status: 2.0.0`,
  }),

  international: report({
    statusType: "message/global-delivery-status",
    status: `
Reporting-MTA: dns; mx.example.net

Final-Recipient: utf-8; münchen@example.net
Original-Recipient: rfc822;muenchen@example.net
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 Empfänger unbekannt`,
    originalType: "message/global",
  }),

  severalRecipients: report({
    status: `
Reporting-MTA: dns; lists.example.net

Final-Recipient: rfc822; one@example.net
Action: failed
Status: 5.1.1

Final-Recipient: rfc822; two@example.net
Action: delayed
Status: 4.2.2

Final-Recipient: rfc822; three@example.net
Action: expanded
Status: 2.0.0`,
  }),

  yahooComplaint: report({
    header: "Feedback-Type: not this one",
    subject: "Fwd: Your order",
    type: "feedback-report",
    text: "This is an email abuse report for an email message from shop.example on Fri, 20 Nov 2026",
    statusType: "message/feedback-report",
    status: `
Feedback-Type: abuse
User-Agent: Yahoo!-Mail-Feedback/2.0
Version: 0.1
Original-Mail-From: <${RETURN_PATH}>
Original-Rcpt-To: ada@yahoo.example
Received-Date: Fri, 20 Nov 2026 07:00:00 +0000
Reported-Domain: shop.example
Authentication-Results: mta.yahoo.example; dkim=pass (ok)`,
  }),

  notSpam: report({
    type: "feedback-report",
    statusType: "message/feedback-report",
    status: `
Feedback-Type: not-spam
User-Agent: SomeGenerator/1.0
Version: 1`,
  }),

  dmarcFailure: report({
    type: "feedback-report",
    statusType: "message/feedback-report",
    status: `
Feedback-Type: auth-failure
User-Agent: SomeGenerator/1.0
Version: 1
Auth-Failure: dmarc`,
  }),

  absenceNote: wire(`
From: Ada <ada@example.net>
To: ${RETURN_PATH}
Subject: Automatic reply: Your order
Auto-Submitted: auto-replied
Date: Fri, 20 Nov 2026 08:00:07 +0000

I am away until Monday. For account unknown to me, call 550 5.1.1.`),

  vacation: wire(`
From: ada@example.net
To: ${RETURN_PATH}
Subject: Re: Your order
Precedence: bulk
X-Autoreply: yes

Gone fishing.`),

  receipt: report({
    header: "Disposition: read",
    subject: "Read: Your order",
    type: "disposition-notification",
    statusType: "message/disposition-notification",
    status: `
Reporting-UA: mail.example.net; SomeClient
Final-Recipient: rfc822;ada@example.net
Original-Message-ID: <0193a000-0000-7000-8000-000000000001@shop.example>
Disposition: manual-action/MDN-sent-manually; displayed`,
  }),

  answer: wire(`
From: Ada <ada@example.net>
To: ${RETURN_PATH}
Subject: Re: Your order

Mail to my old address is returned with "550 5.1.1 user unknown".`),

  unexplained: wire(`
From: postmaster@odd.example.net
To: ${RETURN_PATH}
Subject: Nachricht

Ihre Nachricht konnte nicht zugestellt werden.`),
} satisfies Record<string, Uint8Array>;
