// What the stand-in for Stripe keeps: customers, subscriptions, checkouts, invoices and usage.

/** The parameters of a request: texts, and groups of them. */
export interface Form {
  [name: string]: string | Form;
}

/** A refusal as Stripe words it. */
export interface Refusal {
  status: number;
  type: string;
  message: string;
  code?: string;
  param?: string;
}

/** A subscription, as Stripe has it. */
export interface FakeSubscription {
  id: string;
  object: "subscription";
  customer: string;
  status: string;
  created: number;
  cancel_at: number | null;
  ended_at: number | null;
  items: { data: { current_period_end: number }[] };
  /** Cancelled with a last invoice. */
  invoiced: boolean;
}

interface Session {
  id: string;
  object: "checkout.session";
  customer: string;
  status: "open" | "complete" | "expired";
  success_url: string;
  url: string;
  expires_at: number;
  line_items: { price: string; quantity: number | null }[];
  client_reference_id: string | null;
}

/** Usage that counts. */
export interface MeterEvent {
  event_name: string;
  identifier: string;
  customer: string;
  value: number;
  timestamp: number;
}

/** Prices of the account; metered ones take no quantity. */
const PRICES: Record<string, "licensed" | "metered"> = { price_base: "licensed", price_mails: "metered" };
const METERS = ["mails", "received"];
const DAY_S = 86_400;

/** The books of a Stripe account. */
export class StripeBooks {
  /** Seconds; a test may move it. */
  now = () => Math.floor(Date.now() / 1000);
  readonly customers = new Map<string, { deleted: boolean; metadata: Form }>();
  readonly subscriptions: FakeSubscription[] = [];
  readonly sessions: Session[] = [];
  readonly invoices: { customer: string; id: string; [field: string]: unknown }[] = [];
  readonly events: MeterEvent[] = [];
  #count = 0;

  /** The sum of what counts for a customer. */
  usage(customer: string, eventName = "mails"): number {
    const own = this.events.filter((event) => event.customer === customer && event.event_name === eventName);
    return own.reduce((sum, { value }) => sum + value, 0);
  }

  /** Somebody pays on the page of a session: it is complete, and the customer has a subscription. */
  complete(url: string, status = "active"): FakeSubscription {
    const session = this.sessions.find((candidate) => candidate.url === url);
    if (session?.status !== "open") throw new Error("Cannot pay on a page that is not open");
    session.status = "complete";
    return this.subscribe(session.customer, status);
  }

  /** Gives a customer a subscription. */
  subscribe(customer: string, status = "active"): FakeSubscription {
    const subscription: FakeSubscription = {
      id: this.#id("sub"),
      object: "subscription",
      customer,
      status,
      created: this.now() + this.#count,
      cancel_at: null,
      ended_at: null,
      items: { data: [{ current_period_end: this.now() + 30 * DAY_S }] },
      invoiced: false,
    };
    this.subscriptions.unshift(subscription);
    return subscription;
  }

  /** Carries a request out: the answer, or a refusal. */
  carryOut({ method, path, params }: { method: string; path: string; params: Form }): object | Refusal {
    const [, , ...parts] = path.split("/");
    const name = `${method} ${parts.map((part) => (/^(cus|sub|cs)_/.test(part) ? ":id" : part)).join("/")}`;
    const id = parts.find((part) => /^(cus|sub|cs)_/.test(part)) ?? "";
    switch (name) {
      case "POST customers":
        return this.#createCustomer(params);
      case "GET customers/:id":
        return this.#customer(id);
      case "GET subscriptions":
        return this.#listSubscriptions(params);
      case "DELETE subscriptions/:id":
        return this.#cancel(id, params);
      case "POST checkout/sessions":
        return this.#createSession(params);
      case "GET checkout/sessions":
        return this.#listSessions(params);
      case "POST checkout/sessions/:id/expire":
        return this.#expire(id);
      case "POST billing_portal/sessions":
        return this.#openPortal(params);
      case "GET invoices":
        return this.#listInvoices(params);
      case "POST billing/meter_events":
        return this.#countUsage(params);
      default:
        return { status: 404, type: "invalid_request_error", message: `Unrecognized request URL (${name})` };
    }
  }

  #createCustomer({ metadata = {} }: Form): object {
    const id = this.#id("cus");
    this.customers.set(id, { deleted: false, metadata: metadata as Form });
    return { id, object: "customer", metadata };
  }

  #customer(id: string): object {
    const customer = this.customers.get(id);
    if (!customer) return missing("customer", id);
    return { id, object: "customer", ...(customer.deleted ? { deleted: true } : {}) };
  }

  #living(id: string | Form | undefined): Refusal | null {
    if (id === undefined) return invalid("Missing required param: customer.", "customer");
    const customer = this.customers.get(String(id));
    return customer && !customer.deleted ? null : missing("customer", String(id));
  }

  #listSubscriptions({ customer, status }: Form): object {
    const wrong = this.#living(customer);
    if (wrong) return wrong;
    const own = this.subscriptions.filter((subscription) => subscription.customer === customer);
    const shown = own.filter((subscription) => status === "all" || subscription.ended_at === null);
    return list(shown);
  }

  #cancel(id: string, { invoice_now: invoiceNow }: Form): object {
    const subscription = this.subscriptions.find((candidate) => candidate.id === id);
    if (!subscription || subscription.ended_at !== null) return missing("subscription", id);
    Object.assign(subscription, {
      status: "canceled",
      ended_at: this.now(),
      invoiced: invoiceNow === "true",
    });
    return subscription;
  }

  #createSession(params: Form): object {
    const wrong = this.#living(params.customer);
    if (wrong) return wrong;
    if (params.mode !== "subscription") return invalid("Missing required param: mode.", "mode");
    if (!/^https?:/.test(String(params.success_url))) return invalid("Not a valid URL", "success_url");
    const items = Object.values((params.line_items ?? {}) as Form) as { price: string; quantity?: string }[];
    if (items.length === 0) return invalid("Missing required param: line_items.", "line_items");
    for (const { price, quantity } of items) {
      const kind = PRICES[price];
      if (!kind) return missing("price", price);
      if (kind === "metered" && quantity !== undefined)
        return invalid("Quantity should not be set", "quantity");
      if (kind === "licensed" && quantity === undefined) return invalid("Quantity is required.", "quantity");
    }
    const id = this.#id("cs");
    const session: Session = {
      id,
      object: "checkout.session",
      customer: String(params.customer),
      status: "open",
      success_url: String(params.success_url),
      url: `https://checkout.example/${id}`,
      expires_at: this.now() + DAY_S,
      line_items: items.map(({ price, quantity }) => ({
        price,
        quantity: quantity ? Number(quantity) : null,
      })),
      client_reference_id: params.client_reference_id ? String(params.client_reference_id) : null,
    };
    this.sessions.unshift(session);
    return session;
  }

  #listSessions({ customer, status }: Form): object {
    const own = this.sessions.filter((session) => session.customer === customer);
    return list(own.filter((session) => status === undefined || session.status === status));
  }

  #expire(id: string): object {
    const session = this.sessions.find((candidate) => candidate.id === id);
    if (!session) return missing("checkout.session", id);
    if (session.status !== "open")
      return invalid("Only Checkout Sessions that are open can be expired.", "id");
    session.status = "expired";
    return session;
  }

  #openPortal({ customer, return_url: returnUrl }: Form): object {
    const wrong = this.#living(customer);
    if (wrong) return wrong;
    const url = `https://portal.example/${String(customer)}?return=${encodeURIComponent(String(returnUrl))}`;
    return { id: this.#id("bps"), object: "billing_portal.session", url };
  }

  #listInvoices({ customer, limit = "10", starting_after: after }: Form): object {
    const own = this.invoices.filter((invoice) => invoice.customer === customer);
    const start = after === undefined ? 0 : own.findIndex((invoice) => invoice.id === after) + 1;
    if (after !== undefined && start === 0) return missing("invoice", String(after));
    const page = own.slice(start, start + Number(limit));
    return { ...list(page), has_more: start + page.length < own.length };
  }

  #countUsage(params: Form): object {
    const { event_name: name, identifier, payload = {}, timestamp } = params as Record<string, string>;
    const { stripe_customer_id: customer, value } = payload as unknown as Record<string, string>;
    if (!name || !METERS.includes(name)) {
      return invalid(`No active meter found for event name ${name}`, "event_name");
    }
    if (!identifier || identifier.length > 100) return invalid("Invalid identifier", "identifier");
    if (customer === undefined || this.#living(customer)) return invalid("No such customer", "payload");
    if (!/^[1-9]\d*$/.test(value ?? "")) return invalid("Invalid value", "payload");
    const at = Number(timestamp);
    if (!(at >= this.now() - 35 * DAY_S && at <= this.now() + 300)) {
      return invalid("The timestamp is too far in the past or in the future", "timestamp");
    }
    if (this.events.some((event) => event.identifier === identifier)) {
      return invalid(`An event already exists with identifier ${identifier}.`, "identifier");
    }
    this.events.push({ event_name: name, identifier, customer, value: Number(value), timestamp: at });
    return { object: "billing.meter_event", identifier, event_name: name, timestamp: at };
  }

  #id(prefix: string): string {
    return `${prefix}_${++this.#count}${crypto.randomUUID().replaceAll("-", "").slice(0, 12)}`;
  }
}

function list(data: object[]): object {
  return { object: "list", data, has_more: false };
}

function invalid(message: string, param: string): Refusal {
  return { status: 400, type: "invalid_request_error", message, param };
}

function missing(what: string, id: string): Refusal {
  const message = `No such ${what}: '${id}'`;
  return {
    status: what === "price" ? 400 : 404,
    type: "invalid_request_error",
    code: "resource_missing",
    message,
  };
}
