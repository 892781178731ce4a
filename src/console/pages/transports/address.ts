// The address of a mail server, in the fields of a form and as a URL.

/** The fields of a form. */
export interface Address {
  host: string;
  port: string;
  encryption: "starttls" | "tls";
  user: string;
  /** Empty: none, or the one that is known. */
  password: string;
  /** What follows the `?` of its URL: it is kept as it is. */
  options: string;
}

export const NO_ADDRESS: Address = {
  host: "",
  port: "587",
  encryption: "starttls",
  user: "",
  password: "",
  options: "",
};

/** What a URL says; null for anything else, such as a host alone. */
export function readAddress(text: string): Address | null {
  const url = /^smtps?:\/\//i.test(text.trim()) ? URL.parse(text.trim()) : null;
  if (!url) return null;
  const encryption = url.protocol === "smtps:" ? "tls" : "starttls";
  return {
    host: url.hostname,
    port: url.port || portOf(encryption),
    encryption,
    user: decoded(url.username),
    password: decoded(url.password),
    options: url.search,
  };
}

/** The URL of what a form says. */
export function urlOf({ host, port, encryption, user, password, options }: Address): string {
  const login =
    user === "" ? "" : encodeURIComponent(user) + (password && `:${encodeURIComponent(password)}`) + "@";
  return `${encryption === "tls" ? "smtps" : "smtp"}://${login}${host.trim()}:${port.trim()}${options}`;
}

/** The usual port. */
export const portOf = (encryption: Address["encryption"]): string => (encryption === "tls" ? "465" : "587");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
