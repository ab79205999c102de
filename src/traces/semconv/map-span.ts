import { cleanText } from '../../base/text.ts'
import {
  type MappedSpan,
  type MappedText,
  PROMPT_SOURCES,
  SPAN_KINDS,
  type SpanKind,
  type SpanPrompt,
  TRACE_SOURCES,
  type TraceLinks,
  type Usage,
} from '../storing/mapped-span.ts'
import type { MappableSpan } from './conventions/convention.ts'
import { stringifyGuarded } from './json/guarded-json.ts'
import { unescapeJson } from './json/unescape-json.ts'
import { SLOTS } from './mapping-rules.ts'
import { type Picks, pickFields } from './pick-fields.ts'

/** Maps a span of any convention to its meaning. Runs for every span that arrives. */
export function mapSpan(span: MappableSpan): MappedSpan {
  return mapPicked(pickFields(span), span)
}

/** The requested model, also if another one responded. */
export function requestedModelOf(span: MappableSpan): string | null {
  return takeText(pickFields(span), SLOTS.requestedModel)
}

/** Only the fields that this function takes count as used. */
export function mapPicked(picks: Picks, span: MappableSpan): MappedSpan {
  const kind = takeKind(picks)
  const output = takePayload(picks, SLOTS.output)
  return {
    name: takeName(picks, span, kind),
    kind,
    input: takePayload(picks, SLOTS.input),
    output,
    model: takeText(picks, SLOTS.model) ?? takeText(picks, SLOTS.requestedModel),
    provider: takeText(picks, SLOTS.provider),
    usage: takeUsage(picks, kind),
    reportedCostUsd: takeCost(picks),
    status: takeStatus(picks, span, kind !== 'span' && output === null),
    statusMessage: takeStatusMessage(picks, span),
    sessionId: takeText(picks, SLOTS.sessionId),
    userId: takeText(picks, SLOTS.userId),
    tags: takeTags(picks),
    environment: takeText(picks, SLOTS.environment),
    traceName: takeText(picks, SLOTS.traceName),
    links: takeLinks(picks),
    source: takeSource(picks),
    prompt: takePrompt(picks),
  }
}

/** The text of an input or output: an unchanged attribute, or the JSON of a structured value. */
export function takePayload(picks: Picks, slot: number): MappedText | null {
  const value = take(picks, slot)
  const assembled = picks.assembled[slot]
  const rule = picks.rules[slot]
  if (rule === undefined) return null
  if (rule.key === null) return assembled === undefined ? null : { ...assembled, text: unescapeJson(assembled.text) }
  if (typeof value === 'string') return { text: unescapeJson(value), key: rule.isWhole ? rule.key : null }
  const text = stringifyGuarded(value)
  return text === undefined ? null : { text, key: null }
}

const kindsByName: ReadonlyMap<unknown, SpanKind> = new Map(SPAN_KINDS.map((kind) => [kind, kind]))

function takeKind(picks: Picks): SpanKind {
  return kindsByName.get(take(picks, SLOTS.kind)) ?? 'span'
}

/** The name of an agent is also on its model calls, so only attributes that name this span override the span name. */
function takeName(picks: Picks, span: MappableSpan, kind: SpanKind): string {
  return (
    takeText(picks, SLOTS.entityName) ??
    takeNameOfKind(picks, kind) ??
    takeText(picks, SLOTS.messageName) ??
    (cleanText(span.name) || takeText(picks, SLOTS.operationName) || kind)
  )
}

function takeNameOfKind(picks: Picks, kind: SpanKind): string | null {
  if (kind === 'tool') return takeText(picks, SLOTS.toolName)
  if (kind === 'agent') return takeText(picks, SLOTS.agentName)
  if (kind === 'chain') return takeText(picks, SLOTS.chainName)
  return null
}

function takeCost(picks: Picks): number | null {
  const cost = takeNumber(picks, SLOTS.costUsd)
  if (cost !== null) return cost
  const input = takeNumber(picks, SLOTS.inputCostUsd)
  const output = takeNumber(picks, SLOTS.outputCostUsd)
  return input === null && output === null ? null : (input ?? 0) + (output ?? 0)
}

function takeStatus(picks: Picks, { status }: MappableSpan, isUnanswered: boolean): MappedSpan['status'] {
  if (take(picks, SLOTS.failure) === true) return 'error'
  if (status !== 'unset') return status
  // Some senders report a failure without the status: by the type of the error, or by the exception that ended the call.
  if (takeText(picks, SLOTS.errorType) !== null) return 'error'
  return isUnanswered && picks.assembled[SLOTS.exceptionMessage] !== undefined ? 'error' : 'unset'
}

function takeStatusMessage(picks: Picks, { status, statusMessage }: MappableSpan): string | null {
  const own = takeText(picks, SLOTS.statusMessage)
  if (own !== null) return own
  if (statusMessage.trim() !== '') return statusMessage
  // An exception that was recorded and handled is not an error.
  if (status === 'ok') return null
  picks.taken[SLOTS.exceptionMessage] = true
  return picks.assembled[SLOTS.exceptionMessage]?.text ?? takeText(picks, SLOTS.errorType)
}

function takeTags(picks: Picks): string[] {
  const tags = take(picks, SLOTS.tags)
  return Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : []
}

function takeLinks(picks: Picks): TraceLinks {
  const links: TraceLinks = {}
  const component = takeText(picks, SLOTS.component)
  const dataset = takeText(picks, SLOTS.dataset)
  const run = takeText(picks, SLOTS.run)
  const datasetId = takeText(picks, SLOTS.datasetId)
  const itemId = takeText(picks, SLOTS.itemId)
  if (component !== null) links.component = component
  if (dataset !== null) links.dataset = dataset
  if (run !== null) links.run = run
  if (datasetId !== null) links.datasetId = datasetId
  if (itemId !== null) links.itemId = itemId
  return links
}

function takeSource(picks: Picks): MappedSpan['source'] {
  const source = take(picks, SLOTS.source)
  return source === undefined ? null : (TRACE_SOURCES.find((known) => known === source) ?? null)
}

/** Most spans name none, which the first two lines find. */
function takePrompt(picks: Picks): SpanPrompt | null {
  const name = takeText(picks, SLOTS.prompt) ?? joinPrompt(picks)
  if (name === null) return null
  const source = take(picks, SLOTS.promptSource)
  return {
    name,
    label: takeText(picks, SLOTS.promptLabel),
    source: PROMPT_SOURCES.find((known) => known === source) ?? null,
  }
}

/** The name and the version of one convention; those of two would be a version that does not exist. */
function joinPrompt(picks: Picks): string | null {
  const name = takeText(picks, SLOTS.promptName)
  const isOfOther =
    name !== null && picks.rules[SLOTS.promptName]?.convention !== picks.rules[SLOTS.promptVersion]?.convention
  const version = isOfOther ? null : takeText(picks, SLOTS.promptVersion)
  if (name === null && version === null) return null
  return version === null ? name : `${name ?? ''}@${version}`
}

/** Uses the value of a field. Every field of a mapped span is read through this function, so that it can be explained. */
function take(picks: Picks, slot: number): unknown {
  picks.taken[slot] = true
  return picks.values[slot]
}

function takeText(picks: Picks, slot: number): string | null {
  const value = take(picks, slot)
  return typeof value === 'string' ? value : null
}

function takeNumber(picks: Picks, slot: number): number | null {
  const value = take(picks, slot)
  return typeof value === 'number' ? value : null
}

/**
 * Normalizes the counts of a span. The conventions include cached tokens in the input count, some providers exclude them, and no
 * attribute indicates which. Cache counts that exceed the input cannot be part of it.
 */
function takeUsage(picks: Picks, kind: SpanKind): Usage | null {
  const details = take(picks, SLOTS.usageDetails)
  if (isUsage(details)) return details

  const reportedTotal = takeNumber(picks, SLOTS.totalTokens)
  const sentInput = takeNumber(picks, SLOTS.inputTokens) ?? inputOfTotal(kind, reportedTotal)
  const sentOutput = takeNumber(picks, SLOTS.outputTokens)
  // Details alone are not usage: the Vercel AI SDK repeats some of them on the spans around a call.
  if (sentInput === null && sentOutput === null && reportedTotal === null) return null

  const cacheRead = takeNumber(picks, SLOTS.cacheReadTokens)
  const cacheWrite = takeNumber(picks, SLOTS.cacheWriteTokens)
  const reasoning = takeNumber(picks, SLOTS.reasoningTokens)
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0)
  const isAdditive = cached > (sentInput ?? 0)
  const input = isAdditive ? (sentInput ?? 0) + cached : sentInput
  // The same applies to reasoning: Gemini counts thoughts in addition to the output.
  const output = (reasoning ?? 0) > (sentOutput ?? 0) ? (sentOutput ?? 0) + (reasoning ?? 0) : sentOutput
  // A total below the sum excludes the cached tokens.
  const total = Math.max(reportedTotal ?? 0, (input ?? 0) + (output ?? 0))
  return { input, output, total, cacheRead, cacheWrite, reasoning, basis: isAdditive ? 'additive' : 'inclusive' }
}

/** Models without text output often report only a total, which is their input. */
function inputOfTotal(kind: SpanKind, total: number | null): number | null {
  return kind === 'embedding' || kind === 'reranker' ? total : null
}

function isUsage(value: unknown): value is Usage {
  return typeof value === 'object' && value !== null && 'basis' in value
}
