/**
 * Reads OTLP/JSON requests of traces and of logs. Parsing cannot be interrupted: it needs about 110 ms for the largest accepted request
 * (20 MiB), while protobuf has no such step. All later steps yield to the event loop.
 */
import { badRequest } from '../../../base/errors.ts'
import { runInSlices } from '../../../base/event-loop.ts'
import type {
  ReceivedBatch,
  ReceivedEvent,
  ReceivedEvents,
  ReceivedLink,
  ReceivedSpan,
  ReceivedSpanEvent,
  ResourceScope,
} from '../../../traces/storing/received-span.ts'
import { BatchDraft, emptySpan, OBJECT_COST, tooManyValues } from '../batch-draft.ts'
import { LogBatch } from '../log-records.ts'
import { bigintOf, enumOf, type Fields, idOf, JsonValues, listOf, objectOf, textOf } from './values.ts'

const RECORDS_BETWEEN_PAUSES = 100
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((name) => `SPAN_KIND_${name}`)
const STATUS_CODES = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR']

export async function decodeJson<Kept>(
  bytes: Buffer,
  keep: (span: ReceivedSpan) => Kept,
): Promise<ReceivedBatch<Kept>> {
  return runInSlices(new JsonRequestReader(keep).read(await parseRequest(bytes)))
}

/** Parses the JSON of a request of any signal. */
async function parseRequest(bytes: Buffer): Promise<unknown> {
  await runInSlices(rejectCostly(bytes))
  return parse(bytes)
}

class JsonRequestReader<Kept> {
  readonly #batch: BatchDraft<Kept>
  readonly #values: JsonValues
  #spanCount = 0

  constructor(keep: (span: ReceivedSpan) => Kept) {
    this.#batch = new BatchDraft(keep)
    this.#values = new JsonValues(this.#batch)
  }

  *read(request: unknown): Generator<void, ReceivedBatch<Kept>> {
    const { resourceSpans, resourceLogs, resourceMetrics } = objectOf(request, 'the body')
    if (resourceSpans === undefined && (resourceLogs ?? resourceMetrics) !== undefined) this.#batch.warnOfOtherSignal()
    for (const resourceSpan of listOf(resourceSpans, 'resourceSpans')) {
      this.#batch.spend(OBJECT_COST)
      const { resource, scopeSpans } = objectOf(resourceSpan, 'an entry of resourceSpans')
      const attributes = this.#values.attributes(objectOf(resource, 'resource').attributes)
      this.#batch.warnInsteadOfRejecting()
      for (const scopeSpan of listOf(scopeSpans, 'scopeSpans')) {
        this.#batch.spend(OBJECT_COST)
        const { scope, spans } = objectOf(scopeSpan, 'an entry of scopeSpans')
        const resourceScope = this.#resourceScope(attributes, objectOf(scope, 'scope'))
        for (const span of listOf(spans, 'spans')) {
          this.#span(resourceScope, objectOf(span, 'an entry of spans'))
          this.#spanCount += 1
          if (this.#spanCount % RECORDS_BETWEEN_PAUSES === 0) yield
        }
      }
    }
    return this.#batch.finish()
  }

  #resourceScope(resource: ResourceScope['resource'], scope: Fields): ResourceScope {
    const resourceScope = {
      resource,
      scopeName: this.#text(scope.name, 'name of a scope'),
      scopeVersion: this.#text(scope.version, 'version of a scope'),
      scopeAttributes: this.#values.attributes(scope.attributes),
    }
    this.#batch.warnInsteadOfRejecting()
    return resourceScope
  }

  #span(resourceScope: ResourceScope, fields: Fields): void {
    this.#batch.beginSpan()
    const span = emptySpan(resourceScope, this.#values.attributes(fields.attributes))
    const status = objectOf(fields.status, 'status')
    span.traceId = idOf(fields.traceId)
    span.spanId = idOf(fields.spanId)
    span.parentSpanId = idOf(fields.parentSpanId)
    span.name = this.#text(fields.name, 'name')
    span.kind = enumOf(fields.kind, KINDS)
    span.startNs = bigintOf(fields.startTimeUnixNano, 'startTimeUnixNano')
    span.endNs = bigintOf(fields.endTimeUnixNano, 'endTimeUnixNano')
    for (const event of listOf(fields.events, 'events')) span.events.push(this.#event(objectOf(event, 'an event')))
    for (const given of listOf(fields.links, 'links')) {
      const link = this.#link(objectOf(given, 'a link'))
      if (this.#batch.isLink(link)) span.links.push(link)
    }
    span.statusCode = enumOf(status.code, STATUS_CODES)
    span.statusMessage = this.#text(status.message, 'status message')
    this.#batch.addSpan(span)
  }

  #event({ timeUnixNano, name, attributes }: Fields): ReceivedEvent {
    this.#batch.spend(OBJECT_COST)
    return {
      timeNs: this.#batch.time(bigintOf(timeUnixNano, 'timeUnixNano'), 'time of an event'),
      name: this.#text(name, 'name of an event'),
      attributes: this.#values.attributes(attributes),
    }
  }

  #link({ traceId, spanId, attributes }: Fields): ReceivedLink {
    this.#batch.spend(OBJECT_COST)
    return { traceId: idOf(traceId), spanId: idOf(spanId), attributes: this.#values.attributes(attributes) }
  }

  #text(value: unknown, what: string): string {
    return this.#batch.cutName(this.#batch.clean(textOf(value, what)), what)
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function parse(bytes: Buffer): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw badRequest('The request body is not valid UTF-8')
  }
  try {
    // Not `parseJson` of base: a key such as __proto__ and a character such as U+0000 are valid data here.
    return JSON.parse(text)
  } catch {
    throw badRequest('The request body is not valid JSON')
  }
}

/** Values of the maximum accepted depth need three levels each. */
const JSON_DEPTH_MAX = 256
/** Twice the number in the largest request with short attributes. */
const JSON_OBJECTS_MAX = 1_000_000
const CHECKED_FROM_BYTES = 1 << 20

/**
 * The parser tracks every open bracket and allocates an object for each: 20 MiB of brackets would cost a gigabyte and two seconds. In a
 * small body they cost little, and excessive nesting is found when the values are read.
 */
function* rejectCostly(bytes: Buffer): Generator<void, void> {
  if (bytes.length < CHECKED_FROM_BYTES) return
  let depth = 0
  let objectCount = 0
  let isInText = false
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (at % CHECKED_FROM_BYTES === 0) yield
    if (isInText) {
      if (byte === 0x5c) at += 1
      else if (byte === 0x22) isInText = false
    } else if (byte === 0x22) isInText = true
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1
      objectCount += 1
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1
    if (depth > JSON_DEPTH_MAX) throw badRequest('The request body is nested too deeply')
    if (objectCount > JSON_OBJECTS_MAX) throw tooManyValues()
  }
}

export async function decodeLogsJson<Kept>(
  bytes: Buffer,
  keep: (event: ReceivedSpanEvent) => Kept,
): Promise<ReceivedEvents<Kept>> {
  return runInSlices(readRequest(await parseRequest(bytes), new LogBatch(keep)))
}

/** Resources and scopes are not read: an event has those of its span. */
function* readRequest<Kept>(request: unknown, batch: LogBatch<Kept>): Generator<void, ReceivedEvents<Kept>> {
  const values = new JsonValues(batch.limits)
  let recordCount = 0
  for (const resourceLogs of listOf(objectOf(request, 'the body').resourceLogs, 'resourceLogs')) {
    batch.limits.spend(OBJECT_COST)
    for (const scopeLogs of listOf(objectOf(resourceLogs, 'an entry of resourceLogs').scopeLogs, 'scopeLogs')) {
      batch.limits.spend(OBJECT_COST)
      for (const record of listOf(objectOf(scopeLogs, 'an entry of scopeLogs').logRecords, 'logRecords')) {
        readRecord(objectOf(record, 'an entry of logRecords'), batch, values)
        recordCount += 1
        if (recordCount % RECORDS_BETWEEN_PAUSES === 0) yield
      }
    }
  }
  return batch.finish()
}

function readRecord<Kept>(fields: Fields, batch: LogBatch<Kept>, values: JsonValues): void {
  const { limits } = batch
  limits.beginRecord()
  limits.spend(OBJECT_COST)
  batch.add({
    traceId: idOf(fields.traceId),
    spanId: idOf(fields.spanId),
    eventName: limits.cutName(limits.clean(textOf(fields.eventName, 'eventName')), 'name of an event'),
    timeNs: bigintOf(fields.timeUnixNano, 'timeUnixNano'),
    observedNs: bigintOf(fields.observedTimeUnixNano, 'observedTimeUnixNano'),
    attributes: new Map(values.attributes(fields.attributes)),
    body: values.value(fields.body),
  })
}
