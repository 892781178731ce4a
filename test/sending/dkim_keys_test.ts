import { createPrivateKey, createPublicKey, createSign, createVerify } from "node:crypto";
import { beforeEach, describe, expect, test } from "bun:test";
import { addVerifiedDomain } from "../../src/accounts/domains.ts";
import type { NewProject } from "../../src/accounts/projects.ts";
import { seal, unseal } from "../../src/accounts/secrets.ts";
import { dkimKeyOf, makeDkimKey, newDkimKey } from "../../src/sending/dkim_keys.ts";
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
    const withOtherSecret = await dkimKeyOf(stranger, project.id, "keys.example");
    await service.pool`
      update domains d set dkim_private_key = o.dkim_private_key
      from domains o where d.id = ${domainId} and o.id = ${second}`;
    const swapped = await keyOf();

    expect([withOtherSecret, swapped]).toEqual([null, null]);
    const lines = service.lines.filter(({ level }) => level === "error");
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(service.lines)).not.toContain(privateKey.slice(40, 80));
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
