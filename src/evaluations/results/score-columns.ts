import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { Evaluator } from '../../evaluators/evaluator.ts'
import { type EvaluationScope, listEvaluatorScores, type ScoreKey } from '../../scores/score-queries.ts'
import type { Classified } from '../../statistics/classification.ts'
import type { Queries } from '../../storage/db.ts'

const VERDICTS_PER_PAGE = 1_000

/** In columns: an object for each of a hundred thousand numbers would be most of what there is to keep. */
export type Values = {
  readonly values: number[]
  /** By value, the item that it is of. Null where no item has two: then nothing depends on anything else, and none need be named. */
  readonly clusters: string[] | null
}

/** How often an item was tried, and how often it passed. */
export type Attempts = { n: number; c: number }

/** Everything that one evaluator said. What was said of one item is one cluster: together it tells little more than one of it. */
export type ScoreColumns = {
  n: number
  cases: number
  scores: Values
  /** 1 passed, 0 not. */
  passes: Values
  /** By item, where several cases are of one. A case of which most repetitions passed has passed. */
  attempts: Map<string, Attempts>
  /** Cases that have a verdict on whether they passed, and those that did, by most of their repetitions. */
  judged: Attempts
  /** Scores of cases that nobody has rated, one a case; kept only if somebody has rated others. */
  unlabelled: Values
  /** By value, its place among `labelNames`. */
  labels: Values
  labelNames: string[]
  classified: Classified[]
}

type VerdictsWanted = EvaluationScope & {
  evaluator: Pick<Evaluator, 'name' | 'type'>
  /** Whether cases are asked about several times, and whether items have several cases. */
  repeated: { cases: boolean; items: boolean }
  /** What people have rated as well. */
  labels: readonly { caseRef: string }[]
}

export async function readScoreColumns(
  q: Queries,
  { evaluator, repeated, labels, ...of }: VerdictsWanted,
): Promise<ScoreColumns> {
  const labelled = new Set(labels.map(({ caseRef }) => caseRef))
  const isClustered = repeated.cases || repeated.items
  const isClassifying = evaluator.type === 'f1'
  const verdicts: ScoreColumns = {
    n: 0,
    cases: 0,
    scores: { values: [], clusters: isClustered ? [] : null },
    passes: { values: [], clusters: isClustered ? [] : null },
    attempts: new Map(),
    judged: { n: 0, c: 0 },
    unlabelled: { values: [], clusters: repeated.items ? [] : null },
    labels: { values: [], clusters: isClustered ? [] : null },
    labelNames: [],
    classified: [],
  }
  const places = new Map<string, number>()
  const oneCase = sumUpCase(verdicts, { countsAttempts: repeated.items, labelled })
  let after: ScoreKey = { caseRef: '', evaluator: evaluator.name, repetition: 0 }
  for (;;) {
    const page = { evaluator: evaluator.name, after, limit: VERDICTS_PER_PAGE, withDetails: isClassifying }
    const rows = await listEvaluatorScores(q, of, page)
    for (const { caseRef, itemId, score, label, passed, details } of rows) {
      verdicts.n += 1
      if (caseRef !== after.caseRef) {
        verdicts.cases += 1
        oneCase.end()
        after = { ...after, caseRef }
      }
      const cluster = itemId ?? caseRef
      oneCase.add({ caseRef, cluster, score, passed })
      if (score !== null) add(verdicts.scores, score, cluster)
      if (passed !== null) add(verdicts.passes, passed, cluster)
      if (label !== null) {
        const place = places.get(label) ?? verdicts.labelNames.push(label) - 1
        places.set(label, place)
        add(verdicts.labels, place, cluster)
      }
      if (isClassifying) {
        const of = { predicted: label ?? '', expected: expectedOf(details) }
        verdicts.classified.push(isClustered ? { ...of, cluster } : of)
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < VERDICTS_PER_PAGE) {
      oneCase.end()
      return verdicts
    }
    after = { ...after, repetition: last.repetition }
    await yieldToEventLoop()
  }
}

function add({ values, clusters }: Values, value: number, cluster: string): void {
  values.push(value)
  clusters?.push(cluster)
}

type CaseVerdict = { caseRef: string; cluster: string; score: number | null; passed: number | null }

/** Is told the verdicts of one case after the other, and when one has ended: its repetitions count as one. */
function sumUpCase(
  { judged, attempts, unlabelled }: Pick<ScoreColumns, 'judged' | 'attempts' | 'unlabelled'>,
  { countsAttempts, labelled }: { countsAttempts: boolean; labelled: ReadonlySet<string> },
) {
  const scores = { n: 0, sum: 0 }
  const passes = { n: 0, sum: 0 }
  let [ref, item] = ['', '']
  return {
    add({ caseRef, cluster, score, passed }: CaseVerdict): void {
      ref = caseRef
      item = cluster
      if (score !== null) count(scores, score)
      if (passed !== null) count(passes, passed)
    },
    end(): void {
      if (passes.n > 0) {
        const c = 2 * passes.sum > passes.n ? 1 : 0
        addAttempt(judged, c)
        if (countsAttempts) attempts.set(item, addAttempt(attempts.get(item) ?? { n: 0, c: 0 }, c))
      }
      if (scores.n > 0 && labelled.size > 0 && !labelled.has(ref)) add(unlabelled, scores.sum / scores.n, item)
      for (const sums of [scores, passes]) Object.assign(sums, { n: 0, sum: 0 })
    },
  }
}

function count(sums: { n: number; sum: number }, value: number): void {
  sums.n += 1
  sums.sum += value
}

function addAttempt(attempts: Attempts, c: number): Attempts {
  attempts.n += 1
  attempts.c += c
  return attempts
}

function expectedOf(details: string | null): string {
  const { expected }: { expected?: unknown } = details === null ? {} : JSON.parse(details)
  return typeof expected === 'string' ? expected : ''
}
