import { yieldToEventLoop } from '../base/event-loop.ts'
import type { Classified } from '../statistics/classification.ts'
import type { Queries } from '../storage/db.ts'
import type { Evaluator } from './evaluators/evaluator.ts'
import { listVerdicts, type OfEvaluation, type ScoreKey } from './score-queries.ts'

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
export type Verdicts = {
  n: number
  cases: number
  scores: Values
  /** 1 passed, 0 not. */
  passes: Values
  /** By item, where several cases are of one; a case of which most repetitions passed has passed. */
  attempts: Map<string, Attempts>
  /** Scores of cases that nobody has rated; kept only if somebody has rated others. */
  unlabelled: number[]
  labels: Map<string, number>
  classified: Classified[]
}

type VerdictsWanted = OfEvaluation & {
  evaluator: Pick<Evaluator, 'name' | 'type'>
  /** Whether cases are asked about several times, and whether items have several cases. */
  repeated: { cases: boolean; items: boolean }
  /** What people have rated as well. */
  labels: readonly { caseRef: string }[]
}

export async function readVerdicts(
  q: Queries,
  { evaluator, repeated, labels, ...of }: VerdictsWanted,
): Promise<Verdicts> {
  const labelled = new Set(labels.map(({ caseRef }) => caseRef))
  const isClustered = repeated.cases || repeated.items
  const isClassifying = evaluator.type === 'f1'
  const verdicts: Verdicts = {
    n: 0,
    cases: 0,
    scores: { values: [], clusters: isClustered ? [] : null },
    passes: { values: [], clusters: isClustered ? [] : null },
    attempts: new Map(),
    unlabelled: [],
    labels: new Map(),
    classified: [],
  }
  const attempt = repeated.items ? countAttempts(verdicts.attempts) : undefined
  let after: ScoreKey = { caseRef: '', evaluator: evaluator.name, repetition: 0 }
  for (;;) {
    const page = { evaluator: evaluator.name, after, limit: VERDICTS_PER_PAGE, withDetails: isClassifying }
    const rows = await listVerdicts(q, of, page)
    for (const { caseRef, itemId, score, label, passed, details } of rows) {
      verdicts.n += 1
      if (caseRef !== after.caseRef) {
        verdicts.cases += 1
        attempt?.end()
        after = { ...after, caseRef }
      }
      const cluster = itemId ?? caseRef
      if (score !== null) add(verdicts.scores, score, cluster)
      if (passed !== null) add(verdicts.passes, passed, cluster)
      if (passed !== null) attempt?.add(cluster, passed)
      if (score !== null && labelled.size > 0 && !labelled.has(caseRef)) verdicts.unlabelled.push(score)
      if (label !== null) verdicts.labels.set(label, (verdicts.labels.get(label) ?? 0) + 1)
      if (isClassifying) {
        const of = { predicted: label ?? '', expected: expectedOf(details) }
        verdicts.classified.push(isClustered ? { ...of, cluster } : of)
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < VERDICTS_PER_PAGE) {
      attempt?.end()
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

/** Is told the verdicts of one case after the other, and when one has ended. */
function countAttempts(attempts: Map<string, Attempts>) {
  let [item, asked, passes] = ['', 0, 0]
  return {
    add(of: string, passed: number): void {
      item = of
      asked += 1
      passes += passed
    },
    end(): void {
      if (asked === 0) return
      const known = attempts.get(item) ?? { n: 0, c: 0 }
      attempts.set(item, { n: known.n + 1, c: known.c + (2 * passes > asked ? 1 : 0) })
      asked = 0
      passes = 0
    },
  }
}

function expectedOf(details: string | null): string {
  const { expected }: { expected?: unknown } = details === null ? {} : JSON.parse(details)
  return typeof expected === 'string' ? expected : ''
}
