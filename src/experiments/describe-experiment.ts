import { dollarsOf } from '../spending/spending-limit.ts'
import type { Queries } from '../storage/db.ts'
import { countExperimentCalls, listCallScores } from './calls/experiment-call-queries.ts'
import type { ExperimentPlan } from './experiment-plan.ts'
import { type ExperimentRow, findExperimentItems } from './experiment-queries.ts'
import type { ExperimentDetail, ExperimentIteration, ExperimentResults } from './experiment-schemas.ts'
import { findContents, type IterationRow, listIterations } from './iteration-queries.ts'
import { readSearch } from './runner/read-search.ts'
import { countFates, describeInterim } from './runner/read-test.ts'
import { frontOf } from './search/front.ts'
import { isValidated, meanOf, validationMean } from './search/search.ts'
import { describedTools } from './tools/tool-descriptions.ts'

export async function describeExperiment(q: Queries, experiment: ExperimentRow): Promise<ExperimentDetail> {
  const of = { workspaceId: experiment.workspaceId, experimentId: experiment.id }
  const { warnings, ...plan }: ExperimentPlan = JSON.parse(experiment.plan)
  const { train, validation, test } = await findExperimentItems(q, of)
  const iterations = await listIterations(q, of)
  return {
    id: experiment.id,
    name: experiment.name,
    aiComponentId: experiment.componentId,
    datasetId: experiment.datasetId,
    promptId: experiment.promptId,
    version: plan.target.version,
    status: experiment.status,
    phase: experiment.phase,
    endedBy: experiment.endedBy,
    reason: experiment.reason,
    error: experiment.error,
    items: { train: train.length, validation: validation.length, test },
    progress: await progressOf(q, of, iterations),
    validation: experiment.validation === null ? null : JSON.parse(experiment.validation),
    cost: {
      spentUsd: dollarsOf(experiment.spentNanoUsd),
      maxUsd: experiment.maxNanoUsd === null ? null : dollarsOf(experiment.maxNanoUsd),
    },
    trialId: experiment.trialId,
    warnings,
    plan,
    endsAt: experiment.endsAt,
    startedAt: experiment.startedAt,
    completedAt: experiment.completedAt,
    createdAt: experiment.createdAt,
    updatedAt: experiment.updatedAt,
  }
}

type Scope = { workspaceId: string; experimentId: string }

export async function progressOf(
  q: Queries,
  of: Scope,
  iterations: readonly IterationRow[],
): Promise<ExperimentDetail['progress']> {
  const counts = await countExperimentCalls(q, of)
  const calls = (isReflection: boolean) => {
    const own = counts.filter(({ kind }) => (kind === 'reflection') === isReflection)
    const sum = (states: readonly string[]) =>
      own.filter(({ state }) => states.includes(state)).reduce((total, { count }) => total + count, 0)
    return { done: sum(['done']), failed: sum(['failed']), open: sum(['queued', 'running', 'retrying']) }
  }
  const proposals = iterations.filter(({ number }) => number > 0)
  return {
    proposals: proposals.length,
    validated: proposals.filter(isValidated).length,
    rejected: countFates(proposals),
    answers: calls(false),
    reflections: calls(true),
  }
}

type Described = { after: number; limit: number; withParents: boolean; withScores: boolean }

/** One more than the limit is read, to find out whether there are more. */
export async function describeIterations(
  q: Queries,
  experiment: ExperimentRow,
  { after, limit, withParents, withScores }: Described,
): Promise<{ data: ExperimentIteration[]; hasMore: boolean }> {
  const of = { workspaceId: experiment.workspaceId, experimentId: experiment.id }
  const rows = (await listIterations(q, of)).filter(({ number }) => number > after)
  const page = rows.slice(0, limit)
  const numbers = page.map(({ number }) => number)
  const contents = await findContents(q, of, numbers)
  const scores = numbers.length === 0 ? [] : await listCallScores(q, of, numbers)
  const byNumber = Map.groupBy(scores, ({ iteration }) => iteration)
  const data = page.map((row): ExperimentIteration => {
    const { number, state, fate, reason, hash, version, createdAt, kind, demonstrations } = row
    const own = byNumber.get(number) ?? []
    const ofValidation = own.filter(({ kind }) => kind === 'validation')
    const content = contents.get(number)
    return {
      number,
      kind,
      state,
      fate,
      reason,
      hash,
      messages: readMessages(content?.content?.messages ?? null),
      toolDescriptions: content?.content?.tools ? describedTools(content.content.tools) : null,
      diagnosis: content?.diagnosis ?? null,
      mean: isValidated(row) ? (meanOf(ofValidation.map(({ value }) => value)) ?? null) : null,
      version,
      demonstrations: demonstrations.length,
      createdAt,
      ...(withParents && { parents: [row.parent, row.otherParent].filter((one) => one !== null) }),
      ...(withScores && { scores: scoresOf(own) }),
    }
  })
  return { data, hasMore: rows.length > limit }
}

type Messages = ExperimentIteration['messages']

/** Roles were checked before they were stored. */
export function readMessages(messages: readonly unknown[] | null): Messages {
  return messages === null ? null : JSON.parse(JSON.stringify(messages))
}

function scoresOf(calls: Awaited<ReturnType<typeof listCallScores>>): NonNullable<ExperimentIteration['scores']> {
  const names = new Set(calls.flatMap(({ scores }) => Object.keys(scores)))
  return [...names].map((metric) => {
    const mean = (kind: string) =>
      meanOf(calls.filter((call) => call.kind === kind).map(({ scores }) => scores[metric]?.score)) ?? null
    return { metric, train: mean('train'), validation: mean('validation') }
  })
}

export async function describeFront(q: Queries, experiment: ExperimentRow) {
  const of = { workspaceId: experiment.workspaceId, experimentId: experiment.id }
  const items = await findExperimentItems(q, of)
  const { search, calls } = await readSearch(q, of, { plan: JSON.parse(experiment.plan), items })
  const data = frontOf(search).map(({ number, best }) => {
    const costs = calls.filter(
      ({ iteration, kind, state }) => iteration === number && kind === 'validation' && state === 'done',
    )
    const cost = meanOf(costs.map(({ nanoUsd }) => nanoUsd))
    return {
      number,
      best,
      mean: validationMean(search, number) ?? null,
      costUsd: cost === undefined ? null : dollarsOf(cost),
    }
  })
  return { data, items: items.validation.length }
}

export async function describeResults(q: Queries, experiment: ExperimentRow): Promise<ExperimentResults> {
  return experiment.results === null ? describeInterim(q, experiment) : JSON.parse(experiment.results)
}
