/** A reply of one of our SMTP servers, thrown to refuse what a client wants. */
export interface SmtpReply extends Error {
  responseCode: number;
}

/** A reply, to be thrown: the code, the enhanced code (RFC 3463) and one line of text. */
export function smtpReply(responseCode: number, enhanced: string, text: string): SmtpReply {
  return Object.assign(new Error(`${enhanced} ${text}`), { responseCode });
}
