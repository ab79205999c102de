/** Scores the answers that a look needs. They are stored with their calls, so that each is scored once. */
import { yieldToEventLoop } from '../../base/event-loop.ts'
import type { EvaluationConfig } from '../../evaluations/evaluation-config.ts'
import { loadCases } from '../../evaluations/runner/load-cases.ts'
import { computeScore } from '../../evaluations/runner/score-without-models.ts'
import type { Evaluator, Verdict } from '../../evaluators/evaluator.ts'
import { readTracesOfCalls } from '../calls/traces-of-calls.ts'
import type { Trialing } from '../runner/trialing.ts'
import type { Variant } from '../variant-queries.ts'
import { type CallScore, listUnscoredCalls, saveCallScores } from './look-queries.ts'

const CALLS_PER_PAGE = 200

type Scored = { config: EvaluationConfig; evaluator: Evaluator; variants: readonly Variant[]; until: number }
type Answer = Awaited<ReturnType<typeof listUnscoredCalls>>[number]

export async function scoreAnswers(trialing: Trialing, scored: Scored): Promise<void> {
  const { job, of } = trialing
  for (let after = 0; !job.signal.aborted; ) {
    const page = { after, until: scored.until, limit: CALLS_PER_PAGE }
    const answers = await listUnscoredCalls(job.db.read, of, page)
    const scores: CallScore[] = []
    for (const [number, ofVariant] of Map.groupBy(answers, ({ variant }) => variant)) {
      const variant = scored.variants.find((one) => one.number === number)
      if (variant) scores.push(...(await scoreVariant(trialing, { ...scored, variant, answers: ofVariant })))
    }
    if (scores.length > 0) await job.commit((tx) => saveCallScores(tx, of, scores), { resetAttempts: true })
    const last = answers.at(-1)
    if (!last || answers.length < CALLS_PER_PAGE) return
    after = last.number
    await yieldToEventLoop()
  }
}

type OfVariant = Scored & { variant: Variant; answers: readonly Answer[] }

async function scoreVariant(
  { job, trial }: Trialing,
  { config, evaluator, variant, answers }: OfVariant,
): Promise<CallScore[]> {
  const { workspaceId } = job
  const source = { workspaceId, datasetId: trial.datasetId, runId: variant.runId }
  const calls = answers.map((answer) => ({ ...answer, state: 'done' as const }))
  const traceOf = await readTracesOfCalls(job.db.read, trial, { variants: [variant], calls })
  // Two items can have been made from one recorded trace.
  const keys = calls.flatMap((call) => {
    const traceRef = traceOf(call)
    return traceRef === null ? [] : [{ ref: String(call.number), itemId: null, traceRef }]
  })
  const needs = new Set(evaluator.needs)
  const bulk = job.db.bulk({ application: workspaceId, from: 'job' })
  const scores: CallScore[] = []
  for await (const cases of loadCases(bulk, { source, needs, baselineRefs: new Map() }, keys)) {
    for (const [ref, input] of cases) {
      const pending = {
        caseRef: ref,
        evaluator: evaluator.name,
        repetition: 1,
        attempts: 0,
        itemId: null,
        traceRef: null,
      }
      const { verdict } = await computeScore({ evaluator, pending, input }, { workspaceId, config, signal: job.signal })
      scores.push({ number: Number(ref), ...scoreOf(verdict, evaluator) })
    }
  }
  return scores
}

/** As a share of the scale, of which 1 is the best. */
function scoreOf(verdict: Verdict, { scale, higherIsBetter }: Evaluator): Pick<CallScore, 'state' | 'score'> {
  if (verdict.state !== 'scored') return { state: verdict.state, score: null }
  if (verdict.score === null || scale === null) return { state: 'skipped', score: null }
  const share = Math.min(1, Math.max(0, (verdict.score - scale[0]) / (scale[1] - scale[0])))
  return { state: 'scored', score: higherIsBetter ? share : 1 - share }
}
