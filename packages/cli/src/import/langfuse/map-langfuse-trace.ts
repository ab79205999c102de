/** A trace of Langfuse as spans with the attributes that Langfuse's own SDKs send: the server knows them. */
import type { OtlpSpan, OtlpTraceRecord, RunCase } from '../import-record.ts'
import { contentOf, nanoseconds, otlpAttributes } from '../otlp-values.ts'
import { type Fields, fieldsOf, isFields, listOf, numberOf, present, stableId, textOf } from '../source-values.ts'
import type { LangfuseTrace } from './langfuse-version.ts'

/** Ids of older SDKs are UUIDs or texts of the user; those of newer ones are ids of OpenTelemetry. */
export function traceIdOf(id: string): string {
  const hex = id.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(hex) ? hex : stableId('langfuse trace', id)
}

export function spanIdOf(id: string): string {
  return /^[0-9a-f]{16}$/.test(id) ? id : stableId('langfuse observation', id).slice(0, 16)
}

/** Undefined for a trace without anything. */
export function langfuseTrace({ id, trace, observations }: LangfuseTrace, of?: RunCase): OtlpTraceRecord | undefined {
  const traceId = traceIdOf(id)
  const ids = new Set(observations.map((observation) => String(observation['id'])))
  const roots = observations.filter(({ parentObservationId }) => !ids.has(textOf(parentObservationId) ?? ''))
  const context = contextOf(trace ?? {}, roots.at(0) ?? {})
  const [root, ...others] = roots
  // In older versions a trace had an input and an output of its own, above any number of observations.
  const hasOwnSpan = trace !== undefined && (root === undefined || others.length > 0)
  const ownSpan = hasOwnSpan ? spanOfTrace(trace, { traceId, id, observations, context }) : undefined
  const spans = observations.map((observation) => {
    const isRoot = roots.includes(observation)
    const extra = isRoot ? { ...context, ...(!ownSpan && traceContent(trace ?? {}, observation)) } : {}
    const span = spanOf(traceId, observation, extra)
    return isRoot && ownSpan ? { ...span, parentSpanId: ownSpan.spanId } : span
  })
  const all = ownSpan ? [ownSpan, ...spans] : spans
  return all.length === 0 ? undefined : { kind: 'otlpTrace', traceId, spans: all, ...(of && { of }) }
}

function contextOf(trace: Fields, root: Fields): Fields {
  return {
    'langfuse.trace.name': textOf(trace['name']) ?? textOf(root['traceName']),
    'session.id': textOf(trace['sessionId']) ?? textOf(root['sessionId']),
    'user.id': textOf(trace['userId']) ?? textOf(root['userId']),
    'langfuse.trace.tags': contentOf(listOf(trace['tags'] ?? root['tags']).map(String)),
    'langfuse.release': textOf(trace['release']) ?? textOf(root['release']),
    'langfuse.environment': textOf(trace['environment']) ?? textOf(root['environment']),
    ...withPrefix('langfuse.trace.metadata', trace['metadata']),
  }
}

/** What was set on the trace and differs from its only root: it is the question and the answer. */
function traceContent(trace: Fields, root: Fields): Fields {
  const own = (side: 'input' | 'output') => {
    const value = contentOf(trace[side])
    return value !== undefined && JSON.stringify(value) !== JSON.stringify(root[side]) ? asText(value) : undefined
  }
  return { 'touchstone.input': own('input'), 'touchstone.output': own('output') }
}

interface TraceParts {
  traceId: string
  id: string
  observations: Fields[]
  context: Fields
}

function spanOfTrace(trace: Fields, { traceId, id, observations, context }: TraceParts): OtlpSpan {
  const starts = observations.flatMap(({ startTime }) => nanoseconds(startTime) ?? [])
  const ends = observations.flatMap(({ startTime, endTime }) => nanoseconds(endTime ?? startTime) ?? [])
  const start = nanoseconds(trace['timestamp']) ?? '0'
  return {
    traceId,
    spanId: stableId('langfuse root', id).slice(0, 16),
    name: textOf(trace['name']) ?? 'trace',
    // All have as many digits, so texts are in the order of numbers.
    startTimeUnixNano: [start, ...starts].sort()[0] ?? start,
    endTimeUnixNano: [start, ...ends].sort().at(-1) ?? start,
    attributes: otlpAttributes({
      ...context,
      'langfuse.trace.input': asText(contentOf(trace['input'])),
      'langfuse.trace.output': asText(contentOf(trace['output'])),
    }),
  }
}

function spanOf(traceId: string, observation: Fields, extra: Fields): OtlpSpan {
  const { id, parentObservationId, name, type, startTime, endTime, level, statusMessage } = observation
  const parent = textOf(parentObservationId)
  const start = nanoseconds(startTime) ?? '0'
  return present({
    traceId,
    spanId: spanIdOf(String(id)),
    parentSpanId: parent === undefined ? undefined : spanIdOf(parent),
    name: textOf(name) ?? String(type ?? 'span').toLowerCase(),
    startTimeUnixNano: start,
    endTimeUnixNano: nanoseconds(endTime) ?? start,
    attributes: otlpAttributes({ ...extra, ...attributesOf(observation) }),
    status: present({ code: level === 'ERROR' ? 2 : 0, message: textOf(statusMessage) }),
  })
}

function attributesOf(observation: Fields): Fields {
  const { id, type, input, output, modelParameters, level, statusMessage, version } = observation
  return {
    'langfuse.observation.type': textOf(type)?.toLowerCase(),
    'langfuse.observation.input': asText(contentOf(input)),
    'langfuse.observation.output': asText(contentOf(output)),
    'langfuse.observation.model.name': textOf(observation['providedModelName']) ?? textOf(observation['model']),
    'langfuse.observation.model.parameters': asText(contentOf(modelParameters)),
    'langfuse.observation.usage_details': asText(usageOf(observation)),
    'langfuse.observation.cost_details': asText(costOf(observation)),
    'langfuse.observation.level': textOf(level),
    'langfuse.observation.status_message': textOf(statusMessage),
    'langfuse.observation.completion_start_time': textOf(observation['completionStartTime']),
    'langfuse.observation.prompt.name': textOf(observation['promptName']),
    'langfuse.observation.prompt.version': numberOf(observation['promptVersion']),
    'langfuse.version': textOf(version),
    ...(spanIdOf(String(id)) !== id && { 'langfuse.observation.id': id }),
    ...withPrefix('langfuse.observation.metadata', observation['metadata']),
  }
}

/** `usage` is the form of versions before usage had details. It is zero where nothing was reported. */
function usageOf({ usageDetails, usage }: Fields): unknown {
  const details = contentOf(usageDetails)
  if (details !== undefined) return details
  const { input, output, total } = fieldsOf(usage)
  if (!input && !output && !total) return undefined
  return contentOf(present({ input: numberOf(input), output: numberOf(output), total: numberOf(total) }))
}

function costOf({ costDetails, calculatedTotalCost, totalCost }: Fields): unknown {
  const total = numberOf(totalCost) ?? numberOf(calculatedTotalCost)
  return contentOf(costDetails) ?? (total !== undefined && total > 0 ? { total } : undefined)
}

function withPrefix(prefix: string, value: unknown): Fields {
  if (!isFields(value)) return { [prefix]: asText(contentOf(value)) }
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [`${prefix}.${key}`, field]))
}

function asText(value: unknown): string | undefined {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}
