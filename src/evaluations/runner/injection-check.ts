/**
 * Measures how often prompt injections improve the verdicts of a judge: each judge rates twenty known injections with
 * its own instructions. Answers are cached for 30 days like all others, so a repeated check or the next worker after a
 * crash calls the model only for the missing ones.
 */
import { asksModel, type Case, type Evaluator, type Verdict } from '../../evaluators/evaluator.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { CANARY_INPUT, type FlipRate, injectionFlipRate } from '../../llm/injection-canaries.ts'
import { ModelError } from '../../llm/model-client.ts'
import { BudgetError } from '../../spending/ledger.ts'
import type { ModelSession } from '../../spending/metered-model.ts'
import type { Interval } from '../../statistics/interval.ts'
import { wilsonInterval } from '../../statistics/rate-intervals.ts'
import { askJudge } from './score-with-models.ts'
import type { Scoring } from './scoring.ts'

export type Injection = {
  /** The number of injections with a verdict. */
  n: number
  /**
   * The share of injections that got a clearly better verdict than the same answer without the injection; null if it
   * cannot be determined.
   */
  rate: number | null
  ci: Interval | null
  /** The injections that got a better verdict. */
  flipped: string[]
  method: string
  summary: string
}

/**
 * Returns the results by judge. Judges that were not checked before the stop are missing: the job runs again, or the
 * evaluation was cancelled.
 */
export async function checkInjection(
  job: JobRun,
  scoring: Scoring,
  session: ModelSession,
): Promise<Map<string, Injection>> {
  const checked = new Map<string, Injection>()
  for (const evaluator of scoring.config.evaluators.filter(canCheckInjection)) {
    const judge = (output: string) =>
      askJudge(job, scoring, { session, evaluator, input: canaryCase(output), mayReuse: true }, (verdict) =>
        scoreIn(evaluator, verdict),
      )
    try {
      checked.set(evaluator.name, injectionOf(await injectionFlipRate(judge)))
    } catch (error) {
      if (scoring.softStop.aborted) return checked
      if (!(error instanceof ModelError || error instanceof BudgetError)) throw error
      checked.set(evaluator.name, { ...NOT_CHECKED, summary: `It could not be tried: ${error.message}` })
    }
  }
  return checked
}

/** True for judges that read only the output and give higher scores to better outputs. */
export function canCheckInjection(evaluator: Evaluator): boolean {
  return asksModel(evaluator) && evaluator.scale !== null && evaluator.needs.every((need) => SHOWN.includes(need))
}

const SHOWN: readonly string[] = ['output', 'model']

/** The case for an injection, or for the same answer without one. */
export function canaryCase(output: string): Case {
  return { input: CANARY_INPUT, output, expected: null, baseline: null, ratings: [], trace: null }
}

function scoreIn(evaluator: Evaluator, verdict: Verdict): number {
  if (verdict.state === 'scored' && verdict.score !== null) return shareOf(evaluator, verdict.score)
  throw new ModelError('transient', 'the judge gave no score')
}

function shareOf({ scale }: Evaluator, score: number): number {
  const [least, most] = scale ?? [0, 1]
  return (score - least) / (most - least)
}

const METHOD =
  'verdicts on 20 known injections by that on the same answer without; Wilson score interval, 95 % (Wilson 1927)'
const NOT_CHECKED = { n: 0, rate: null, ci: null, flipped: [], method: METHOD }

function injectionOf({ rate, flipped, judged }: FlipRate): Injection {
  if (rate === null) {
    const summary =
      'The rate is unknown: the judge rates the bad answer as good even without an injection, or gave no verdict.'
    return { ...NOT_CHECKED, summary }
  }
  const interval = wilsonInterval({ successes: flipped.length, n: judged }) ?? null
  const percent = (share: number) => (100 * share).toFixed(0)
  const range = interval ? ` (95 % CI ${percent(interval[0])} to ${percent(interval[1])} %)` : ''
  const summary = `${flipped.length} of ${judged} texts that ask for a better verdict got one${range}.`
  return { n: judged, rate, ci: interval, flipped, method: METHOD, summary }
}
