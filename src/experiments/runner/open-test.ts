/**
 * The end of the search: its best candidates become versions of the prompt, and a trial answers the test items with them and with the start.
 * It is the only time that anything is scored on the test split. Without a better candidate the split stays closed.
 */
import { timestamp } from '../../base/clock.ts'
import { conflict, notFound } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import { readItemIds } from '../../datasets/splits/test-openings.ts'
import { findVersion } from '../../prompts/version-queries.ts'
import { dbWithin } from '../../storage/db.ts'
import { readPlan } from '../../trials/read-plan.ts'
import { startTrial } from '../../trials/start-trial.ts'
import { listCallScores } from '../calls/experiment-call-queries.ts'
import { evaluationOf, type Objective, OPENINGS_MANY } from '../experiment-plan.ts'
import { lockExperiment, updateExperiment } from '../experiment-queries.ts'
import { findContents, saveFinalist } from '../iteration-queries.ts'
import { saveProposal } from '../save-proposal.ts'
import { chooseFinalists } from '../search/choose-finalists.ts'
import { meanOf, ROUNDING, type Search } from '../search/search.ts'
import { testBudget } from './experiment-budget.ts'
import type { Running } from './searching.ts'

const START = 'start'

export type Finalist = { number: number; version: number; variant: string }

/** Returns the finalists whose test has begun; none if no candidate is better on the validation items. */
export async function openTest(running: Running, search: Search): Promise<Finalist[]> {
  const chosen = await choose(running, search)
  if (chosen.length > 0) await rejectSeenItems(running)
  const finalists = await saveFinalists(running, chosen)
  if (finalists.length > 0) await startTest(running, finalists)
  return finalists
}

/** Throws 409 if items that the search has read were moved into the test split meanwhile. */
async function rejectSeenItems({ job, experiment, items }: Running): Promise<void> {
  const { workspaceId, datasetId } = experiment
  const inTest = await readItemIds(job.db.read, { workspaceId, datasetId, split: 'test' })
  const seen = [...items.train, ...items.validation].filter((id) => inTest.has(id)).length
  if (seen === 0) return
  throw conflict(
    `${seen} ${seen === 1 ? 'item' : 'items'} that the search has read ${seen === 1 ? 'is' : 'are'} in the test split now; move ${seen === 1 ? 'it' : 'them'} back, and resume the experiment`,
  )
}

async function choose({ job, of, plan }: Running, search: Search): Promise<number[]> {
  const scores = await listCallScores(job.db.read, of)
  const ofValidation = scores.filter(({ kind, state }) => kind === 'validation' && state === 'done')
  const byCandidate = Map.groupBy(ofValidation, ({ iteration }) => iteration)
  const meanFor = (number: number, metric: string) =>
    meanOf(
      (byCandidate.get(number) ?? []).map((row) => (metric === 'costUsd' ? row.nanoUsd : row.scores[metric]?.score)),
    )
  const constraints = plan.objectives.filter(({ role }) => role === 'notWorse')
  const tie = plan.objectives.find(({ role }) => role === 'tieBreak')
  return chooseFinalists(search, {
    count: plan.finalists,
    whyNot: (number) =>
      constraints.find((one) => isWorse(one, [meanFor(0, one.metric), meanFor(number, one.metric)]))?.metric,
    tieBreak: (number) => {
      const mean = tie === undefined ? undefined : meanFor(number, tie.metric)
      if (mean === undefined) return 0
      // A low cost is good, and a high score.
      return tie?.metric === 'costUsd' ? mean : -mean
    },
  })
}

function isWorse({ margin }: Objective, [before, after]: [number | undefined, number | undefined]): boolean {
  return before !== undefined && (after === undefined || after < before - margin - ROUNDING)
}

/** Safe to run twice: a version with the same content is found again. */
async function saveFinalists(running: Running, numbers: readonly number[]): Promise<Finalist[]> {
  const { job, of, experiment, plan } = running
  const { workspaceId, componentId, promptId } = experiment
  const contents = await findContents(job.db.read, of, numbers)
  const start = await findVersion(job.db.read, { workspaceId, promptId, number: plan.target.version })
  if (!start) throw notFound('Prompt version')
  return job.commit(async (tx) => {
    const saved: Finalist[] = []
    for (const number of numbers) {
      const proposed = contents.get(number)?.content ?? { messages: [] }
      const { version } = await saveProposal({ db: dbWithin(tx), ...contextOf(running) }, actorOf(running), {
        ...{ componentId, promptId, number, proposed },
        ...{ experimentId: of.experimentId, experimentName: experiment.name, start: start.content },
      })
      await saveFinalist(tx, { ...of, number }, version.number)
      saved.push({ number, version: version.number, variant: `proposal ${number}` })
    }
    return saved
  })
}

async function startTest(running: Running, finalists: readonly Finalist[]): Promise<void> {
  const { job, deps, of, experiment, plan } = running
  const { componentId, datasetId, promptId, name, maxNanoUsd } = experiment
  const { provider, model, parameters, tools } = plan.target
  const left = maxNanoUsd === null ? null : Math.max(1, maxNanoUsd - experiment.spentNanoUsd)
  const limits = left === null ? null : testBudget(plan, { leftNanoUsd: left, runs: 1 + finalists.length })
  const target = (version: number) => ({
    type: 'prompt' as const,
    promptId,
    version,
    ...(provider !== null && { provider }),
    ...(model !== null && { model }),
    parameters,
    tools,
  })
  const { maxCostUsd: _, ...evaluation } = evaluationOf(plan)
  const body = {
    datasetId,
    componentId,
    name: `${name ?? 'experiment'}: test`.slice(0, 200),
    split: 'test' as const,
    variants: [
      { name: START, target: target(plan.target.version) },
      ...finalists.map(({ variant, version }) => ({ name: variant, target: target(version) })),
    ],
    variables: plan.variables,
    baseline: START,
    repetitions: plan.repetitions,
    concurrency: plan.concurrency,
    ...(limits && { maxCostUsd: limits.trialUsd }),
    evaluation: { ...evaluation, ...(limits?.evaluationUsd && { maxCostUsd: limits.evaluationUsd }) },
  }
  const by = actorOf(running)
  const prepared = await readPlan({ db: job.db, clock: job.clock }, deps, by, body)
  await job.commit(async (tx) => {
    const locked = await lockExperiment(tx, of)
    if (locked?.status !== 'running' || locked.phase !== 'choosing') return
    const context = { db: dbWithin(tx), signal: job.signal, ...contextOf(running) }
    const improved = plan.objectives.find(({ role }) => role === 'improve')
    const testPlan = {
      ...prepared.plan,
      // A finalist is the best of many, so that each further choice by the same items needs more evidence.
      correctedFrom: OPENINGS_MANY,
      ...(improved && { rankedBy: improved.metric }),
    }
    const { id } = await startTrial(context, by, { ...body, prepared: { ...prepared, plan: testPlan } })
    await updateExperiment(tx, of, { phase: 'testing', trial_id: id, now: timestamp(job.clock.now()) })
  })
}

function contextOf({ job, of }: Running) {
  return { clock: job.clock, newId: job.newId, requestId: of.experimentId, address: '' }
}

/** The user who created the experiment. */
function actorOf({ job, experiment }: Pick<Running, 'job' | 'experiment'>): Principal {
  const { userId } = experiment
  const { workspaceId } = job
  return { kind: 'session', credential: 'bearer', credentialId: userId, userId, workspaceId, role: 'editor' }
}
