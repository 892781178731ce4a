// A browser as far as sign-ins need one: it keeps cookies by host, and goes where it is sent.

/** Where a page came from in the end. */
export interface Page {
  url: URL;
  status: number;
  headers: Headers;
  text: string;
}

/** One person's browser. */
export interface Browser {
  /** Names and values by origin. */
  cookies: Map<string, Map<string, string>>;
  /** One request, no redirect followed. */
  request(url: string | URL): Promise<Page>;
  /** Sends the form of a page, to where its `action` says. */
  submit(page: Page, fields: Record<string, string>): Promise<Page>;
  /** Follows redirects to the first page, or to the first address that `until` names, which is not asked for. */
  open(url: string | URL, options?: { until?: (url: URL) => boolean }): Promise<Page>;
  /** Keeps a cookie, as a `Set-Cookie` line of an origin has it. */
  keep(origin: string, line: string): void;
}

const MAX_REDIRECTS = 12;

/** A browser that reaches what `own` answers through it, and everything else over the network. */
export function newBrowser(
  own: { origin: string; handle(request: Request): Promise<Response> },
  headers: Record<string, string> = {},
): Browser {
  const cookies: Browser["cookies"] = new Map();
  const cookieHeader = (origin: string) =>
    [...(cookies.get(origin) ?? [])].map(([name, value]) => `${name}=${value}`).join("; ");

  const send = async (target: string | URL, form?: URLSearchParams): Promise<Page> => {
    const url = new URL(target);
    const asked = new Request(url, {
      redirect: "manual",
      headers: {
        ...headers,
        cookie: cookieHeader(url.origin),
        ...(form && {
          "content-type": "application/x-www-form-urlencoded",
          "sec-fetch-site": "same-origin",
          origin: url.origin,
        }),
      },
      ...(form && { method: "POST", body: form.toString() }),
    });
    const response = await (url.origin === own.origin ? own.handle(asked) : fetch(asked));
    for (const line of response.headers.getSetCookie()) keep(url.origin, line);
    return { url, status: response.status, headers: response.headers, text: await response.text() };
  };

  const request: Browser["request"] = async (target) => await send(target);

  const submit: Browser["submit"] = async ({ url, text }, fields) => {
    const action = /<form method="post" action="([^"]+)">/.exec(text)?.[1];
    if (action === undefined) throw new Error(`Cannot send a form: there is none at ${url.href}`);
    return await send(new URL(action, url), new URLSearchParams(fields));
  };

  const keep = (origin: string, line: string) => {
    const jar = cookies.get(origin) ?? new Map<string, string>();
    cookies.set(origin, jar);
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    const isGone = /; *(max-age=0|expires=Thu, 01 Jan 1970)/i.test(line);
    if (isGone) jar.delete(name!);
    else jar.set(name!, value!);
  };

  const open: Browser["open"] = async (target, { until = () => false } = {}) => {
    let url = new URL(target);
    for (let i = 0; i < MAX_REDIRECTS; i++) {
      if (until(url)) return { url, status: 0, headers: new Headers(), text: "" };
      const page = await request(url);
      const location = page.headers.get("location");
      if (location === null) return page;
      url = new URL(location, url);
    }
    throw new Error(`Cannot open ${new URL(target).href}: it redirects without end`);
  };

  return { cookies, request, submit, open, keep };
}
