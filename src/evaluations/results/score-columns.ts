import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { GroupOf } from '../../comparisons/evidence/estimate-mean.ts'
import type { Evaluator } from '../../evaluators/evaluator.ts'
import { type EvaluationScope, listEvaluatorScores, type ScoreKey } from '../../scores/score-queries.ts'
import type { Classified } from '../../statistics/classification.ts'
import type { Queries } from '../../storage/db.ts'

const VERDICTS_PER_PAGE = 1_000

/** Stored in columns: one object per value would need most of the memory for a hundred thousand values. */
export type Values = {
  readonly values: number[]
  /** The item of each value. Null where every item has one value: the values are then independent. */
  readonly clusters: string[] | null
  /** The group of each value. Undefined where the dataset names no groups. */
  readonly groups?: string[] | undefined
}

/** The number of attempts at an item, and how many passed. */
export type Attempts = { n: number; c: number }

/** All verdicts of one evaluator. The verdicts on one item form a cluster, because they are not independent. */
export type ScoreColumns = {
  n: number
  cases: number
  scores: Values
  /** 1 for passed, 0 for not passed. */
  passes: Values
  /** By item, where items have several cases. A case passes if most of its repetitions pass. */
  attempts: Map<string, Attempts>
  /** The number of cases with a verdict on passing, and of those that passed in most of their repetitions. */
  judged: Attempts
  /** Scores of cases without ratings, one per case; empty unless other cases have ratings. */
  unlabelled: Values
  /** For each value, its index in `labelNames`. */
  labels: Values
  labelNames: string[]
  classified: Classified[]
  /** The number of items that count as another one. */
  duplicates: number
  /** Undefined where the dataset names no groups. */
  groupOf?: GroupOf | undefined
}

type VerdictsWanted = EvaluationScope & {
  evaluator: Pick<Evaluator, 'name' | 'type'>
  /** Whether cases have several repetitions, and whether items have several cases. */
  repeated: { cases: boolean; items: boolean }
  /** The cases that people have rated, too. */
  labels: readonly { caseRef: string }[]
  /** By item that repeats an earlier one: that item. The two count as one. */
  sameAs: ReadonlyMap<string, string>
  /** Undefined where the dataset names no groups. */
  groupOf?: GroupOf | undefined
}

export async function readScoreColumns(
  q: Queries,
  { evaluator, repeated, labels, sameAs, groupOf, ...of }: VerdictsWanted,
): Promise<ScoreColumns> {
  const labelled = new Set(labels.map(({ caseRef }) => caseRef))
  const isClustered = repeated.cases || repeated.items || groupOf !== undefined
  const column = () => ({ values: [], clusters: isClustered ? [] : null, groups: groupOf && [] })
  const isClassifying = evaluator.type === 'f1'
  const verdicts: ScoreColumns = {
    n: 0,
    cases: 0,
    scores: column(),
    passes: column(),
    attempts: new Map(),
    judged: { n: 0, c: 0 },
    unlabelled: { values: [], clusters: repeated.items ? [] : null },
    labels: column(),
    labelNames: [],
    classified: [],
    duplicates: 0,
    groupOf,
  }
  const repeating = { named: new Set<string>(), counted: new Set<string>() }
  const indexes = new Map<string, number>()
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
      const cluster = sameAs.get(itemId ?? '') ?? itemId ?? caseRef
      if (sameAs.size > 0) {
        repeating.named.add(itemId ?? caseRef)
        repeating.counted.add(cluster)
      }
      const group = groupOf?.(cluster)
      oneCase.add({ caseRef, cluster, score, passed })
      if (score !== null) add(verdicts.scores, score, cluster, group)
      if (passed !== null) add(verdicts.passes, passed, cluster, group)
      if (label !== null) {
        const index = indexes.get(label) ?? verdicts.labelNames.push(label) - 1
        indexes.set(label, index)
        add(verdicts.labels, index, cluster, group)
      }
      if (isClassifying) {
        const of = { predicted: label ?? '', expected: expectedOf(details) }
        verdicts.classified.push(isClustered ? { ...of, cluster: group ?? cluster } : of)
      }
    }
    const last = rows.at(-1)
    if (!last || rows.length < VERDICTS_PER_PAGE) {
      oneCase.end()
      verdicts.duplicates = repeating.named.size - repeating.counted.size
      return verdicts
    }
    after = { ...after, repetition: last.repetition }
    await yieldToEventLoop()
  }
}

function add({ values, clusters, groups }: Values, value: number, cluster: string, group?: string): void {
  values.push(value)
  clusters?.push(cluster)
  if (group !== undefined) groups?.push(group)
}

type CaseVerdict = { caseRef: string; cluster: string; score: number | null; passed: number | null }

/** Receives the verdicts case by case and is notified at the end of each case, because its repetitions count as one. */
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
