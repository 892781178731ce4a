// Reads the parts of `opentelemetry/proto/collector/trace/v1` that tests look at.
import type { ReceivedSpan, ReceivedTraces } from "./otlp_receiver.ts";

type Field = { no: number; bytes: Uint8Array; number: bigint };

/** Reads an `ExportTraceServiceRequest`. */
export function decodeTraces(bytes: Uint8Array): ReceivedTraces[] {
  return all(fieldsOf(bytes), 1).map((resourceSpans) => {
    const fields = fieldsOf(resourceSpans.bytes);
    return {
      resource: attributesOf(fieldsOf(one(fields, 1)!.bytes), 1),
      spans: all(fields, 2).flatMap((scopeSpans) => all(fieldsOf(scopeSpans.bytes), 2).map(toSpan)),
    };
  });
}

function toSpan({ bytes }: Field): ReceivedSpan {
  const fields = fieldsOf(bytes);
  const status = one(fields, 15);
  return {
    traceId: hex(one(fields, 1)),
    spanId: hex(one(fields, 2)),
    parentSpanId: hex(one(fields, 4)),
    name: text(one(fields, 5)),
    kind: Number(one(fields, 6)?.number ?? 0n),
    attributes: attributesOf(fields, 9),
    links: all(fields, 13).map((link) => {
      const own = fieldsOf(link.bytes);
      return { traceId: hex(one(own, 1)), spanId: hex(one(own, 2)) };
    }),
    status: status ? Number(one(fieldsOf(status.bytes), 3)?.number ?? 0n) : 0,
  };
}

function attributesOf(fields: Field[], no: number): ReceivedSpan["attributes"] {
  return Object.fromEntries(
    all(fields, no).map((keyValue) => {
      const own = fieldsOf(keyValue.bytes);
      return [text(one(own, 1)), valueOf(fieldsOf(one(own, 2)!.bytes)[0]!)];
    }),
  );
}

/** An `AnyValue`: text, boolean, integer or double. */
function valueOf({ no, bytes, number }: Field): string | number | boolean {
  if (no === 1) return new TextDecoder().decode(bytes);
  if (no === 2) return number === 1n;
  if (no === 4) return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true);
  return Number(BigInt.asIntN(64, number));
}

function fieldsOf(bytes: Uint8Array): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const type = key & 7;
    const no = key >> 3;
    if (type === 0) {
      fields.push({ no, bytes: new Uint8Array(), number: varint() });
      continue;
    }
    const length = { 1: 8, 2: -1, 5: 4 }[type];
    if (length === undefined) throw new Error(`Cannot read a protobuf field of type ${type}`);
    const size = length === -1 ? Number(varint()) : length;
    fields.push({ no, bytes: bytes.slice(at, at + size), number: 0n });
    at += size;
  }
  return fields;
}

function all(fields: Field[], no: number): Field[] {
  return fields.filter((field) => field.no === no);
}

function one(fields: Field[], no: number): Field | undefined {
  return fields.find((field) => field.no === no);
}

function hex(field: Field | undefined): string {
  return field ? Buffer.from(field.bytes).toString("hex") : "";
}

function text(field: Field | undefined): string {
  return new TextDecoder().decode(field?.bytes);
}
