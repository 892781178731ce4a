import type { Phrases } from "./shape.ts";

/** French. No word is before the name that would lose its vowel, and no participle guesses at a gender. */
export const fr: Phrases = {
  footer: {
    reason: "{project} vous envoie cet e-mail parce que votre adresse est inscrite à sa liste de diffusion.",
    unsubscribe: "Se désabonner",
    manage: "Gérer votre abonnement",
  },
  leave: {
    heading: "Se désabonner de ces e-mails\u202f?",
    text: "{project} n’enverra plus de newsletters ni d’offres à {address}.",
    note: "Les e-mails qui vous concernent personnellement, comme les factures, pourront encore vous parvenir.",
    button: "Se désabonner",
  },
  left: {
    heading: "Votre désabonnement est confirmé",
    text: "{project} n’enverra plus de newsletters ni d’offres à {address}.",
    note: "C’était une erreur\u202f?",
    button: "Se réabonner",
  },
  join: {
    heading: "S’abonner à ces e-mails\u202f?",
    text: "{project} enverra des newsletters et des offres à {address}.",
    note: "Vous pourrez vous désabonner à tout moment.",
    button: "S’abonner",
  },
  joined: {
    heading: "Votre abonnement est confirmé",
    text: "{project} enverra des newsletters et des offres à {address}.",
    note: "Vous avez changé d’avis\u202f?",
    button: "Se désabonner",
  },
  manage: {
    heading: "Votre abonnement",
    text: "Choisissez ce que {project} peut envoyer à {address}.",
    yes: "Newsletters et offres",
    no: "Ni newsletters ni offres",
    button: "Enregistrer",
    saved: "Votre choix est enregistré.",
  },
  missing: {
    heading: "Ce lien ne fonctionne pas",
    text: "Il est incomplet, ou l’adresse ne figure plus sur la liste. Veuillez ouvrir à nouveau le lien du dernier e-mail reçu.",
  },
  preview: {
    heading: "Ceci n’est qu’un aperçu",
    text: "Ce lien provient d’un e-mail de test. Dans le véritable e-mail, chaque adresse a son propre lien.",
  },
  busy: {
    heading: "Un instant, s’il vous plaît",
    text: "Trop de demandes arrivent de votre réseau. Veuillez réessayer dans une minute.",
  },
  trouble: {
    heading: "L’opération n’a pas abouti",
    text: "Rien n’a été modifié. Veuillez réessayer dans quelques minutes.",
  },
};
