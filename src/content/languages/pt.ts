import type { Phrases } from "./shape.ts";

/** Portuguese. In words that both its shores use. */
export const pt: Phrases = {
  footer: {
    reason: "Recebeu este e-mail porque o seu endereço está inscrito na lista de {project}.",
    unsubscribe: "Deixar de receber",
    manage: "Alterar preferências",
  },
  leave: {
    heading: "Deixar de receber estes e-mails?",
    text: "{project} deixará de enviar newsletters e ofertas para {address}.",
    note: "As mensagens de caráter pessoal, como recibos, ainda poderão chegar.",
    button: "Deixar de receber",
  },
  left: {
    heading: "Inscrição cancelada",
    text: "{project} não enviará mais newsletters nem ofertas para {address}.",
    note: "Foi um engano?",
    button: "Voltar a receber",
  },
  join: {
    heading: "Receber estes e-mails?",
    text: "{project} enviará newsletters e ofertas para {address}.",
    note: "É possível cancelar a inscrição a qualquer momento.",
    button: "Receber e-mails",
  },
  joined: {
    heading: "Inscrição confirmada",
    text: "{project} enviará newsletters e ofertas para {address}.",
    note: "Prefere não receber?",
    button: "Deixar de receber",
  },
  manage: {
    heading: "A sua inscrição",
    text: "Escolha o que {project} pode enviar para {address}.",
    yes: "Newsletters e ofertas",
    no: "Nem newsletters nem ofertas",
    button: "Confirmar",
    saved: "A sua escolha está confirmada.",
  },
  missing: {
    heading: "Este link não funciona",
    text: "Está incompleto, ou o endereço não consta mais da lista. Abra novamente o link do e-mail mais recente.",
  },
  preview: {
    heading: "Isto é apenas uma prévia",
    text: "O link vem de um e-mail de teste. No e-mail verdadeiro, cada endereço tem o seu próprio link.",
  },
  busy: {
    heading: "Um momento, por favor",
    text: "A sua rede enviou demasiados pedidos. Tente novamente dentro de um minuto.",
  },
  trouble: {
    heading: "Não foi possível concluir",
    text: "Nada foi alterado. Tente novamente dentro de alguns minutos.",
  },
};
