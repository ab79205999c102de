/** The decoders, with every span kept as it was read. */
import * as json from '../../src/ingestion/otlp/json/decode-json.ts'
import * as protobuf from '../../src/ingestion/otlp/protobuf/decode-protobuf.ts'
import type { ReceivedBatch, ReceivedSpan } from '../../src/traces/storing/received-span.ts'

export function decodeJson(bytes: Buffer): Promise<ReceivedBatch> {
  return json.decodeJson(bytes, whole)
}

export function decodeProtobuf(bytes: Buffer): Promise<ReceivedBatch> {
  return protobuf.decodeProtobuf(bytes, whole)
}

export function whole(span: ReceivedSpan): ReceivedSpan {
  return span
}
