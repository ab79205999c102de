/** Makes a page of the scores that need no model: only reads, so that it can be done beside whoever stores what comes out. */
import { yieldToEventLoop } from '../base/event-loop.ts'
import { type Failure, failureOf } from '../base/thread-failure.ts'
import type { Queries, ReadingWork } from '../storage/db.ts'
import type { CaseSource } from './case-queries.ts'
import { asksModel, type Evaluator } from './evaluators/evaluator.ts'
import { scoreAtOnce } from './make-score.ts'
import { readOpenTasks } from './open-tasks.ts'
import { readConfig } from './read-config.ts'
import type { EndedScore, OfEvaluation } from './score-queries.ts'

/** How long evaluators may work before others get a turn. */
const SLICE_MS = 2

/** Behind which case to go on. The config is JSON: an evaluator cannot be sent to another thread, but made there. */
type OfflinePage = OfEvaluation & { source: CaseSource; config: string; after: string }

type OfflineScores = {
  scores: EndedScore[]
  /** The last case of the page; undefined when there are no more. */
  last: string | undefined
  /** Mistakes of ours, for the log. */
  mishaps: { type: string; failure: Failure }[]
}

export const scoreOffline: ReadingWork<OfflinePage, OfflineScores> = {
  name: 'scoreOffline',
  run: scorePage,
}

/** As many as evaluations are likely to take turns. To make evaluators of a config compiles schemas, and the same one comes page by page. */
const CONFIGS_KEPT_MAX = 8
const known = new Map<string, readonly Evaluator[]>()

function evaluatorsOf(config: string): readonly Evaluator[] {
  const made = known.get(config)
  if (made) return made
  const evaluators = readConfig(JSON.parse(config)).evaluators.filter((evaluator) => !asksModel(evaluator))
  if (known.size === CONFIGS_KEPT_MAX) known.clear()
  known.set(config, evaluators)
  return evaluators
}

/** Only models compare with what another run answered. */
const NO_BASELINE: ReadonlyMap<string, string> = new Map()

async function scorePage(q: Queries, { source, config, after, ...of }: OfflinePage): Promise<OfflineScores> {
  const evaluators = evaluatorsOf(config)
  const { last, portions } = await readOpenTasks(q, of, { evaluators, source, baselineRefs: NO_BASELINE, after })
  const made: OfflineScores = { scores: [], last, mishaps: [] }
  let sliceFrom = performance.now()
  for await (const tasks of portions) {
    for (const { evaluator, open, input } of tasks) {
      const onMishap = (error: unknown) => made.mishaps.push({ type: evaluator.type, failure: failureOf(error) })
      made.scores.push(await scoreAtOnce(evaluator, open, input, onMishap))
      if (performance.now() - sliceFrom < SLICE_MS) continue
      await yieldToEventLoop()
      sliceFrom = performance.now()
    }
  }
  return made
}
