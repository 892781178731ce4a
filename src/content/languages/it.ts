import type { Phrases } from "./shape.ts";

/** Italian. */
export const it: Phrases = {
  footer: {
    reason: "Riceve questa e-mail perché il suo indirizzo è iscritto alla lista di {project}.",
    unsubscribe: "Annulla l’iscrizione",
    manage: "Gestisci l’iscrizione",
  },
  leave: {
    heading: "Annullare l’iscrizione?",
    text: "{project} non invierà più newsletter e offerte a {address}.",
    note: "Le e-mail che la riguardano personalmente, come le ricevute, potranno ancora arrivare.",
    button: "Annulla l’iscrizione",
  },
  left: {
    heading: "Iscrizione annullata",
    text: "{project} non invierà più newsletter né offerte a {address}.",
    note: "È stato un errore?",
    button: "Riattiva l’iscrizione",
  },
  join: {
    heading: "Iscriversi a queste e-mail?",
    text: "{project} invierà newsletter e offerte a {address}.",
    note: "Può annullare l’iscrizione in qualsiasi momento.",
    button: "Conferma l’iscrizione",
  },
  joined: {
    heading: "L’iscrizione è attiva",
    text: "{project} invierà newsletter e offerte a {address}.",
    note: "Ha cambiato idea?",
    button: "Annulla l’iscrizione",
  },
  manage: {
    heading: "La sua iscrizione",
    text: "Scelga che cosa {project} può inviare a {address}.",
    yes: "Newsletter e offerte",
    no: "Né newsletter né offerte",
    button: "Salva",
    saved: "La sua scelta è stata salvata.",
  },
  missing: {
    heading: "Questo link non funziona",
    text: "È incompleto, oppure l’indirizzo non è più nell’elenco. Apra di nuovo il link nell’e-mail più recente.",
  },
  preview: {
    heading: "Questa è solo un’anteprima",
    text: "Il link proviene da un’e-mail di prova. Nell’e-mail vera ogni indirizzo ha il proprio link.",
  },
  busy: {
    heading: "Un momento, per favore",
    text: "Dalla sua rete arrivano troppe richieste. Riprovi tra un minuto.",
  },
  trouble: {
    heading: "L’operazione non è riuscita",
    text: "Non è stato modificato nulla. Riprovi tra qualche minuto.",
  },
};
