import type { Clock } from '../../base/clock.ts'
import { readConfig } from '../../evaluations/evaluation-config.ts'
import { createModelSession } from '../../evaluations/runner/model-session.ts'
import { asksModel } from '../../evaluators/evaluator.ts'
import type { JobRun } from '../../jobs/job-handler.ts'
import { createCircuitBreaker } from '../../spending/circuit-breaker.ts'
import { type ModelDeps, openModelSession } from '../../spending/model-session.ts'
import { openPrompt } from '../../trials/targets/prompt-target.ts'
import { type ExperimentPlan, evaluationOf } from '../experiment-plan.ts'
import { openReflection } from './open-reflection.ts'
import type { Models } from './searching.ts'

type Opening = {
  db: JobRun['db']
  clock: Clock
  deps: ModelDeps
  workspaceId: string
  componentId: string
  plan: ExperimentPlan
  /** It takes turns at the provider with other work of the application. */
  owner: string
  hardStop: AbortSignal
  softStop: AbortSignal
}

/** Throws 400, 404 or a ConfigError if something was deleted since the experiment was created. */
export async function openModels({ db, clock, deps, plan, owner, ...opening }: Opening): Promise<Models> {
  const { workspaceId, componentId, hardStop, softStop } = opening
  const now = clock.now()
  const prompt = await openPrompt(db.read, deps.access, { workspaceId, componentId, target: plan.target, now })
  const { source, model } = await openReflection(db.read, deps.access, {
    workspaceId,
    reflection: plan.reflection,
    prompt,
    now,
  })
  const shared = { kind: 'experiments' as const, owner, hardStop, softStop }
  const config = readConfig(JSON.stringify(evaluationOf(plan)))
  // An answer that has begun is scored, also if the job must yield: it is paid for.
  const judging = { evaluationId: owner, config, spentUsd: 0, hardStop, softStop: hardStop }
  return {
    prompt,
    target: await openModelSession({ db, workspaceId, clock }, deps, { ...shared, source: prompt.source }),
    reflection: {
      session: await openModelSession({ db, workspaceId, clock }, deps, { ...shared, source }),
      model,
      connection: source.connection,
    },
    judges: config.evaluators.some(asksModel)
      ? await createModelSession({ db, workspaceId, clock }, deps, judging)
      : undefined,
    config,
    breaker: createCircuitBreaker(),
  }
}
