import type { Phrases } from "./shape.ts";

/** German. */
export const de: Phrases = {
  footer: {
    reason: "Sie erhalten diese E-Mail, weil Ihre Adresse im Verteiler von {project} steht.",
    unsubscribe: "Newsletter abbestellen",
    manage: "Abonnement verwalten",
  },
  leave: {
    heading: "Newsletter abbestellen?",
    text: "{project} sendet dann keine Newsletter und Angebote mehr an {address}.",
    note: "E-Mails, die Sie persönlich betreffen, etwa Rechnungen, können Sie weiterhin erhalten.",
    button: "Abbestellen",
  },
  left: {
    heading: "Sie haben den Newsletter abbestellt",
    text: "{project} sendet keine Newsletter und Angebote mehr an {address}.",
    note: "War das ein Versehen?",
    button: "Wieder abonnieren",
  },
  join: {
    heading: "Newsletter abonnieren?",
    text: "{project} sendet dann Newsletter und Angebote an {address}.",
    note: "Sie können den Newsletter jederzeit wieder abbestellen.",
    button: "Abonnieren",
  },
  joined: {
    heading: "Sie haben den Newsletter abonniert",
    text: "{project} sendet Newsletter und Angebote an {address}.",
    note: "Doch lieber nicht?",
    button: "Abbestellen",
  },
  manage: {
    heading: "Ihr Abonnement",
    text: "Wählen Sie, was {project} an {address} senden darf.",
    yes: "Newsletter und Angebote",
    no: "Keine Newsletter und Angebote",
    button: "Speichern",
    saved: "Ihre Auswahl ist gespeichert.",
  },
  missing: {
    heading: "Dieser Link funktioniert nicht",
    text: "Er ist unvollständig, oder die Adresse steht nicht mehr im Verteiler. Bitte öffnen Sie den Link in der neuesten E-Mail noch einmal.",
  },
  preview: {
    heading: "Das ist nur eine Vorschau",
    text: "Der Link stammt aus einer Test-E-Mail. In der echten E-Mail hat jede Adresse ihren eigenen Link.",
  },
  busy: {
    heading: "Einen Moment, bitte",
    text: "Aus Ihrem Netz kommen gerade zu viele Anfragen. Bitte versuchen Sie es in einer Minute noch einmal.",
  },
  trouble: {
    heading: "Das hat nicht geklappt",
    text: "Es wurde nichts geändert. Bitte versuchen Sie es in einigen Minuten noch einmal.",
  },
};
