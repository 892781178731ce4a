import type { Phrases } from "./shape.ts";

/** Dutch. */
export const nl: Phrases = {
  footer: {
    reason: "U ontvangt deze e-mail omdat u bent aangemeld voor e-mails van {project}.",
    unsubscribe: "Afmelden",
    manage: "Voorkeuren wijzigen",
  },
  leave: {
    heading: "Afmelden voor deze e-mails?",
    text: "{project} stuurt dan geen nieuwsbrieven en aanbiedingen meer naar {address}.",
    note: "E-mails die u persoonlijk aangaan, zoals facturen, kunt u blijven ontvangen.",
    button: "Afmelden",
  },
  left: {
    heading: "U bent afgemeld",
    text: "{project} stuurt geen nieuwsbrieven en aanbiedingen meer naar {address}.",
    note: "Was dit een vergissing?",
    button: "Opnieuw aanmelden",
  },
  join: {
    heading: "Aanmelden voor deze e-mails?",
    text: "{project} stuurt dan nieuwsbrieven en aanbiedingen naar {address}.",
    note: "U kunt zich op elk moment weer afmelden.",
    button: "Aanmelden",
  },
  joined: {
    heading: "U bent aangemeld",
    text: "{project} stuurt nieuwsbrieven en aanbiedingen naar {address}.",
    note: "Toch liever niet?",
    button: "Afmelden",
  },
  manage: {
    heading: "Uw voorkeuren",
    text: "Kies wat {project} naar {address} mag sturen.",
    yes: "Nieuwsbrieven en aanbiedingen",
    no: "Geen nieuwsbrieven of aanbiedingen",
    button: "Opslaan",
    saved: "Uw keuze is opgeslagen.",
  },
  missing: {
    heading: "Deze link werkt niet",
    text: "De link is onvolledig, of het adres staat niet meer op de lijst. Open de link in de meest recente e-mail nog een keer.",
  },
  preview: {
    heading: "Dit is alleen een voorbeeld",
    text: "De link komt uit een testmail. In de echte e-mail heeft elk adres een eigen link.",
  },
  busy: {
    heading: "Een ogenblik geduld",
    text: "Er komen te veel verzoeken vanaf uw netwerk. Probeer het over een minuut opnieuw.",
  },
  trouble: {
    heading: "Dat is niet gelukt",
    text: "Er is niets gewijzigd. Probeer het over een paar minuten opnieuw.",
  },
};
