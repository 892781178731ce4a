// Stripe as far as the service uses it: it keeps what it is told, and refuses what Stripe would refuse.
import { afterAll, beforeEach } from "bun:test";
import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { StripeBooks, type Form, type Refusal } from "./stripe_books.ts";

export const STRIPE_KEY = "sk_test_of_the_fake";
export const WEBHOOK_SECRET = "whsec_of_the_fake";

/** One request that came in. */
export interface StripeRequest {
  method: string;
  path: string;
  params: Form;
  idempotencyKey: string | undefined;
}

/**
 * What becomes of a request, instead of being answered: a status before anything is done; or it is done, and then the
 * answer is a 500, or gets lost with the connection, or never comes.
 */
export type Trouble = 401 | 403 | 429 | 500 | "500 after" | "lost" | "hangs";

/** The stand-in, for one test file. */
export interface FakeStripe {
  /** For STRIPE_API_BASE. Without patience and without retries of the library, so that a test sees each attempt. */
  url: string;
  books: StripeBooks;
  requests: StripeRequest[];
  /** Decides about requests as they come; undefined: nothing is wrong. */
  trouble: (request: StripeRequest) => Trouble | undefined;
  /** Called when a request has been carried out, before its answer goes out. */
  onDone: (request: StripeRequest) => void | Promise<void>;
  /** The paths that were asked for since the last look, such as `POST /v1/customers`. */
  asked(): string[];
  stop(): Promise<void>;
}

/** Settings of a service that is charged by this one. */
export function stripeSettings(url: string): Record<string, string> {
  return {
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_PRICES: "price_base:1,price_mails",
    STRIPE_METERS: "transactional=mails,campaigns=mails,workflows=mails,inbound=received",
    STRIPE_API_BASE: url,
  };
}

/** Starts a stand-in. Must be called before the service is made, which needs to know its address. */
export async function startStripe(): Promise<FakeStripe> {
  const stripe = {
    books: new StripeBooks(),
    requests: [] as StripeRequest[],
    trouble: () => undefined,
    onDone: () => {},
  } as unknown as FakeStripe;
  const answered = new Map<string, { request: string; status: number; body: object }>();
  const server = createServer((request, response) => void serve(stripe, answered, request, response));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
  let seen = 0;
  return Object.assign(stripe, {
    url: `http://127.0.0.1:${port}/?timeout=400&maxNetworkRetries=0`,
    asked: () => {
      const fresh = stripe.requests.slice(seen).map(({ method, path }) => `${method} ${path}`);
      seen = stripe.requests.length;
      return fresh;
    },
    stop: () => stopServer(server),
  });
}

/** Forgets what went wrong before each test, and ends with the file. */
export function useStripe(stripe: FakeStripe): void {
  beforeEach(() => {
    stripe.trouble = () => undefined;
    stripe.onDone = () => {};
    stripe.asked();
  });
  afterAll(() => stripe.stop());
}

/** The header with which an event is signed. */
export function signEvent(payload: string, at: Date, secret = WEBHOOK_SECRET): string {
  const seconds = Math.floor(at.getTime() / 1000);
  const signature = createHmac("sha256", secret).update(`${seconds}.${payload}`).digest("hex");
  return `t=${seconds},v1=${signature}`;
}

async function stopServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function serve(
  stripe: FakeStripe,
  answered: Map<string, { request: string; status: number; body: object }>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  let text = "";
  for await (const chunk of incoming) text += chunk;
  const url = new URL(incoming.url!, "http://stripe");
  const key = incoming.headers["idempotency-key"] as string | undefined;
  const request: StripeRequest = {
    method: incoming.method!,
    path: url.pathname,
    params: readForm(new URLSearchParams(incoming.method === "POST" ? text : url.search)),
    idempotencyKey: key,
  };
  stripe.requests.push(request);
  const answer = (status: number, body: object) => {
    outgoing.writeHead(status, { "content-type": "application/json", "request-id": "req_1" });
    outgoing.end(JSON.stringify(body));
  };
  const refuse = ({ status, ...error }: Refusal) => answer(status, { error });
  if (incoming.headers.authorization !== `Bearer ${STRIPE_KEY}`) {
    return refuse({ status: 401, type: "invalid_request_error", message: "Invalid API Key provided" });
  }
  if (!incoming.headers["stripe-version"]) {
    return refuse({ status: 400, type: "invalid_request_error", message: "No version" });
  }
  const trouble = stripe.trouble(request);
  if (typeof trouble === "number") {
    return refuse({
      status: trouble,
      type: trouble === 429 ? "rate_limit_error" : "api_error",
      message: "No",
    });
  }
  const same = `${request.method} ${request.path} ${text}`;
  const before = key === undefined ? undefined : answered.get(key);
  if (before && before.request !== same) {
    const message = "Keys for idempotent requests can only be used with the same parameters";
    return refuse({ status: 400, type: "idempotency_error", message });
  }
  if (before) return answer(before.status, before.body);
  // As it is at this moment, whatever becomes of it before it is sent.
  const done = structuredClone(stripe.books.carryOut(request));
  const isRefused = "status" in done && "type" in done;
  // What was not begun, because it was wrong, is not remembered.
  if (isRefused) return refuse(done as Refusal);
  const failed = { error: { type: "api_error", message: "An error occurred" } };
  const [status, body] = trouble === "500 after" ? [500, failed] : [200, done];
  if (key !== undefined) answered.set(key, { request: same, status, body });
  await stripe.onDone(request);
  if (trouble === "lost") return void outgoing.socket!.destroy();
  if (trouble !== "hangs") answer(status, body);
}

/** Reads `a[b][0][c]=d` as what it means. */
function readForm(fields: URLSearchParams): Form {
  const form: Form = {};
  for (const [name, value] of fields) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "");
    let at = form;
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Form;
    at[path.at(-1)!] = value;
  }
  return form;
}
