/** Plans an experiment that was only described, when it is started. */
import { conflict } from '../../base/errors.ts'
import type { PrepareContext } from '../../http/route.ts'
import { namesIn } from '../../prompts/template.ts'
import type { LatePlan } from '../change-experiment.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import { type ExperimentScope, findExperiment } from '../experiment-queries.ts'
import { type ExperimentDepsToRead, readExperiment } from '../read-experiment.ts'
import { listStoredEvaluators } from './evaluator-queries.ts'
import { findProvider } from './find-provider.ts'
import { ownEvaluators } from './own-evaluators.ts'
import type { Settings } from './settings.ts'
import { findSettings } from './settings-queries.ts'

/** Undefined if it has a plan already, or does not exist: the transaction that follows reports that. */
export async function planDescribed(
  context: Omit<PrepareContext, 'newId' | 'requestId' | 'address'>,
  deps: ExperimentDepsToRead,
  scope: ExperimentScope & { componentId?: string },
): Promise<LatePlan | undefined> {
  const { workspaceId } = scope
  const q = context.db.read
  const experiment = await findExperiment(q, scope)
  if (experiment?.status !== 'pending') return undefined
  if (scope.componentId !== undefined && scope.componentId.toLowerCase() !== experiment.componentId) return undefined
  const settings = await findSettings(q, scope)
  if (!settings) return undefined
  const found = await findProvider(q, workspaceId, settings)
  if (!found)
    throw conflict(
      `No connection is named ${JSON.stringify(settings.provider)}, and none of that kind lists the model ${settings.targetModel}; add it under Settings, Models (/connections), or change provider or targetModel`,
    )
  const evaluators = ownEvaluators(await listStoredEvaluators(q, scope), settings)
  if (evaluators.length === 0) throw conflict('The experiment has no evaluator; add one before it is started')
  const { target }: ExperimentPlan = JSON.parse(experiment.plan)
  const { componentId, datasetId, promptId, updatedAt } = experiment
  const provider = found.name ?? undefined
  const prepared = await readExperiment(
    context,
    deps,
    {
      workspaceId,
      componentId,
      datasetId,
      prompt: { promptId, version: target.version },
      optimizer: optimizerOf(settings),
      ...(settings.toolSelection && { optimize: partsOf(settings.toolSelection) }),
      target: { ...(provider !== undefined && { provider }), model: settings.targetModel },
      variables: variablesOf(settings),
      evaluators,
      splits: { ...sharesOf(settings), seed: 0 },
      allowTooFew: true,
    },
    { splits: 'sealed' },
  )
  return { ...prepared, updatedAt }
}

/** The optimizers of the original service are not public. */
function optimizerOf({ optimizer }: Settings): string {
  return optimizer === 'promptic' || optimizer === 'prompticV2' ? 'gepa' : optimizer
}

function partsOf({ optimizeSystemPrompt }: NonNullable<Settings['toolSelection']>) {
  const tools = ['toolDescriptions' as const]
  return optimizeSystemPrompt ? ['messages' as const, ...tools] : tools
}

function variablesOf({ inputVariables, addsInput, messages }: Settings): Record<string, unknown> {
  if (addsInput) return { input: 'input' }
  const used = new Set(namesIn(messages).variables)
  const mapped = (inputVariables ?? []).filter(({ name }) => used.has(name))
  return Object.fromEntries(mapped.map(({ name, column }) => [name, `input.${column}`]))
}

/** What is not trained on is chosen by and tested on in equal parts. */
function sharesOf({ hyperparameters: { trainSplitRatio = 0.4 } }: Settings) {
  const rest = (1 - trainSplitRatio) / 2
  return { train: trainSplitRatio, validation: rest, test: rest }
}
