/**
 * Writes a span as JSON, field by field. Ten thousand spans are tens of megabytes, and creating an object for each only to serialize it
 * costs a third more.
 */
import { timestamp } from '../../base/clock.ts'
import { idFromNames } from '../../base/ids.ts'
import { quoteText } from '../../base/json.ts'
import type { MappableSpan } from '../semconv/conventions/convention.ts'
import { metadataJson } from '../semconv/map-metadata.ts'
import { messagesOfSpan } from '../semconv/messages/map-messages.ts'
import { type PickedParameters, parametersJson, pickParameters } from '../semconv/model-parameters.ts'
import type { SpanRow, TraceRow } from '../trace-queries.ts'
import { milliseconds } from '../trace-summary.ts'
import type { MappedText } from './mapped-span.ts'
import type { ResourceScope } from './received-span.ts'
import { eventBody, storedSpan } from './stored-span.ts'

export function writeSpan(
  row: SpanRow,
  trace: Pick<TraceRow, 'id' | 'traceId' | 'createdAt'>,
  resourceScope: ResourceScope,
): string {
  const span = storedSpan(row, resourceScope)
  const settings = pickParameters(span.attributes)
  const id = idFromNames(trace.id, row.spanId)
  return (
    `{"id":"${id}","spanId":${quoteText(row.spanId)},"traceId":${quoteText(trace.traceId)},"traceDbId":"${trace.id}",` +
    `"parentSpanId":${textJson(row.parentSpanId)},"name":${quoteText(row.name)},"kind":${quoteText(row.kind)},` +
    `"startTime":"${timestamp(row.startMs)}","endTime":${row.endMs === null ? 'null' : `"${timestamp(row.endMs)}"`},` +
    `"durationMs":${milliseconds(row.durationNs)},"status":${row.status === 'error' ? '"error"' : '"ok"'},` +
    `"statusMessage":${textJson(row.statusMessage)},"input":${textJson(row.input)},"output":${textJson(row.output)},` +
    `"messages":${writeMessages(row, span)},"metadata":${writeMetadata(row, span, settings)},` +
    `"model":${textJson(row.model)},"provider":${textJson(row.provider)},"inputTokens":${row.inputTokens},` +
    `"outputTokens":${row.outputTokens},"totalTokens":${row.totalTokens},"costUsd":${row.costUsd},` +
    `"costBasis":${textJson(row.costBasis)},"modelParameters":${parametersJson(settings)},` +
    `"createdAt":"${trace.createdAt}","events":[${writeEvents(span, id)}]}`
  )
}

function textJson(text: string | null): string {
  return text === null ? 'null' : quoteText(text)
}

function writeMessages(row: SpanRow, span: MappableSpan): string {
  const messages = messagesOfSpan(span, textOf(row.input, row.inputFrom), textOf(row.output, row.outputFrom))
  return messages === null ? 'null' : JSON.stringify([...messages.input, ...messages.output])
}

function textOf(text: string | null, key: string | null): MappedText | null {
  return text === null ? null : { text, key }
}

/** Links and notes are already JSON. They come last and override attributes of the same name. */
function writeMetadata({ links, notes }: SpanRow, span: MappableSpan, settings: PickedParameters): string {
  const json = metadataJson(span, settings)
  if (links === null && notes === null) return json
  const metadata = JSON.parse(json)
  if (links !== null) metadata['span.links'] = JSON.parse(links)
  if (notes !== null) metadata['span.notes'] = JSON.parse(notes)
  return JSON.stringify(metadata)
}

function writeEvents({ events }: MappableSpan, spanDbId: string): string {
  const written = events.map((event, place) => {
    const time = timestamp(Number(event.timeNs / 1_000_000n))
    const id = idFromNames(spanDbId, String(place))
    return `{"id":"${id}","spanDbId":"${spanDbId}","name":${JSON.stringify(event.name)},"timestamp":"${time}","body":${eventBody(event)}}`
  })
  return written.join(',')
}
