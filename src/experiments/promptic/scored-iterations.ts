/** The proposals of an experiment that were scored, as iterations of the original service. */
import { notFound } from '../../base/errors.ts'
import type { TemplateMessage } from '../../prompts/template.ts'
import type { Queries } from '../../storage/db.ts'
import { listCallScores, meanDurations } from '../calls/experiment-call-queries.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import { tokensOf } from '../guards/check-proposal.ts'
import { findContents, type IterationRow, listIterations } from '../iteration-queries.ts'
import { isValidated, meanOf } from '../search/search.ts'
import { type DescribedTool, describedTools } from '../tools/tool-descriptions.ts'
import { readEvaluators } from './change-evaluators.ts'
import { ownNames } from './own-evaluators.ts'
import type { PrompticIteration, ScoredIteration } from './promptic-schemas.ts'
import { promptTextOf } from './settings.ts'
import { findSettings } from './settings-queries.ts'

type Scored = {
  row: IterationRow
  overall: number
  /** Of a validated one. */
  validation: number | null
  calls: Awaited<ReturnType<typeof listCallScores>>
}

async function listScored(q: Queries, experiment: ExperimentRow): Promise<Scored[]> {
  const of = scopeOf(experiment)
  const byNumber = Map.groupBy(await listCallScores(q, of), ({ iteration }) => iteration)
  return (await listIterations(q, of)).flatMap((row) => {
    const calls = byNumber.get(row.number) ?? []
    const overall = meanOf(calls.map(({ value }) => value))
    if (overall === undefined) return []
    const ofValidation = calls.filter(({ kind }) => kind === 'validation').map(({ value }) => value)
    return [{ row, overall, validation: isValidated(row) ? (meanOf(ofValidation) ?? null) : null, calls }]
  })
}

function scopeOf({ workspaceId, id }: ExperimentRow) {
  return { workspaceId, experimentId: id }
}

export async function describeScored(q: Queries, experiment: ExperimentRow): Promise<PrompticIteration[]> {
  return describe(q, experiment, await listScored(q, experiment))
}

async function describe(
  q: Queries,
  experiment: ExperimentRow,
  scored: readonly Scored[],
): Promise<PrompticIteration[]> {
  const settings = await findSettings(q, scopeOf(experiment))
  const contents = await findContents(
    q,
    scopeOf(experiment),
    scored.map(({ row }) => row.number),
  )
  const durations = await meanDurations(q, scopeOf(experiment))
  const { toolSelection = null, addsInput = false } = settings ?? {}
  return scored.map(({ row: { number, createdAt }, overall, validation }) => {
    const { messages = [], tools } = contents.get(number)?.content ?? {}
    const described = tools ? describedTools(tools) : toolSelection?.tools
    const durationMs = durations.get(number)
    const prompt = promptTextOf(messages, { addsInput })
    return {
      id: number,
      experimentId: experiment.id,
      iterationNumber: number,
      prompt,
      promptTokens: tokensOf(messages),
      overallNormalizedScore: overall,
      evalNormalizedScore: validation,
      schemaSnapshot: settings?.schema ?? null,
      createdAt,
      updatedAt: createdAt,
      avgPredictionLatencyMs: durationMs === undefined ? null : Math.round(durationMs),
      ...(described && { toolDescriptions: byName(described) }),
      ...(toolSelection && { selectionSystemPrompt: prompt }),
    }
  })
}

function byName(tools: readonly DescribedTool[]): Record<string, string> {
  return Object.fromEntries(tools.map(({ name, description }) => [name, description]))
}

export async function describeIteration(
  q: Queries,
  experiment: ExperimentRow,
  wanted: number | 'best',
): Promise<ScoredIteration> {
  const scored = await listScored(q, experiment)
  const found = wanted === 'best' ? bestOf(scored) : scored.find(({ row }) => row.number === wanted)
  const [shown] = found ? await describe(q, experiment, [found]) : []
  if (!found || !shown) throw notFound('Iteration')
  return { ...shown, scores: await scoresOf(q, experiment, found) }
}

/** The highest score on the validation items if there is any, else the highest of all; of equal ones the first. */
function bestOf(scored: readonly Scored[]): Scored | undefined {
  const validated = scored.filter(({ validation }) => validation !== null)
  const rankOf = ({ validation, overall }: Scored) => (validated.length > 0 ? (validation ?? -1) : overall)
  return scored.reduce<Scored | undefined>(
    (best, one) => (best === undefined || rankOf(one) > rankOf(best) ? one : best),
    undefined,
  )
}

export type BestPrompt = { iteration: number; score: number; messages: TemplateMessage[]; tools: DescribedTool[] }

export async function findBestPrompt(q: Queries, experiment: ExperimentRow): Promise<BestPrompt | undefined> {
  const best = bestOf(await listScored(q, experiment))
  if (!best) return undefined
  const { number } = best.row
  const { messages = [], tools = [] } =
    (await findContents(q, scopeOf(experiment), [number])).get(number)?.content ?? {}
  return { iteration: number, score: best.validation ?? best.overall, messages, tools: describedTools(tools) }
}

/** Of the validation items, or of the training items if none was answered. */
async function scoresOf(
  q: Queries,
  experiment: ExperimentRow,
  { row, calls }: Scored,
): Promise<ScoredIteration['scores']> {
  const evaluators = await readEvaluators(q, experiment)
  const metrics = ownNames(evaluators)
  const ofValidation = calls.filter(({ kind }) => kind === 'validation')
  const counted = ofValidation.length > 0 ? ofValidation : calls
  return evaluators.flatMap((evaluator, place) => {
    const score = meanOf(counted.map(({ scores }) => scores[metrics[place] ?? '']?.score))
    if (score === undefined) return []
    const { id, name, description, type, scaleMin, scaleMax } = evaluator
    return [
      {
        iterationId: row.number,
        score,
        rawScore: scaleMin + score * (scaleMax - scaleMin),
        evaluatorId: id,
        evaluatorName: name,
        evaluatorDescription: description,
        evaluatorType: type,
      },
    ]
  })
}
