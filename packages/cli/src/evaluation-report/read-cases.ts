/** The cases of a comparison, with whether they turned from pass to fail. */
import type { Comparison } from 'touchstone-sdk'
import type { Touchstone } from 'touchstone-sdk/client'
import type { ReportCase } from './evaluation-report.ts'

type Row = Comparison['data'][number]
type Metric = Pick<Comparison['metrics'][number], 'name' | 'kind' | 'higherIsBetter' | 'role'>

const PAGE = 100
const NAME_LENGTH = 100

export interface ComparedRuns {
  componentId: string
  baseline: string
  candidate: string
  /** The metric of the gate, if it is compared; otherwise all quality metrics count. */
  metric: string | undefined
  metrics: readonly Metric[]
  split: 'train' | 'validation' | 'test' | undefined
  signal: AbortSignal
}

/** Those that turned, the worst first, at most `max`. Rows are ordered by their loss, so only the first pages are read. */
export async function readTurnedCases(client: Touchstone, runs: ComparedRuns, max: number): Promise<ReportCase[]> {
  const turned: ReportCase[] = []
  for await (const one of readCases(client, runs, 'regressed')) {
    if (one.state === 'turned') turned.push(one)
    if (turned.length >= max) break
  }
  return turned
}

export async function* readCases(
  client: Touchstone,
  runs: ComparedRuns,
  filter?: 'regressed',
): AsyncGenerator<ReportCase, void, undefined> {
  const { componentId, baseline, candidate, metric, split, signal, metrics } = runs
  const judged = metrics.filter(({ name, role }) => (metric === undefined ? role === 'quality' : name === metric))
  const query = {
    baseline,
    candidate,
    include: 'texts',
    limit: PAGE,
    ...(metric !== undefined && { metric }),
    ...(split && { split }),
    ...(filter && { filter }),
  }
  for (let offset = 0; ; offset += PAGE) {
    const { data, total } = await client.comparisons.get(componentId, { ...query, offset }, { signal })
    for (const row of data) yield toCase(row, judged)
    if (offset + data.length >= total || data.length === 0) return
  }
}

export function toCase(row: Row, metrics: readonly Metric[]): ReportCase {
  const { itemId, baselineTraceId, candidateTraceId, texts } = row
  const turned = metrics.filter((metric) => hasTurned(row, metric)).map(({ name }) => name)
  const isErrorNow = isNewError(row)
  const turnedOn = turned.length === 0 && isErrorNow ? [ERROR] : turned
  const isMissing = baselineTraceId === null || candidateTraceId === null
  return {
    itemId,
    name: nameOf(row),
    state: turnedOn.length > 0 ? 'turned' : isMissing ? 'missing' : 'unchanged',
    turnedOn,
    input: texts?.input?.text ?? null,
    expected: texts?.expected?.text ?? null,
    baselineOutput: texts?.baseline?.text ?? null,
    candidateOutput: texts?.candidate?.text ?? null,
    reason: isErrorNow
      ? 'The trace of the candidate is an error.'
      : (texts?.results.find(({ run, name }) => run === 'candidate' && turnedOn.includes(name))?.reason?.text ?? null),
  }
}

/** The metric of the server that every comparison has: 1 for a trace that is an error. */
const ERROR = 'error'

function isError({ scores }: Row, run: 'baseline' | 'candidate'): boolean {
  return scores.some((score) => score.name === ERROR && score[run] === 1)
}

function isNewError(row: Row): boolean {
  return isError(row, 'candidate') && !isError(row, 'baseline') && row.baselineTraceId !== null
}

/** Several judgments of one answer count as their majority. An answer that is an error fails without a judgment. */
function hasTurned(row: Row, metric: Metric): boolean {
  const before = shareOfPasses(row, metric, 'baseline')
  const after = shareOfPasses(row, metric, 'candidate') ?? (isError(row, 'candidate') ? 0 : undefined)
  return before !== undefined && after !== undefined && before >= 0.5 && after < 0.5
}

function shareOfPasses({ texts, scores }: Row, { name, kind, higherIsBetter }: Metric, run: 'baseline' | 'candidate') {
  const decided = (texts?.results ?? []).filter((one) => one.run === run && one.name === name && one.passed !== null)
  if (decided.length > 0) return decided.filter(({ passed }) => passed).length / decided.length
  if (kind !== 'binary') return undefined
  // Metrics of traces and ratings have values and no judgments.
  const values = scores.flatMap((one) => (one.name === name && typeof one[run] === 'number' ? [Number(one[run])] : []))
  if (values.length === 0) return undefined
  return values.filter((value) => value >= 0.5 === higherIsBetter).length / values.length
}

function nameOf({ itemId, texts }: Row): string {
  const input = (texts?.input?.text ?? '').replace(/\s+/g, ' ').trim()
  const text = [...input].slice(0, NAME_LENGTH).join('') || (itemId ?? 'without an item')
  const number = texts?.number == null ? '' : `#${texts.number} `
  return `${number}${text}${texts?.repetition && texts.repetition > 1 ? ` (repetition ${texts.repetition})` : ''}`
}
