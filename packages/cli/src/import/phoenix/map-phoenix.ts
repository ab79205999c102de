/** The objects of Phoenix as records of the import. Attributes stay as they are: the server knows OpenInference. */
import { type Feedback, feedbackText } from '../feedback-text.ts'
import type { ImportedScore, ItemRecord, OtlpSpan, OtlpTraceRecord, RunCase, TraceRecord } from '../import-record.ts'
import { contentOf, nanoseconds, otlpAttributes, statusCode, unwrapOnlyText } from '../otlp-values.ts'
import {
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  present,
  stableId,
  textOf,
  timeOf,
} from '../source-values.ts'

export const PHOENIX = 'Phoenix'

export function phoenixTrace(project: string, traceId: string, spans: Fields[], of?: RunCase): OtlpTraceRecord {
  return {
    kind: 'otlpTrace',
    traceId,
    spans: spans.map((span) => phoenixSpan(traceId, span)),
    resource: otlpAttributes({ 'openinference.project.name': project }),
    ...(of && { of }),
  }
}

function phoenixSpan(traceId: string, span: Fields): OtlpSpan {
  const { context, parent_id, name, span_kind, start_time, end_time, status_code, status_message, attributes, events } =
    span
  const kind = textOf(span_kind)
  return present({
    traceId,
    spanId: String(fieldsOf(context)['span_id']),
    parentSpanId: textOf(parent_id),
    name: textOf(name) ?? 'span',
    startTimeUnixNano: nanoseconds(start_time) ?? '0',
    endTimeUnixNano: nanoseconds(end_time),
    // Phoenix has removed it from the attributes.
    attributes: otlpAttributes({
      ...(kind !== 'UNKNOWN' && { 'openinference.span.kind': kind }),
      ...fieldsOf(attributes),
    }),
    events: listOf(events).filter(isFields).map(phoenixEvent),
    status: present({ code: statusCode(status_code), message: textOf(status_message) }),
  })
}

function phoenixEvent({ name, timestamp, attributes }: Fields) {
  return present({
    name: textOf(name) ?? 'event',
    timeUnixNano: nanoseconds(timestamp),
    attributes: otlpAttributes(fieldsOf(attributes)),
  })
}

export function phoenixItem(dataset: string, example: Fields): ItemRecord {
  const { id, input, output, metadata } = example
  const expected = unwrapOnlyText(contentOf(output))
  return {
    kind: 'item',
    dataset,
    key: String(id),
    input: unwrapOnlyText(input),
    ...(expected !== undefined && { expected }),
    ...(isFields(metadata) && { metadata }),
  }
}

/** The trace of an experiment's run that has none, or whose trace was deleted. */
export function traceOfRun(experimentId: string, run: Fields, of: RunCase): TraceRecord {
  const { input, output, error, start_time, end_time } = run
  const message = textOf(error)
  const content = contentOf(output)
  return {
    kind: 'trace',
    trace: present({
      traceId: traceIdOfRun(experimentId, run),
      name: of.run.slice(0, 500),
      kind: 'chain' as const,
      startTime: timeOf(start_time),
      endTime: timeOf(end_time),
      status: message === undefined ? ('ok' as const) : ('error' as const),
      statusMessage: message,
      input: unwrapOnlyText(input),
      output: content,
    }),
    of,
  }
}

export function traceIdOfRun(experimentId: string, { trace_id, example_id, repetition_number }: Fields): string {
  return textOf(trace_id) ?? stableId(PHOENIX, experimentId, example_id, repetition_number)
}

/** A score, or the reason why it has none. */
export function phoenixScore(traceId: string, annotation: Fields): ImportedScore | { reason: string } {
  const { name, score, label, explanation, error } = annotation
  const failure = textOf(error)
  if (failure !== undefined) return { reason: `the evaluator failed: ${failure}` }
  return present({
    traceId,
    evaluator: String(name),
    score: numberOf(score),
    label: textOf(label),
    reason: textOf(explanation),
  })
}

export function phoenixComment(annotation: Fields): string {
  const { name, annotator_kind, result, created_at } = annotation
  const { label, score, explanation } = fieldsOf(result)
  const feedback: Feedback = {
    name: String(name),
    label: textOf(label),
    score: numberOf(score),
    explanation: textOf(explanation),
    by: annotator_kind === 'HUMAN' ? 'human' : annotator_kind === 'LLM' ? 'model' : 'code',
    at: timeOf(created_at),
  }
  return feedbackText(PHOENIX, feedback)
}
