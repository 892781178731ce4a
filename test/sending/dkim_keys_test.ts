import { createPrivateKey, createPublicKey, createSign, createVerify } from "node:crypto";
import { beforeEach, describe, expect, test } from "bun:test";
import { addVerifiedDomain } from "../../src/accounts/projects/domains.ts";
import type { NewProject } from "../../src/accounts/projects/mod.ts";
import { seal, unseal } from "../../src/accounts/secrets.ts";
import {
  dkimKeyOf,
  LostDkimKey,
  makeDkimKey,
  newDkimKey,
  replaceLostDkimKey,
} from "../../src/sending/dkim_keys.ts";
import { useService } from "../support/service.ts";

const service = useService();
let project: NewProject;
let domainId: string;

beforeEach(async () => {
  project = await service.createProject();
  ({ domainId } = await addVerifiedDomain(service, project.id, "keys.example"));
});

const rowOf = async (id: string) => (await service.pool`select * from domains where id = ${id}`)[0]!;
const prove = (id: string) => service.pool`update domains set verified_at = now() where id = ${id}`;
const keyOf = (projectId = project.id) => dkimKeyOf(service, projectId, "keys.example");

describe("the key of a domain", () => {
  test("is RSA of 2,048 bits, its halves belong together, and the private one is not in the database", async () => {
    await makeDkimKey(service, project.id, domainId);
    await prove(domainId);
    const { dkimPublicKey, dkimPrivateKey, dkimSelector } = await rowOf(domainId);
    const key = (await keyOf())!;
    const signature = createSign("sha256").update("a mail").sign(key.privateKey);
    const spki = { key: Buffer.from(dkimPublicKey, "base64"), format: "der", type: "spki" } as const;

    expect(createVerify("sha256").update("a mail").verify(createPublicKey(spki), signature)).toBe(true);
    expect(createPrivateKey(key.privateKey).asymmetricKeyDetails?.modulusLength).toBe(2048);
    expect(key).toMatchObject({ domain: "keys.example", selector: dkimSelector });
    expect(dkimSelector).toMatch(/^pr[0-9a-f]{10}$/);
    expect(dkimPrivateKey.toString("latin1")).not.toContain("PRIVATE KEY");
  });

  test("is made once, also when two make it at once; another project has another for the same domain", async () => {
    const other = await service.createProject();
    const theirs = await addVerifiedDomain(service, other.id, "keys.example");
    await Promise.all([1, 2, 3].map(() => makeDkimKey(service, project.id, domainId)));
    const { dkimSelector } = await rowOf(domainId);
    await makeDkimKey(service, project.id, domainId);
    await makeDkimKey(service, other.id, theirs.domainId);
    await Promise.all([prove(domainId), prove(theirs.domainId)]);

    expect((await rowOf(domainId)).dkimSelector).toBe(dkimSelector);
    const [ours, other_] = [await keyOf(), await keyOf(other.id)];
    expect(ours!.selector).not.toBe(other_!.selector);
    expect(ours!.privateKey).not.toBe(other_!.privateKey);
  });

  test.each([
    ["is not the project's", () => service.pool`delete from domains where id = ${domainId}`],
    ["is not verified", () => service.pool`update domains set status = 'FAILED' where id = ${domainId}`],
    [
      "is trusted and was never seen",
      () => service.pool`update domains set verified_at = null where id = ${domainId}`,
    ],
  ])("signs nothing when the domain %s", async (_, change) => {
    await makeDkimKey(service, project.id, domainId);
    await prove(domainId);
    const before = await keyOf();
    await change();

    expect([before === null, await keyOf()]).toEqual([false, null]);
  });

  test("does not open in another row, nor with another SECRET_KEY, which the log says without the key", async () => {
    const { domainId: second } = await addVerifiedDomain(service, project.id, "second.example");
    await makeDkimKey(service, project.id, domainId);
    await makeDkimKey(service, project.id, second);
    await prove(domainId);
    const { privateKey } = (await keyOf())!;
    const stranger = {
      ...service,
      pool: Object.assign(() => {}, {}) as never,
      config: { ...service.config, SECRET_KEY: "x".repeat(32) },
    };
    const errorOf = (looking: Promise<unknown>) =>
      looking.then(
        () => null,
        (error: unknown) => error,
      );
    const withOtherSecret = await errorOf(dkimKeyOf(stranger, project.id, "keys.example"));
    await service.pool`
      update domains d set dkim_private_key = o.dkim_private_key
      from domains o where d.id = ${domainId} and o.id = ${second}`;
    const swapped = await errorOf(keyOf());

    for (const lost of [withOtherSecret, swapped]) expect(lost).toBeInstanceOf(LostDkimKey);
    const lines = service.lines.filter(({ level }) => level === "error");
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(service.lines)).not.toContain(privateKey.slice(40, 80));
  });

  describe("that was made with a lost SECRET_KEY", () => {
    const PUBLISHED = JSON.stringify({ "DKIM TXT": "VERIFIED", "SPF TXT": "MISSING" });
    const proven = async (id: string, trusted = false) => {
      await makeDkimKey(service, project.id, id);
      await service.pool`
        update domains
        set status = 'VERIFIED', trusted = ${trusted}, verified_at = now(), record_states = ${PUBLISHED}::text::jsonb
        where id = ${id}`;
      return await rowOf(id);
    };
    const replace = (secret = "y".repeat(32)) => {
      const config = { ...service.config, SECRET_KEY: secret };
      return replaceLostDkimKey({ ...service, config }, project.id, "keys.example");
    };

    test("is replaced by one that opens, once, and its domain has to be verified again", async () => {
      const before = await proven(domainId);
      const done = await Promise.all([1, 2, 3].map(() => replace()));
      const after = await rowOf(domainId);

      expect(done.map(({ isReplaced }) => isReplaced).toSorted()).toEqual([false, false, true]);
      expect(after.dkimSelector).not.toBe(before.dkimSelector);
      expect(after.dkimPublicKey).not.toBe(before.dkimPublicKey);
      expect(after).toMatchObject({
        status: "PENDING",
        verifiedAt: null,
        checkStartedAt: null,
        recordStates: { "SPF TXT": "MISSING" },
      });
      expect(await replace()).toEqual({ domainId, isReplaced: false });
      expect((await rowOf(domainId)).dkimSelector).toBe(after.dkimSelector);
    });

    test("is replaced too where the operator vouches for the domain, which stays verified and is not signed", async () => {
      await proven(domainId, true);
      await replace();

      expect(await rowOf(domainId)).toMatchObject({ status: "VERIFIED", verifiedAt: null });
      expect(await keyOf()).toBeNull();
    });

    test("is another matter than one that opens, than none, and than no domain", async () => {
      const none = await replace();
      const before = await proven(domainId);
      const same = await replace(service.config.SECRET_KEY);

      expect([none.isReplaced, same.isReplaced]).toEqual([false, false]);
      expect(await rowOf(domainId)).toEqual(before);
      await expect(replaceLostDkimKey(service, project.id, "unknown.example")).rejects.toMatchObject({
        status: 404,
      });
    });
  });

  test("takes no time of the main thread that a request would notice", async () => {
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await Promise.all(Array.from({ length: 8 }, () => newDkimKey(service, project.id, domainId)));
    clearInterval(timer);

    expect(ticks).toBeGreaterThan(5);
  });
});

describe("a sealed value", () => {
  const place = ["project", "row"];

  test("opens for the same purpose and place, and never looks the same twice", () => {
    const [one, two] = [1, 2].map(() => seal(service, "dkim keys", "a secret – ü", place));

    expect(unseal(service, "dkim keys", one!, place)).toBe("a secret – ü");
    expect(unseal(service, "dkim keys", new Uint8Array(two!), place)).toBe("a secret – ü");
    expect(one!.equals(two!)).toBe(false);
    expect(unseal(service, "dkim keys", seal(service, "dkim keys", "", place), place)).toBe("");
  });

  test("does not open for another purpose or place, or when any byte of it was changed", () => {
    const sealed = seal(service, "dkim keys", "a secret", place);
    const changed = [...sealed.keys()].map((i) => sealed.map((byte, at) => (at === i ? byte ^ 1 : byte)));
    const cut = [...sealed.keys()].map((length) => sealed.subarray(0, length));

    expect(unseal(service, "click targets", sealed, place)).toBeNull();
    for (const other of [[], ["project"], ["row", "project"], ["project,row"], ["project", "row", ""]]) {
      expect(unseal(service, "dkim keys", sealed, other)).toBeNull();
    }
    for (const bytes of [...changed, ...cut, Buffer.concat([sealed, Buffer.of(0)])]) {
      expect(unseal(service, "dkim keys", bytes, place)).toBeNull();
    }
  });
});
