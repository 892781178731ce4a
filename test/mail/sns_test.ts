// Whether a message is one of SNS, against messages signed by an authority of the test's own.
import { describe, expect, test } from "bun:test";
import { createSnsVerifier, fetchShortText, readSnsMessage, snsTime, snsUrl } from "../../src/mail/sns.ts";
import { makeCertificate } from "../support/certificates.ts";
import { confirmation, HOST, signMessage, useSns } from "../support/sns.ts";

const sns = useSns();
const DAY_MS = 86_400_000;

/** A verifier that begins without knowing any certificate. */
const newVerifier = (now = () => new Date()) =>
  createSnsVerifier({ fetchCertificate: (url) => sns.fetchText(url), now });

/** Why a new verifier takes this for forged; null when it takes it for genuine. */
const whyForged = async (message: object, now?: () => Date) =>
  await newVerifier(now).whyForged(readSnsMessage(JSON.stringify(message))!);

describe("a genuine message", () => {
  test.each(["1", "2"] as const)(
    "with a signature of version %s is taken, of every type",
    async (version) => {
      const messages = [
        sns.sign({}, { version }),
        sns.sign({ Subject: "Amazon SES" }, { version }),
        sns.sign({ Message: "Zwölf Boxkämpfer\njagen\r\nViktor 🥊\n" }, { version }),
        sns.sign({ Message: "" }, { version }),
        sns.sign(confirmation(), { version }),
        sns.sign(confirmation({ Type: "UnsubscribeConfirmation" }), { version }),
      ];

      for (const message of messages)
        expect([message.Type, await whyForged(message)]).toEqual([message.Type, null]);
    },
  );

  test("is taken with fields that we do not know, and with a subject of null", async () => {
    const message = sns.sign();

    expect(
      await whyForged({ ...message, UnsubscribeURL: "https://x.example", Subject: null, More: 1 }),
    ).toBeNull();
  });
});

describe("a forged message", () => {
  const fields = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Signature"];
  test.each(fields)("whose %s was changed is found out", async (field) => {
    const message = sns.sign({ Subject: "Hello" });
    const changed = {
      ...message,
      [field]: message[field]!.replace(/[a-z0-9]/i, (c) => (c === "7" ? "8" : "7")),
    };

    expect(changed[field as "Message"]).not.toBe(message[field]!);
    expect(await whyForged(changed)).toBe("its signature is wrong");
  });

  test.each(["Token", "SubscribeURL", "Type"])(
    "that confirms, and whose %s was changed, is found out",
    async (field) => {
      const message = sns.sign(confirmation());
      const value = field === "Type" ? "UnsubscribeConfirmation" : `${message[field]}0`;

      expect(await whyForged({ ...message, [field]: value })).toBe("its signature is wrong");
    },
  );

  test("whose subject was taken away or added is found out", async () => {
    const { Subject: _, ...without } = sns.sign({ Subject: "Hello" });

    expect(await whyForged(without)).toBe("its signature is wrong");
    expect(await whyForged({ ...sns.sign(), Subject: "Hello" })).toBe("its signature is wrong");
  });

  test("that says another version than it was signed with is found out", async () => {
    expect(await whyForged({ ...sns.sign({}, { version: "2" }), SignatureVersion: "1" })).toBe(
      "its signature is wrong",
    );
    expect(await whyForged({ ...sns.sign(), SignatureVersion: "3" })).toContain("SignatureVersion");
    expect(await whyForged({ ...sns.sign(), SignatureVersion: "__proto__" })).toContain("SignatureVersion");
  });

  test("signed with another key than that of the certificate is found out", async () => {
    const stranger = makeCertificate({ name: "sns.amazonaws.com" });

    expect(await whyForged(sns.sign({}, { signer: stranger }))).toBe("its signature is wrong");
  });

  test.each(["", "AAAA", "not base64 at all!", "A".repeat(344)])(
    "with %p for a signature is found out",
    async (s) => {
      expect(await whyForged({ ...sns.sign(), Signature: s })).toBe("its signature is wrong");
    },
  );

  test("whose lines could be read as other fields is no message at all", () => {
    const message = sns.sign({ Message: "a", MessageId: "b" });
    const split = { ...message, MessageId: "b\nSubject\nc" };

    expect(readSnsMessage(JSON.stringify(split))).toBeNull();
    expect(readSnsMessage(JSON.stringify({ ...message, Timestamp: "x\nTopicArn\ny" }))).toBeNull();
  });
});

describe("a Timestamp", () => {
  test.each(["", "now", "2026-11-20", "2026-13-40T00:00:00Z", "20 Nov 2026 12:00:00 GMT", "1763640000000"])(
    "that is no time (%p) does not count, however well it is signed",
    async (Timestamp) => {
      expect(await whyForged(sns.sign({ Timestamp }))).toBe("its Timestamp is not a time");
    },
  );

  test("is read as UTC", () => {
    const message = sns.sign({ Timestamp: "2026-11-20T12:00:00.123Z" });

    expect(snsTime(message as never)).toEqual(new Date("2026-11-20T12:00:00.123Z"));
  });
});

describe("what is no message", () => {
  test.each(["", "null", "[]", "7", '"text"', "{", '{"Type":"Notification"}', '{"Type":"toString"}'])(
    "%p",
    (text) => {
      expect(readSnsMessage(text)).toBeNull();
    },
  );

  test.each([
    "Type",
    "MessageId",
    "TopicArn",
    "Message",
    "Timestamp",
    "SignatureVersion",
    "Signature",
    "SigningCertURL",
    "Token",
    "SubscribeURL",
  ])("a confirmation without %s, or with one that is no text", (field) => {
    const message = sns.sign(confirmation());

    expect(readSnsMessage(JSON.stringify(message))).not.toBeNull();
    expect(readSnsMessage(JSON.stringify({ ...message, [field]: undefined }))).toBeNull();
    expect(readSnsMessage(JSON.stringify({ ...message, [field]: ["a"] }))).toBeNull();
  });

  test("cut off anywhere", () => {
    const text = JSON.stringify(sns.sign());

    for (let length = 0; length < text.length; length += 7)
      expect(readSnsMessage(text.slice(0, length))).toBeNull();
  });
});

describe("the certificate", () => {
  const path = "/SimpleNotificationService-0123456789abcdef.pem";

  test.each([
    `${HOST}${path}`,
    `https://sns.us-east-1.amazonaws.com${path}`,
    `https://sns.us-gov-west-1.amazonaws.com${path}`,
    `https://sns.ap-southeast-2.amazonaws.com${path}`,
    `https://sns.cn-north-1.amazonaws.com.cn${path}`,
  ])("may stand at %s", (url) => {
    expect(snsUrl(url)?.href).toBe(url);
  });

  const wrong = [
    `http://sns.eu-west-1.amazonaws.com${path}`,
    `https://sns.evil.com${path}`,
    `https://sns.eu-west-1.amazonaws.com.evil.com${path}`,
    `https://sns.eu-west-1.amazonaws.com.cn.evil.com${path}`,
    `https://sns.eu-west-1.amazonaws.community${path}`,
    `https://evil-sns.eu-west-1.amazonaws.com${path}`,
    `https://evil.com/sns.eu-west-1.amazonaws.com${path}`,
    `https://evil.com?sns.eu-west-1.amazonaws.com${path}`,
    `https://evil.com#sns.eu-west-1.amazonaws.com${path}`,
    `https://sns.eu-west-1.amazonaws.com@evil.com${path}`,
    `https://sns.eu-west-1.amazonaws.com:443@evil.com${path}`,
    `https://user@sns.eu-west-1.amazonaws.com${path}`,
    `https://user:pw@sns.eu-west-1.amazonaws.com${path}`,
    `https://@sns.eu-west-1.amazonaws.com${path}`,
    `https://sns.eu-west-1.amazonaws.com:8443${path}`,
    `https://sns.eu-west-1.amazonaws.com:443${path}`,
    `https://sns.eu-west-1.amazonaws.com\\@evil.com${path}`,
    `https:\\\\sns.eu-west-1.amazonaws.com${path}`,
    `https:sns.eu-west-1.amazonaws.com${path}`,
    `https:///sns.eu-west-1.amazonaws.com${path}`,
    ` https://sns.eu-west-1.amazonaws.com${path}`,
    `https://sns.eu-west-1.amazonaws.com\t${path}`,
    `https://sns.eu-west-1。amazonaws.com${path}`,
    `https://sns.eu-west-1.amazonaws.com.${path}`,
    `https://SNS.EU-WEST-1.AMAZONAWS.COM${path}`,
    `https://sns.amazonaws.com${path}`,
    `https://sns..amazonaws.com${path}`,
    `https://sns.eu-west-1.s3.amazonaws.com${path}`,
    `https://sns-eu-west-1.amazonaws.com${path}`,
    `https://s3.eu-west-1.amazonaws.com${path}`,
    `https://127.0.0.1${path}`,
    `file://sns.eu-west-1.amazonaws.com${path}`,
    `ftp://sns.eu-west-1.amazonaws.com${path}`,
    path,
    "",
  ];
  test.each(wrong)("may not stand at %s, and nobody asks there", async (SigningCertURL) => {
    let fetched = 0;
    const verifier = createSnsVerifier({
      fetchCertificate: async () => (fetched++, null),
      now: () => new Date(),
    });
    const message = signMessage({ ...sns.sign(), SigningCertURL }, sns.signer);

    expect(snsUrl(SigningCertURL)).toBeNull();
    expect(await verifier.whyForged(message as never)).toContain("SigningCertURL");
    expect(fetched).toBe(0);
  });

  test.each([
    "/",
    "/x.pem/",
    "/a/b.pem",
    "/x.crt",
    "/x.pem?a=.pem",
    "/x.pem#y",
    "/?x.pem",
    "/%2e%2e/x.pem",
    "/x%00.pem",
  ])("may not stand at %s of the right host", async (where) => {
    expect(await whyForged(sns.sign({ SigningCertURL: HOST + where }))).toContain("SigningCertURL");
  });

  test("that has run out, or does not count yet, does not count", async () => {
    const year = 365 * DAY_MS;
    const [past, future] = [new Date(Date.now() - year), new Date(Date.now() + year)];
    const old = makeCertificate({ name: "old", validFrom: past, validTo: new Date(Date.now() - DAY_MS) });
    const early = makeCertificate({
      name: "early",
      validFrom: new Date(Date.now() + DAY_MS),
      validTo: future,
    });

    for (const signer of [old, early]) {
      const message = sns.sign({ SigningCertURL: sns.publish(signer) }, { signer });
      expect(await whyForged(message)).toBe("its certificate is not valid at this time");
    }
    expect(await whyForged(sns.sign(), () => future)).toBe("its certificate is not valid at this time");
  });

  test("that runs out while it is remembered does not count any more", async () => {
    let now = Date.now();
    const signer = makeCertificate({ name: "short", validTo: new Date(now + 3_600_000) });
    const message = sns.sign({ SigningCertURL: sns.publish(signer) }, { signer }) as never;
    const verifier = newVerifier(() => new Date(now));

    expect(await verifier.whyForged(message)).toBeNull();
    now += 3_700_000;
    expect(await verifier.whyForged(message)).toBe("its certificate is not valid at this time");
  });

  test("that is not there, or is something else, does not count; it may be there the next time", async () => {
    const url = `${HOST}/SimpleNotificationService-later.pem`;
    const [where, verifier] = [new URL(url).pathname, newVerifier()];
    const message = sns.sign({ SigningCertURL: url }) as never;
    const missing = "there is no certificate at its SigningCertURL";

    expect(await verifier.whyForged(message)).toBe(missing);
    sns.answers.set(
      where,
      () => new Response("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
    );
    expect(await verifier.whyForged(message)).toBe(missing);
    sns.answers.set(where, () => new Response(sns.signer.certificate));
    expect(await verifier.whyForged(message)).toBeNull();
  });

  test("is fetched once for many messages at once, and again after a day", async () => {
    let now = Date.now();
    const url = sns.publish(sns.signer);
    const verifier = newVerifier(() => new Date(now));
    const messages = Array.from({ length: 50 }, () => sns.sign({ SigningCertURL: url }) as never);
    const fetches = () => sns.requests.filter((request) => url.endsWith(request)).length;

    const reasons = await Promise.all(messages.map((message) => verifier.whyForged(message)));
    expect([new Set(reasons), fetches()]).toEqual([new Set([null]), 1]);
    now += DAY_MS - 60_000;
    await verifier.whyForged(messages[0]!);
    expect(fetches()).toBe(1);
    now += 120_000;
    await verifier.whyForged(messages[0]!);
    expect(fetches()).toBe(2);
  });

  test("of which there are ever new ones is forgotten, but not the one that is in use", async () => {
    const verifier = newVerifier();
    const genuine = sns.sign() as never;
    await verifier.whyForged(genuine);
    const before = sns.requests.length;
    const others = Array.from({ length: 300 }, () => sns.publish(sns.signer));
    for (const SigningCertURL of others) {
      await verifier.whyForged(sns.sign({ SigningCertURL }) as never);
      await verifier.whyForged(genuine);
    }
    await verifier.whyForged(sns.sign({ SigningCertURL: others[0]! }) as never);

    expect(sns.requests.length - before).toBe(301);
  });

  test("that is genuine stays, however many that do not exist are asked for at once", async () => {
    const verifier = newVerifier();
    const url = sns.publish(sns.signer);
    const genuine = sns.sign({ SigningCertURL: url }) as never;
    await verifier.whyForged(genuine);
    const bogus = Array.from({ length: 700 }, (_, i) =>
      sns.sign({ SigningCertURL: `${HOST}/bogus${i}.pem` }),
    );
    const reasons = await Promise.all(bogus.map((message) => verifier.whyForged(message as never)));

    expect(new Set(reasons)).toEqual(new Set(["there is no certificate at its SigningCertURL"]));
    expect(await verifier.whyForged(genuine)).toBeNull();
    expect(sns.requests.filter((request) => url.endsWith(request))).toHaveLength(1);
  });

  test("that is known is fetched again after a day without leave", async () => {
    let now = Date.now();
    const verifier = newVerifier(() => new Date(now));
    const signer = makeCertificate({ name: "long", validTo: new Date(now + 9 * DAY_MS) });
    const message = sns.sign({ SigningCertURL: sns.publish(signer) }, { signer }) as never;
    const refuse = () => {
      throw new Error("not now");
    };
    await verifier.whyForged(message);
    now += DAY_MS + 60_000;

    expect(await verifier.whyForged(message, refuse)).toBeNull();
  });

  test("is not fetched where that is not allowed; one that is known needs no leave", async () => {
    const verifier = newVerifier();
    const refuse = () => {
      throw new Error("not now");
    };
    const message = sns.sign() as never;

    await expect(verifier.whyForged(message, refuse)).rejects.toThrow("not now");
    expect(await verifier.whyForged(message)).toBeNull();
    expect(await verifier.whyForged(message, refuse)).toBeNull();
  });

  test("that cannot be fetched at the moment is nobody's fault: it fails, and the next one asks again", async () => {
    const url = sns.publish(sns.signer);
    const { pathname } = new URL(url);
    const answer = sns.answers.get(pathname)!;
    const verifier = newVerifier();
    const message = sns.sign({ SigningCertURL: url }) as never;

    sns.answers.set(pathname, () => new Response("busy", { status: 503 }));
    await expect(verifier.whyForged(message)).rejects.toThrow("503");
    await Bun.sleep(20);
    sns.answers.set(pathname, answer);
    expect(await verifier.whyForged(message)).toBeNull();
  });
});

describe("a fetch", () => {
  const get = (path: string, more = {}) => fetchShortText(new URL(path, sns.origin), { ca: sns.ca, ...more });

  test("reads a text of up to the limit, and nothing longer, also where no length is told", async () => {
    const body = "x".repeat(1_000);
    const streamed = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new TextEncoder().encode(body));
            await Bun.sleep(1);
          },
        }),
      );
    sns.answers.set("/text", () => new Response(body));
    sns.answers.set("/endless", streamed);

    expect(await get("/text", { maxBytes: 1_000 })).toBe(body);
    expect(await get("/text", { maxBytes: 999 })).toBeNull();
    expect(await get("/endless", { maxBytes: 10_000 })).toBeNull();
  });

  test("follows no redirect", async () => {
    sns.answers.set("/moved", () => Response.redirect(`${sns.origin}/text`, 302));
    sns.answers.set("/text", () => new Response("here"));
    const before = sns.requests.length;

    expect(await get("/moved")).toBeNull();
    expect(sns.requests.slice(before)).toEqual(["/moved"]);
  });

  test("waits no longer than it may, for the first byte or for the last", async () => {
    sns.answers.set("/silent", () => Bun.sleep(2_000).then(() => new Response("late")));
    const slow = () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(new Uint8Array(1));
            await Bun.sleep(100);
          },
        }),
      );
    sns.answers.set("/slow", slow);

    await expect(get("/silent", { timeoutMs: 100 })).rejects.toThrow("timed out");
    await expect(get("/slow", { timeoutMs: 300 })).rejects.toThrow("timed out");
  });

  test("believes no server that an authority it knows has not vouched for", async () => {
    await expect(fetchShortText(new URL("/text", sns.origin))).rejects.toThrow("certificate");
    await expect(get("/text", { ca: makeCertificate({ name: "other" }).certificate })).rejects.toThrow(
      "certificate",
    );
  });
});
