// Who lives in the demo, what its shop sells, and where its links lead.

/** Of the sender of all its mails. Reserved: it belongs to nobody. */
export const DOMAIN = "shop.example";
/** A second domain, whose records nobody has published. */
export const PENDING_DOMAIN = "news.shop.example";
/** The sender of all its mails. */
export const FROM = `hello@${DOMAIN}`;
/** Their name. */
export const FROM_NAME = "Morrow & Pine";

/** The owner, an admin and a member; an account that has such an address already is used. */
export const PEOPLE = [
  { email: "ada@demo.example", role: "OWNER" },
  { email: "bo@demo.example", role: "ADMIN" },
  { email: "cleo@demo.example", role: "MEMBER" },
] as const;
/** Somebody who was invited, and has no account. */
export const INVITED = { email: "dana@demo.example", role: "MEMBER" } as const;

/** Addresses that are suppressed by hand. */
export const SUPPRESSED = [
  "press@rival.example",
  "legal@rival.example",
  "abuse@post.example",
  "no-reply@mail.example",
];

export const FIRST_NAMES =
  "Anna Ben Clara David Emma Finn Greta Henri Ida Jonas Klara Léa Louis Mia Noah Olivia Paul Rosa Sofia Theo Zoë Hugo Inès Lucas Jules Camille Sven Astrid Björn Freya Lars Nora Magnus Elena Marco Giulia Luca Carmen José Lucía Pablo Tomás Aoife Liam Maeve Oscar Amelia Harry Isla Jack Grace Priya Arjun Yuki Kenji Mei Wei Fatima Omar Layla Amara Kofi Zuri".split(
    " ",
  );

export const LAST_NAMES =
  "Keller Becker Vogel Brandt Lindner Sommer Winter Maier Dubois Laurent Moreau Petit Girard Rossi Bianchi Ricci Conti García Núñez Romero Torres Silva Santos Costa Hansen Larsen Berg Dahl Nilsson Lindqvist Eriksson Jansen Bakker Visser Smit Murphy Byrne Walsh Clarke Bennett Hughes Foster Reid Campbell Novak Horvat Kowalski Nowak Sato Tanaka Chen Zhang Patel Shah Okafor Mensah Haddad Nasser".split(
    " ",
  );

/** As often as people live there. */
export const PLACES = [
  ...many(6, { country: "DE", city: "Berlin", locale: "de" }),
  ...many(4, { country: "DE", city: "Hamburg", locale: "de" }),
  ...many(3, { country: "DE", city: "Leipzig", locale: "de-DE" }),
  ...many(5, { country: "GB", city: "London", locale: "en-GB" }),
  ...many(2, { country: "GB", city: "Leeds", locale: "en-GB" }),
  ...many(4, { country: "FR", city: "Lyon", locale: "fr" }),
  ...many(3, { country: "FR", city: "Paris", locale: "fr-FR" }),
  ...many(3, { country: "NL", city: "Utrecht", locale: "nl" }),
  ...many(3, { country: "ES", city: "Valencia", locale: "es" }),
  ...many(2, { country: "SE", city: "Malmö", locale: "en" }),
  ...many(2, { country: "AT", city: "Graz", locale: "de-AT" }),
  ...many(3, { country: "US", city: "Portland", locale: "en-US" }),
];

export const PRODUCTS = [
  { name: "Lamp Solvei", price: 89 },
  { name: "Blanket Fjell", price: 129 },
  { name: "Table Alder", price: 349 },
  { name: "Vase Isar", price: 38.5 },
  { name: "Mug Sund", price: 18 },
  { name: "Chair Linde", price: 219 },
  { name: "Candle Myr", price: 24 },
  { name: "Rug Strand", price: 179 },
  { name: "Shelf Holm", price: 149 },
  { name: "Tea towel Lin", price: 14.5 },
];

/** Those of its mails, the most followed ones first. */
export const LINKS = [
  "https://shop.example/collection",
  "https://shop.example/lamps",
  "https://shop.example/blankets",
  "https://shop.example/sale",
  "https://shop.example/journal/how-wool-is-washed",
  "https://shop.example/stores",
];

function many<T>(count: number, place: T): T[] {
  return Array<T>(count).fill(place);
}
