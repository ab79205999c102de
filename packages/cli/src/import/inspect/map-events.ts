/** The events of a sample as spans: solvers, agents and scorers, with the calls of models and tools in them. */
import type { NewTrace } from 'touchstone-sdk'
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  present,
  shorten,
  textOf,
  timeOf,
} from '../source-values.ts'
import { messageOf, messagesOf, withAttachments } from './inspect-messages.ts'

type Span = NonNullable<NewTrace['spans']>[number]

export function spansOf(sample: Fields): Span[] {
  const attachments = fieldsOf(sample['attachments'])
  const events = listOf(sample['events'])
    .filter(isFields)
    .map((event) => fieldsOf(withAttachments(event, attachments)))
  const shared = listOf(withAttachments(fieldsOf(sample['events_data'])['messages'], attachments))
  const ends = new Map(
    events.filter(({ event }) => event === 'span_end').map(({ id, timestamp }) => [id, timeOf(timestamp)]),
  )
  const scores = new Map(
    events.filter(({ event }) => event === 'score').map(({ span_id, score }) => [span_id, fieldsOf(score)]),
  )
  const parents = new Set(events.flatMap((event) => [event['span_id'], event['parent_id']]))
  const spans = events.flatMap((event): Span[] => {
    if (event['event'] === 'model') return [modelSpan(event, shared)]
    if (event['event'] === 'tool') return [toolSpan(event)]
    if (event['event'] !== 'span_begin' || !isUseful(event, events, parents)) return []
    return [blockSpan(event, { endTime: ends.get(event['id']), score: scores.get(event['id']) })]
  })
  const known = new Set(spans.map(({ spanId }) => spanId))
  // A parent that is no span of its own: the span belongs to the root.
  return spans.map(({ parentSpanId, ...span }) =>
    parentSpanId !== undefined && known.has(parentSpanId) ? { ...span, parentSpanId } : span,
  )
}

const KINDS: Record<string, Span['kind']> = {
  agent: 'agent',
  handoff: 'agent',
  solver: 'chain',
  solvers: 'chain',
  subtask: 'chain',
  scorer: 'evaluator',
  scorers: 'evaluator',
}

/** A tool has an event of its own with arguments and result; its block only matters if something happened in it. */
function isUseful(block: Fields, events: Fields[], parents: Set<unknown>): boolean {
  if (block['type'] === 'init') return false
  if (block['type'] !== 'tool') return true
  return (
    parents.has(block['id']) && events.some((event) => event['event'] === 'model' && event['span_id'] === block['id'])
  )
}

function blockSpan(
  event: Fields,
  { endTime, score }: { endTime: string | undefined; score: Fields | undefined },
): Span {
  return present({
    spanId: textOf(event['id']),
    parentSpanId: textOf(event['parent_id']),
    name: shorten(textOf(event['name']) ?? 'span', 200),
    kind: KINDS[String(event['type'])] ?? 'span',
    startTime: timeOf(event['timestamp']),
    endTime,
    ...(score && { input: score['answer'] ?? undefined, output: score['value'] }),
  })
}

function modelSpan(event: Fields, shared: unknown[]): Span {
  const output = fieldsOf(event['output'])
  const usage = fieldsOf(output['usage'])
  const failure = textOf(event['error']) ?? textOf(output['error'])
  const config = Object.fromEntries(Object.entries(fieldsOf(event['config'])).filter(([, value]) => value !== null))
  const cached = (countOf(usage['input_tokens_cache_read']) ?? 0) + (countOf(usage['input_tokens_cache_write']) ?? 0)
  const message = fieldsOf(listOf(output['choices'])[0])['message']
  return present({
    ...timed(event),
    name: shorten(textOf(event['model']) ?? 'model', 200),
    kind: 'llm',
    ...statusOf(failure),
    input: { messages: messagesOf(inputOf(event, shared)) },
    output: isFields(message) ? { messages: [messageOf(message)] } : textOf(output['completion']),
    ...modelOf(textOf(output['model']) ?? textOf(event['model']), textOf(event['model'])),
    // Inspect counts cached tokens separately.
    inputTokens: sum(countOf(usage['input_tokens']), cached),
    outputTokens: countOf(usage['output_tokens']),
    costUsd: numberOf(usage['total_cost']),
    modelParameters: Object.keys(config).length > 0 ? config : undefined,
  })
}

function sum(tokens: number | undefined, cached: number): number | undefined {
  return tokens === undefined ? undefined : tokens + cached
}

/** Messages that several calls have in common are stored once, and named by ranges. */
function inputOf(event: Fields, shared: unknown[]): unknown[] {
  const refs = listOf(event['input_refs'])
  if (refs.length === 0) return listOf(event['input'])
  return refs.flatMap((range) => {
    const [start, end] = listOf(range).map((one) => countOf(one))
    return start === undefined ? [] : shared.slice(start, end)
  })
}

/** `openai/gpt-4o` names the provider first. The response may have a more exact name of the model. */
function modelOf(model: string | undefined, asked: string | undefined) {
  const [provider, ...rest] = (asked ?? '').split('/')
  return { provider: rest.length > 0 ? provider : undefined, model: model?.replace(`${provider}/`, '') }
}

function toolSpan(event: Fields): Span {
  const failure = textOf(fieldsOf(event['error'])['message'])
  return present({
    ...timed(event),
    name: shorten(textOf(event['function']) ?? 'tool', 200),
    kind: 'tool',
    ...statusOf(failure),
    input: event['arguments'],
    output: event['result'] ?? undefined,
  })
}

function timed(event: Fields) {
  const startTime = timeOf(event['timestamp'])
  return {
    spanId: textOf(event['uuid']),
    parentSpanId: textOf(event['span_id']),
    startTime,
    endTime: timeOf(event['completed']) ?? startTime,
  }
}

function statusOf(failure: string | undefined): Pick<Span, 'status' | 'statusMessage'> {
  return failure === undefined ? { status: 'ok' } : { status: 'error', statusMessage: failure.slice(0, 20_000) }
}
