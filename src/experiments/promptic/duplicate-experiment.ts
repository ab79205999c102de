import { conflict } from '../../base/errors.ts'
import type { Principal } from '../../base/principal.ts'
import { CASES_PAGE } from '../../datasets/cases/case-schemas.ts'
import { copyCases } from '../../datasets/cases/copy-cases.ts'
import type { Context } from '../../http/route.ts'
import { dbWithin } from '../../storage/db.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import { describeNewExperiment, requireAnyExperiment, startWith } from './change-described.ts'
import { insertEvaluator, listStoredEvaluators } from './evaluator-queries.ts'
import { findProvider } from './find-provider.ts'
import { findBestPrompt } from './scored-iterations.ts'
import { promptTextOf, type Settings } from './settings.ts'
import { findSettings } from './settings-queries.ts'

type Duplicating = { experimentId: string; continueFromOptimized?: boolean; initialPromptOverride?: string }

/** A pending experiment with the same settings, cases and evaluators, and the same start, another one, or the best prompt that was found. */
export async function duplicateExperiment(
  { db, ...context }: Context,
  by: Principal,
  { experimentId, ...from }: Duplicating,
): Promise<{ experiment: ExperimentRow; modelUnavailable: boolean }> {
  const { workspaceId, userId } = by
  const scope = { workspaceId, experimentId }
  return db.transaction(async (tx) => {
    const source = await requireAnyExperiment(tx, scope)
    const settings = await findSettings(tx, scope)
    if (!settings) throw conflict('The experiment was created with a plan, which cannot be copied; create another one')
    const { componentId, name } = source
    const start = await startFor(tx, source, { settings, ...from })
    const inside = { db: dbWithin(tx), ...context }
    const copy = { componentId, name: name === null ? null : `${name} (copy)`.slice(0, 200) }
    const experiment = await describeNewExperiment(inside, by, { ...copy, settings: { ...settings, ...start } })
    const [to, datasetId] = [{ workspaceId, componentId, datasetId: experiment.datasetId, userId }, source.datasetId]
    await copyCases(inside, { workspaceId, componentId, datasetId }, { to, most: CASES_PAGE.max })
    for (const evaluator of await listStoredEvaluators(tx, scope)) {
      const { createdAt } = experiment
      const copied = { ...evaluator, id: context.newId(), experimentId: experiment.id, createdAt, updatedAt: createdAt }
      await insertEvaluator(tx, scope, copied)
    }
    const modelUnavailable = (await findProvider(tx, workspaceId, settings)) === undefined
    return { experiment, modelUnavailable }
  })
}

async function startFor(
  tx: Parameters<typeof findBestPrompt>[0],
  source: ExperimentRow,
  {
    settings,
    continueFromOptimized = false,
    initialPromptOverride,
  }: Omit<Duplicating, 'experimentId'> & { settings: Settings },
): Promise<Partial<Pick<Settings, 'messages' | 'addsInput' | 'toolSelection'>>> {
  if (!continueFromOptimized)
    return initialPromptOverride === undefined ? {} : startWith(initialPromptOverride, settings)
  const best = await findBestPrompt(tx, source)
  if (!best) throw conflict('The experiment has no iteration that was scored; send initialPromptOverride, or nothing')
  const descriptions = new Map(best.tools.map(({ name, description }) => [name, description]))
  const { messages } = best
  const { toolSelection } = settings
  if (!toolSelection) return { messages }
  const tools = toolSelection.tools.map((tool) => ({
    ...tool,
    description: descriptions.get(tool.name) ?? tool.description,
  }))
  const { optimizeSystemPrompt } = toolSelection
  const systemPrompt = optimizeSystemPrompt ? promptTextOf(messages, settings) : toolSelection.systemPrompt
  return { messages, toolSelection: { ...toolSelection, tools, systemPrompt } }
}
