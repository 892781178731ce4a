// The client: its methods are those of the API that take a key, by resource.
import { OPERATIONS, type Resources } from "./api.gen.ts";
import { methodOf } from "./calls.ts";
import type { Fetch, Operation, Settings } from "./request.ts";

export type * from "./api.gen.ts";
export type { Call, List } from "./calls.ts";
export { type FieldFault, PostriderError } from "./errors.ts";
export type { Answered, CallOptions, Fetch } from "./request.ts";

/** What a client is made of. */
export interface PostriderOptions {
  /** A secret key (`sk_…`), or in a web page a public one (`pk_…`), which may only track. */
  key: string;
  /** Where the service is, such as `https://mail.example.com`. */
  baseUrl: string;
  /** How long an attempt may take. Default: 30 s. */
  timeoutMs?: number;
  /** How often at most a call is repeated that has failed. Default: 3. */
  retries?: number;
  /** Default: the `fetch` of the platform. */
  fetch?: Fetch;
  /** A secret key in a web page is everybody's: it is refused there unless this is set. */
  dangerouslyAllowBrowser?: boolean;
}

/** A project, as one of its keys may use it: `postrider.contacts.list()`, `postrider.emails.send(…)`. */
export type Postrider = Resources;

/** Makes a client. It opens no connection. Throws TypeError for what is no key or no address. */
export const Postrider = function (this: object, options: PostriderOptions) {
  const settings = settingsOf(options);
  for (const [name, operations] of Object.entries(OPERATIONS)) {
    Object.assign(this, { [name]: methodsOf(settings, operations) });
  }
} as unknown as new (options: PostriderOptions) => Postrider;

type Operations = (typeof OPERATIONS)[keyof typeof OPERATIONS];

/** The methods of a resource; a resource with an endpoint alone is a method itself. */
function methodsOf(settings: Settings, operations: Operations) {
  if ("endpoint" in operations) return methodOf(settings, operations as Operation);
  const entries = Object.entries<Operation>(operations);
  return Object.fromEntries(entries.map(([name, operation]) => [name, methodOf(settings, operation)]));
}

function settingsOf(options: PostriderOptions): Settings {
  const { key, baseUrl, timeoutMs = 30_000, retries = 3, fetch: given, dangerouslyAllowBrowser } = options;
  if (!/^[sp]k_\w+$/.test(key)) throw new TypeError("Cannot use this key: it begins with sk_ or pk_");
  if (!/^https?:\/\/./.test(baseUrl)) {
    throw new TypeError("Cannot use this baseUrl: expected one such as https://mail.example.com");
  }
  const isBrowser = typeof window !== "undefined" && typeof window.document !== "undefined";
  if (isBrowser && key.startsWith("sk_") && !dangerouslyAllowBrowser) {
    throw new TypeError(
      "Cannot use a secret key in a web page, where everybody can read it: use a public one (pk_…)",
    );
  }
  // A browser's fetch refuses to be called as a method of something else.
  const send: Fetch = given ?? ((url, init) => fetch(url, init));
  return { key, baseUrl: baseUrl.replace(/\/+$/, ""), timeoutMs, retries, fetch: send };
}
