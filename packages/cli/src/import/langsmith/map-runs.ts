/** Runs of LangSmith as traces: those with the same `trace_id` are one, and its root is the run without a parent. */
import type { NewTrace } from 'touchstone-sdk'
import type { RunCase, TraceRecord } from '../import-record.ts'
import { countOf, type Fields, fieldsOf, listOf, numberOf, present, shorten, textOf, timeOf } from '../source-values.ts'
import { chatOf } from './langchain-messages.ts'

type Span = NonNullable<NewTrace['spans']>[number]

export interface RunTree {
  traceId: string
  /** Undefined if the export has no single run at the top, for example only calls of models. */
  root: Fields | undefined
  runs: Fields[]
}

export function runId(run: Fields): string {
  return textOf(run['id']) ?? textOf(run['run_id']) ?? ''
}

export function readTrees(runs: Fields[]): RunTree[] {
  const trees = new Map<string, Map<string, Fields>>()
  for (const run of runs) {
    const traceId = textOf(run['trace_id']) ?? runId(run)
    const tree = trees.get(traceId) ?? new Map<string, Fields>()
    trees.set(traceId, tree.set(runId(run), run))
  }
  return [...trees].map(([traceId, tree]) => {
    const tops = [...tree.values()].filter((run) => !tree.has(textOf(run['parent_run_id']) ?? ''))
    return { traceId, root: tops.length === 1 ? tops[0] : undefined, runs: [...tree.values()] }
  })
}

export function traceOf({ traceId, root, runs }: RunTree, of: RunCase | undefined): TraceRecord {
  const described = root ?? runs[0] ?? {}
  const metadata = metadataOf(described)
  const tags = listOf(described['tags']).flatMap((tag) => textOf(tag) ?? [])
  const { spanId: _, parentSpanId: __, ...fields } = root ? spanOf(root, runs) : spanningAll(runs)
  return {
    kind: 'trace',
    ...(of && { of }),
    trace: present({
      ...fields,
      traceId,
      sessionId: firstText(metadata, ['session_id', 'thread_id', 'conversation_id']),
      userId: firstText(metadata, ['user_id', 'userId', 'ls_user_id']),
      tags: tags.length > 0 ? tags.slice(0, 100) : undefined,
      metadata: present({ ...metadata, project: textOf(described['session_name']) }),
      spans: spansBelow(runs, root),
    }),
  }
}

function spansBelow(runs: Fields[], root: Fields | undefined): Span[] {
  const ids = new Set(runs.map(runId))
  const rootId = root && runId(root)
  return runs
    .filter((run) => run !== root)
    .map((run) => {
      const { parentSpanId, ...span } = spanOf(run, runs)
      const isBelowSpan = parentSpanId !== undefined && parentSpanId !== rootId && ids.has(parentSpanId)
      return isBelowSpan ? { ...span, parentSpanId } : span
    })
}

/** The root of runs that have none in the export. */
function spanningAll(runs: Fields[]): Span {
  const starts = runs.flatMap((run) => timeOf(run['start_time']) ?? []).sort()
  const ends = runs.flatMap((run) => timeOf(run['end_time']) ?? []).sort()
  return present({ name: 'trace', startTime: starts[0], endTime: ends.at(-1) })
}

const KINDS: Record<string, Span['kind']> = {
  llm: 'llm',
  chain: 'chain',
  tool: 'tool',
  retriever: 'retriever',
  embedding: 'embedding',
  prompt: 'prompt',
  parser: 'span',
}

function spanOf(run: Fields, runs: Fields[]): Span {
  const type = String(run['run_type'])
  const failure = textOf(run['error'])
  const callsModel = type === 'llm' || type === 'embedding'
  // LangSmith adds up the tokens of children in each parent.
  const isCounted = callsModel || !runs.some((other) => other['parent_run_id'] === runId(run))
  const read = type === 'llm' ? chatOf : (value: unknown) => value
  return present({
    spanId: runId(run),
    parentSpanId: textOf(run['parent_run_id']),
    name: shorten(textOf(run['name']) ?? type, 200),
    kind: KINDS[type] ?? 'span',
    startTime: timeOf(run['start_time']),
    endTime: timeOf(run['end_time']),
    status: failure === undefined ? 'ok' : 'error',
    statusMessage: failure?.slice(0, 20_000),
    input: read(run['inputs'] ?? undefined),
    output: read(run['outputs'] ?? undefined),
    ...(callsModel ? modelOf(run) : {}),
    ...(isCounted ? usageOf(run) : {}),
  })
}

/** Settings of a call that are no credentials. */
const PARAMETERS = ['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'seed', 'stop', 'reasoning_effort']

function modelOf(run: Fields): Pick<Span, 'model' | 'provider' | 'modelParameters'> {
  const extra = fieldsOf(run['extra'])
  const metadata = fieldsOf(extra['metadata'])
  const parameters = fieldsOf(extra['invocation_params'])
  const known = { temperature: metadata['ls_temperature'], max_tokens: metadata['ls_max_tokens'], ...parameters }
  const chosen = Object.entries(known).filter(([name, value]) => PARAMETERS.includes(name) && (value ?? '') !== '')
  return present({
    model: textOf(metadata['ls_model_name']) ?? textOf(parameters['model']) ?? textOf(parameters['model_name']),
    provider: textOf(metadata['ls_provider']),
    modelParameters: chosen.length > 0 ? Object.fromEntries(chosen) : undefined,
  })
}

function usageOf(run: Fields): Pick<Span, 'inputTokens' | 'outputTokens' | 'totalTokens' | 'costUsd'> {
  const reported =
    fieldsOf(run['outputs'])['usage_metadata'] ?? fieldsOf(fieldsOf(run['extra'])['metadata'])['usage_metadata']
  const usage = fieldsOf(reported)
  const cost = numberOf(Number(run['total_cost'] ?? Number.NaN))
  return present({
    inputTokens: countOf(run['prompt_tokens']) || countOf(usage['input_tokens']),
    outputTokens: countOf(run['completion_tokens']) || countOf(usage['output_tokens']),
    totalTokens: countOf(run['total_tokens']) || countOf(usage['total_tokens']),
    costUsd: cost !== undefined && cost > 0 ? cost : undefined,
  })
}

/** Without the environment that the SDK adds, and without values that other fields have. */
function metadataOf(run: Fields): Fields {
  const metadata = fieldsOf(fieldsOf(run['extra'])['metadata'])
  return Object.fromEntries(
    Object.entries(metadata).filter(([name]) => !/^(LANGSMITH_|LANGCHAIN_|ls_|usage_metadata$)/.test(name)),
  )
}

function firstText(fields: Fields, names: string[]): string | undefined {
  for (const name of names) {
    const text = textOf(fields[name])
    if (text !== undefined) return text.slice(0, 500)
  }
  return undefined
}
