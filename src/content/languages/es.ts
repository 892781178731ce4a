import type { Phrases } from "./shape.ts";

/** Spanish. */
export const es: Phrases = {
  footer: {
    reason: "Recibe este correo porque su dirección está suscrita a los envíos de {project}.",
    unsubscribe: "Cancelar la suscripción",
    manage: "Gestionar la suscripción",
  },
  leave: {
    heading: "¿Cancelar la suscripción?",
    text: "{project} dejará de enviar boletines y ofertas a {address}.",
    note: "Es posible que siga recibiendo correos que le conciernen personalmente, como las facturas.",
    button: "Cancelar la suscripción",
  },
  left: {
    heading: "Ha cancelado la suscripción",
    text: "{project} ya no enviará boletines ni ofertas a {address}.",
    note: "¿Ha sido un error?",
    button: "Volver a suscribirse",
  },
  join: {
    heading: "¿Suscribirse a estos correos?",
    text: "{project} enviará boletines y ofertas a {address}.",
    note: "Puede cancelar la suscripción en cualquier momento.",
    button: "Suscribirse",
  },
  joined: {
    heading: "Su suscripción está activa",
    text: "{project} enviará boletines y ofertas a {address}.",
    note: "¿Ha cambiado de opinión?",
    button: "Cancelar la suscripción",
  },
  manage: {
    heading: "Su suscripción",
    text: "Elija qué puede enviar {project} a {address}.",
    yes: "Boletines y ofertas",
    no: "Ni boletines ni ofertas",
    button: "Guardar",
    saved: "Su elección se ha guardado.",
  },
  missing: {
    heading: "Este enlace no funciona",
    text: "Está incompleto, o la dirección ya no figura en la lista. Abra de nuevo el enlace del correo más reciente.",
  },
  preview: {
    heading: "Esto es solo una vista previa",
    text: "El enlace procede de un correo de prueba. En el correo real, cada dirección tiene su propio enlace.",
  },
  busy: {
    heading: "Un momento, por favor",
    text: "Llegan demasiadas solicitudes desde su red. Inténtelo de nuevo dentro de un minuto.",
  },
  trouble: {
    heading: "No ha sido posible",
    text: "No se ha modificado nada. Inténtelo de nuevo dentro de unos minutos.",
  },
};
