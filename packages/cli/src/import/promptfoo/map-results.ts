/** Results of `promptfoo eval -o`: each column, a prompt with a provider, is a run. */
import type { ImportedScore, ImportRecord, TraceRecord } from '../import-record.ts'
import {
  countOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  numberOf,
  present,
  shorten,
  stableId,
  textOf,
  timeOf,
} from '../source-values.ts'
import { assertionsOf } from './map-assertions.ts'
import { itemKey, itemOf, type Test } from './map-tests.ts'

/** What all rows of a file have in common. */
export interface ResultsFile {
  evalId: string
  dataset: string
  timestamp: string | undefined
  version: string | undefined
  rows: Fields[]
}

/** The rows of any version of the format, or undefined if the document is no result. */
export function readResults(document: unknown, { file, dataset }: { file: string; dataset: string }) {
  const outer = fieldsOf(document)
  const root = isFields(outer['data']) ? outer['data'] : outer
  const results = root['results']
  const rows = (Array.isArray(results) ? results : listOf(fieldsOf(results)['results'])).filter(isRow)
  if (rows.length === 0) return undefined
  const metadata = fieldsOf(root['metadata'])
  const timestamp = fieldsOf(results)['timestamp'] ?? metadata['evaluationCreatedAt'] ?? root['createdAt']
  return {
    // Rows without an id get one from this: without an id of the evaluation, the rows themselves identify it.
    evalId: textOf(root['evalId']) ?? textOf(root['id']) ?? stableId(file, rows).slice(0, 8),
    dataset,
    timestamp: timeOf(timestamp),
    version: textOf(metadata['promptfooVersion']),
    rows,
  } satisfies ResultsFile
}

/** A row has an outcome and the test that it is of. */
export function isRow(value: unknown): value is Fields {
  return isFields(value) && ('success' in value || 'gradingResult' in value) && ('vars' in value || 'testCase' in value)
}

export function* mapResults(results: ResultsFile): Generator<ImportRecord> {
  const { dataset, rows } = results
  yield* new Map(rows.map((row) => [itemKey(testOf(row)), itemOf(testOf(row), dataset)])).values()
  for (const [run, column] of columnsOf(results)) {
    const [first = {}] = column
    yield { kind: 'run', dataset, name: run, metadata: runMetadata(first, results) }
    for (const row of column) yield traceOf(row, run, results)
    const scores = column.flatMap((row) => scoresOf(row, results))
    const evaluators = [...new Set(scores.map(({ evaluator }) => evaluator))].map((name) => ({ name }))
    if (scores.length > 0) yield { kind: 'evaluation', dataset, run, name: 'promptfoo', evaluators, scores }
  }
}

export function testOf(row: Fields): Test {
  const test = fieldsOf(row['testCase'])
  return {
    description: textOf(test['description']) ?? textOf(row['description']),
    vars: fieldsOf(test['vars'] ?? row['vars']),
    assertions: assertionsOf(test['assert']),
    metadata: fieldsOf(test['metadata']),
  }
}

function columnsOf({ rows, evalId }: ResultsFile): Map<string, Fields[]> {
  const columns = new Map<string, Fields[]>()
  const named = new Map<string, string>()
  for (const row of rows) {
    const title = `${shorten(providerName(row), 100)}, ${shorten(promptLabel(row), 100)}`
    const column = String(row['promptIdx'] ?? title)
    let name = `${title} (${evalId})`
    // Two columns may have the same prompt and provider, with other settings.
    for (let number = 2; named.has(name) && named.get(name) !== column; number++)
      name = `${title} #${number} (${evalId})`
    named.set(name, column)
    columns.set(name, [...(columns.get(name) ?? []), row])
  }
  return columns
}

function providerId(row: Fields): string {
  const { provider } = row
  const id = textOf(provider) ?? textOf(fieldsOf(provider)['id']) ?? 'unknown provider'
  return withoutCredentials(id)
}

function providerName(row: Fields): string {
  return textOf(fieldsOf(row['provider'])['label']) ?? providerId(row)
}

/** The id of an HTTP provider is its address, which can contain a password or a key. */
export function withoutCredentials(id: string): string {
  if (!/^https?:\/\//.test(id) || !URL.canParse(id)) return id
  const { origin, pathname } = new URL(id)
  return `${origin}${pathname}`
}

function promptLabel(row: Fields): string {
  const { prompt } = row
  return textOf(prompt) ?? textOf(fieldsOf(prompt)['label']) ?? 'prompt'
}

function runMetadata(row: Fields, { evalId, version }: ResultsFile) {
  return present({
    provider: providerId(row).slice(0, 2000),
    prompt: promptLabel(row).slice(0, 2000),
    evalId,
    promptfooVersion: version,
  })
}

function traceIdOf(row: Fields, { evalId }: ResultsFile): string {
  return textOf(row['id']) ?? stableId(evalId, row['testIdx'], row['promptIdx'], testOf(row).vars, promptLabel(row))
}

const ERROR = 2

function traceOf(row: Fields, run: string, results: ResultsFile): TraceRecord {
  const response = fieldsOf(row['response'] ?? row['providerResponse'])
  const usage = fieldsOf(response['tokenUsage'] ?? row['tokenUsage'])
  const failure = textOf(response['error']) ?? (row['failureReason'] === ERROR ? textOf(row['error']) : undefined)
  const startMs = Date.parse(results.timestamp ?? '')
  const latencyMs = countOf(row['latencyMs']) ?? 0
  const [provider, ...model] = providerId(row).split(':')
  return {
    kind: 'trace',
    of: { dataset: results.dataset, run, itemKey: itemKey(testOf(row)) },
    trace: present({
      traceId: traceIdOf(row, results),
      name: shorten(testOf(row).description ?? providerName(row), 200),
      kind: 'llm',
      startTime: results.timestamp,
      endTime: Number.isNaN(startMs) ? undefined : new Date(startMs + latencyMs).toISOString(),
      status: failure === undefined ? 'ok' : 'error',
      statusMessage: failure?.slice(0, 20_000),
      input: promptText(row),
      output: response['output'],
      // `openai:chat:gpt-4o` names the provider first and the model last.
      provider: model.length > 0 ? provider : undefined,
      model: model.at(-1),
      inputTokens: positive(usage['prompt']),
      outputTokens: positive(usage['completion']),
      totalTokens: positive(usage['total']),
      costUsd: positive(response['cost'] ?? row['cost'], numberOf),
      metadata: present({ evalId: results.evalId, vars: testOf(row).vars, cached: response['cached'] }),
    }),
  }
}

/** promptfoo writes 0 for what a provider did not report. */
function positive(value: unknown, read: (value: unknown) => number | undefined = countOf): number | undefined {
  const number = read(value)
  return number !== undefined && number > 0 ? number : undefined
}

/** A chat prompt is a text with a JSON list of messages. */
function promptText(row: Fields): unknown {
  const raw = textOf(fieldsOf(row['prompt'])['raw']) ?? textOf(row['prompt']) ?? ''
  if (!raw.trimStart().startsWith('[')) return raw
  try {
    const messages: unknown = JSON.parse(raw)
    return Array.isArray(messages) && messages.every((one) => isFields(one) && 'role' in one) ? { messages } : raw
  } catch {
    return raw
  }
}

/** The outcome of the row as the evaluator `promptfoo`, and that of each assertion by its metric or type. */
function scoresOf(row: Fields, results: ResultsFile): ImportedScore[] {
  const grading = fieldsOf(row['gradingResult'])
  const traceId = traceIdOf(row, results)
  const components = componentsOf(grading)
  // Without an assertion every output passes, which says nothing.
  if (components.length === 0) return []
  const names = new Map<string, number>()
  const scores = components.map((component) => {
    const { metric, type } = fieldsOf(component['assertion'])
    const name = shorten(textOf(metric) ?? textOf(type) ?? 'assertion', 200)
    const number = (names.get(name) ?? 0) + 1
    names.set(name, number)
    return scoreOf(component, { traceId, evaluator: number === 1 ? name : `${name} ${number}` })
  })
  const whole = { ...grading, pass: row['success'] ?? grading['pass'], score: row['score'] ?? grading['score'] }
  return [scoreOf(whole, { traceId, evaluator: 'promptfoo' }), ...scores]
}

/** Members of an `assert-set` are below it. */
function componentsOf(grading: Fields): Fields[] {
  return listOf(grading['componentResults'])
    .filter(isFields)
    .flatMap((component) => {
      const nested = componentsOf(component)
      return nested.length > 0 ? nested : [component]
    })
}

function scoreOf(graded: Fields, at: { traceId: string; evaluator: string }): ImportedScore {
  const { pass } = graded
  return present({
    ...at,
    score: numberOf(graded['score']),
    passed: typeof pass === 'boolean' ? pass : undefined,
    reason: textOf(graded['reason']),
  })
}
