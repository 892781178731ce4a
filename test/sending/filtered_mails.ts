// Mails as people send them, in all the shapes that an assembly has to cope with.

/** How a mail is asked for: the body of `POST /v1/send`, or of `POST /campaigns`; a template's is saved before. */
export interface Sample {
  name: string;
  send?: object;
  campaign?: object;
  template?: object;
}

const PICTURE = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const PDF = btoa(`%PDF-1.4\n${"0 0 0 obj\n".repeat(300)}%%EOF\n`);
const INVITATION = btoa(
  [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Shop//EN",
    "METHOD:REQUEST",
    "BEGIN:VEVENT",
    "UID:1@signs.example",
    "DTSTAMP:20261127T080000Z",
    "DTSTART:20261204T100000Z",
    "DTEND:20261204T110000Z",
    "SUMMARY:Tour of the workshop",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n"),
);

const english = (more = "") =>
  `<h1>Your order is on its way</h1>
<p>Hello Ada, we packed your order this morning. It arrives on Thursday, and the courier rings twice.</p>
${more}
<p>If anything is missing, answer this mail. We read every answer, and usually write back within a day.</p>
<p>Kind regards,<br>the people of the shop</p>`;
const PARAGRAPH = `<p style="margin:0 0 16px">Spring is here, and so are the new colours: linen in sand and sage.</p>`;
const MJML = (head: string) => `<mjml><mj-head>${head}</mj-head><mj-body>
<mj-section><mj-column><mj-image alt="The workshop in spring" src="https://shop.example/spring.jpg" width="600px" />
<mj-text>Hello {{firstName ?? there}}, spring is here, and so are the new colours: linen in sand and sage, cotton in blue.</mj-text>
<mj-text>We wove both in the workshop that you can visit every Thursday. The kettle is on, and the dog is friendly.</mj-text>
<mj-button href="https://shop.example/colours">See the colours</mj-button></mj-column></mj-section></mj-body></mjml>`;
const LINK = '<p><a href="https://shop.example/orders/4711">Follow your order</a></p>';
const file = (filename: string, contentType: string, content: string) => ({ filename, contentType, content });

/** Thirty of them. */
export const SAMPLES: Sample[] = [
  { name: "a receipt", send: { subject: "Your order 4711 is on its way", body: english() } },
  { name: "a receipt with a link", send: { subject: "Your order is on its way", body: english(LINK) } },
  {
    name: "a log-in link",
    send: {
      subject: "Log in to the shop",
      body: `<p>Somebody, hopefully you, asked to log in. This link does it, once and within ten minutes:</p><p><a href="https://shop.example/log-in?token=${"a1".repeat(40)}">Log in</a></p><p>If it was not you, there is nothing to do.</p>`,
    },
  },
  { name: "two lines", send: { subject: "Your table is ready", body: "<p>See you soon.</p><p>Ada</p>" } },
  { name: "plain words without any tag", send: { subject: "Notes", body: "The notes of today are ready." } },
  {
    name: "German",
    send: {
      subject: "Grüße aus Köln: Ihre Bestellung ist unterwegs",
      body: "<p>Guten Tag, Ihre Bestellung für die Küche ist unterwegs und müsste übermorgen da sein.</p><p>Schöne Grüße aus der Werkstatt</p>",
    },
  },
  {
    name: "French with a long subject",
    send: {
      subject: `Votre commande est partie ce matin, ${"et elle arrivera très bientôt chez vous, ".repeat(3)}merci`,
      body: "<p>Bonjour, votre commande a été expédiée. Elle arrivera jeudi, à moins que la neige ne tombe.</p>",
    },
  },
  {
    name: "Japanese",
    send: {
      subject: "ご注文の商品を発送いたしました",
      body: `<p>${"ご注文いただいた商品を本日発送いたしました。到着まで今しばらくお待ちください。".repeat(4)}</p>`,
    },
  },
  {
    name: "Arabic",
    send: {
      subject: "طلبك في الطريق إليك",
      body: `<div dir="rtl"><p>${"مرحبا، لقد شحنا طلبك هذا الصباح وسيصل يوم الخميس. ".repeat(4)}</p></div>`,
    },
  },
  {
    name: "Russian",
    send: {
      subject: "Ваш заказ в пути",
      body: `<p>${"Мы отправили ваш заказ сегодня утром. ".repeat(6)}</p>`,
    },
  },
  { name: "emoji", send: { subject: "Your plants are here 🌱", body: english("<p>🌱 🌿 🌳</p>") } },
  {
    name: "lines that servers may change",
    send: {
      subject: "Minutes",
      body: "<pre>From here on:\n.\n..and so on\n  \n-- \nAda</pre><p>Regards</p>",
    },
  },
  { name: "one line of 20 KB", send: { subject: "All of spring", body: english(PARAGRAPH.repeat(200)) } },
  {
    name: "one word of 5,000 letters",
    send: { subject: "A key", body: english(`<p>${"k3y".repeat(1_700)}</p>`) },
  },
  { name: "90 KB", send: { subject: "The catalogue", body: english(`${PARAGRAPH}\n`.repeat(850)) } },
  {
    name: "names with accents",
    send: {
      to: { email: "ada@example.com", name: "Ada Müller, née Lovelace" },
      from: { email: "news@signs.example", name: 'Café "Zoë" & Søn, Inc.' },
      subject: "Your table",
      body: english(),
    },
  },
  {
    name: "an address for answers",
    send: { subject: "Ask us", body: english(), reply: "help@signs.example" },
  },
  {
    name: "headers of its own",
    send: {
      subject: "Re: Your question",
      body: english(),
      headers: { "X-Order": "4711", References: "<q1@example.com>", "In-Reply-To": "<q1@example.com>" },
    },
  },
  {
    name: "a PDF",
    send: {
      subject: "Your invoice",
      body: english(),
      attachments: [file("invoice.pdf", "application/pdf", PDF)],
    },
  },
  {
    name: "a file whose name is not English",
    send: {
      subject: "Ihre Rechnung",
      body: "<p>Guten Tag, im Anhang finden Sie Ihre Rechnung für März. Vielen Dank für Ihren Einkauf.</p>",
      attachments: [file("Rechnung für März.pdf", "application/pdf", PDF)],
    },
  },
  {
    name: "two files",
    send: {
      subject: "Your papers",
      body: english(),
      attachments: [
        file("terms.txt", "text/plain", btoa("The terms.\n")),
        file("a.pdf", "application/pdf", PDF),
      ],
    },
  },
  {
    name: "a picture in the text",
    send: {
      subject: "Our logo",
      body: english('<p><img src="cid:logo" alt="The logo of the shop" width="120" height="40"></p>'),
      attachments: [{ ...file("logo.gif", "image/gif", PICTURE), contentId: "logo", disposition: "inline" }],
    },
  },
  {
    name: "an invitation",
    send: {
      subject: "Tour of the workshop",
      body: english(),
      attachments: [file("invitation.ics", "text/calendar; method=REQUEST", INVITATION)],
    },
  },
  {
    name: "an address to unsubscribe in its text",
    send: { subject: "Your week", body: english('<p><a href="{{unsubscribeUrl}}">Unsubscribe</a></p>') },
  },
  {
    name: "a template with data",
    template: {
      subject: "Hello {{firstName}}",
      body: english("<p>Your plan: {{plan}}</p>"),
      type: "TRANSACTIONAL",
    },
    send: { data: { firstName: "Ada", plan: "pro" } },
  },
  { name: "a template in MJML", template: { subject: "The new colours", body: MJML("") }, send: {} },
  { name: "a campaign", campaign: { subject: "Hello {{firstName}}, the new colours", body: english(LINK) } },
  {
    name: "a campaign in German",
    campaign: {
      subject: "Die neuen Farben für den Frühling",
      body: `<p>Guten Tag, die neuen Farben sind da: Leinen in Sand und Salbei, Baumwolle in Blau.</p><p><a href="https://shop.example/farben">Zu den Farben</a></p><p>Schöne Grüße</p>`,
    },
  },
  {
    name: "a campaign in MJML with a preheader",
    campaign: {
      subject: "The new colours",
      preheader: "Linen in sand and sage",
      body: MJML("<mj-title>Colours</mj-title>"),
    },
  },
  {
    name: "a campaign with a picture and little text",
    campaign: {
      subject: "A picture of spring",
      body: '<p><a href="https://shop.example/"><img src="https://shop.example/spring.jpg" alt="The workshop in spring, with all its windows open" width="600" height="200"></a></p><p>Spring is here, and so are the new colours: linen in sand and sage, cotton in every blue. The kettle is on.</p>',
    },
  },
];
