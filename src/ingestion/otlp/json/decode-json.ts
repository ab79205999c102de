/** Reads OTLP/JSON requests of traces and of logs. All steps yield to the event loop. */
import { runInSlices, slicesOf } from '../../../base/event-loop.ts'
import type {
  ReceivedBatch,
  ReceivedEvent,
  ReceivedEvents,
  ReceivedLink,
  ReceivedSpan,
  ReceivedSpanEvent,
  ResourceScope,
} from '../../../traces/storing/received-span.ts'
import { BatchDraft, EVENT_COST, emptySpan, OBJECT_COST } from '../batch-draft.ts'
import { LogBatch } from '../log-records.ts'
import { parseInSlices } from './parse-in-slices.ts'
import { bigintOf, enumOf, type Fields, idOf, JsonValues, listOf, objectOf, textOf } from './values.ts'

const SLICE_MS = 2
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'].map((name) => `SPAN_KIND_${name}`)
const STATUS_CODES = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR']

export async function decodeJson<Kept>(
  bytes: Buffer,
  keep: (span: ReceivedSpan) => Kept,
): Promise<ReceivedBatch<Kept>> {
  return runInSlices(new JsonRequestReader(keep).read(await runInSlices(parseInSlices(bytes))))
}

class JsonRequestReader<Kept> {
  readonly #batch: BatchDraft<Kept>
  readonly #values: JsonValues

  constructor(keep: (span: ReceivedSpan) => Kept) {
    this.#batch = new BatchDraft(keep)
    this.#values = new JsonValues(this.#batch)
  }

  *read(request: unknown): Generator<void, ReceivedBatch<Kept>> {
    const { resourceSpans, resourceLogs, resourceMetrics } = objectOf(request, 'the body')
    const pause = slicesOf(SLICE_MS)
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
          yield* pause()
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
    this.#batch.spendOfSpan(EVENT_COST)
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
    return this.#batch.clean(this.#batch.cutName(textOf(value, what), what))
  }
}

export async function decodeLogsJson<Kept>(
  bytes: Buffer,
  keep: (event: ReceivedSpanEvent) => Kept,
): Promise<ReceivedEvents<Kept>> {
  return runInSlices(readRequest(await runInSlices(parseInSlices(bytes)), new LogBatch(keep)))
}

/** Resources and scopes are not read: an event has those of its span. */
function* readRequest<Kept>(request: unknown, batch: LogBatch<Kept>): Generator<void, ReceivedEvents<Kept>> {
  const values = new JsonValues(batch.limits)
  const pause = slicesOf(SLICE_MS)
  for (const resourceLogs of listOf(objectOf(request, 'the body').resourceLogs, 'resourceLogs')) {
    batch.limits.spend(OBJECT_COST)
    for (const scopeLogs of listOf(objectOf(resourceLogs, 'an entry of resourceLogs').scopeLogs, 'scopeLogs')) {
      batch.limits.spend(OBJECT_COST)
      for (const record of listOf(objectOf(scopeLogs, 'an entry of scopeLogs').logRecords, 'logRecords')) {
        readRecord(objectOf(record, 'an entry of logRecords'), batch, values)
        yield* pause()
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
    eventName: limits.clean(limits.cutName(textOf(fields.eventName, 'eventName'), 'name of an event')),
    timeNs: bigintOf(fields.timeUnixNano, 'timeUnixNano'),
    observedNs: bigintOf(fields.observedTimeUnixNano, 'observedTimeUnixNano'),
    attributes: new Map(values.attributes(fields.attributes)),
    body: values.value(fields.body),
  })
}
