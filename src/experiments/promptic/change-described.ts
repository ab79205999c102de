/** Creates, changes and duplicates experiments that are described before they are planned. */
import { timestamp } from '../../base/clock.ts'
import { badRequest, conflict, notFound } from '../../base/errors.ts'
import { createdAtOf } from '../../base/ids.ts'
import type { Principal } from '../../base/principal.ts'
import { createDataset } from '../../datasets/create-dataset.ts'
import { deleteDataset } from '../../datasets/delete-dataset.ts'
import type { Context } from '../../http/route.ts'
import { createPrompt } from '../../prompts/change-prompt.ts'
import { saveVersion } from '../../prompts/save-version.ts'
import { prepareContent } from '../../prompts/version-content.ts'
import { dbWithin, type Queries } from '../../storage/db.ts'
import { deleteExperiment, insertStart } from '../change-experiment.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import {
  type ExperimentRow,
  type ExperimentScope,
  findExperiment,
  insertExperiment,
  lockExperiment,
  requireExperiment,
  updateExperiment,
} from '../experiment-queries.ts'
import { findProvider } from './find-provider.ts'
import type { ChangeDescription, DescribeExperiment } from './promptic-schemas.ts'
import { emptyPlan, HYPERPARAMETERS, type Settings, startOf } from './settings.ts'
import { deleteStart, findSettings, insertSettings, updateSettings } from './settings-queries.ts'

/** Throws 404 unless it exists in the workspace. */
export async function requireAnyExperiment(q: Queries, scope: ExperimentScope): Promise<ExperimentRow> {
  const experiment = await findExperiment(q, scope)
  if (!experiment) throw notFound('Experiment')
  return experiment
}

/** What a client has sent to describe an experiment, with the defaults of the original service. */
export function readDescription(given: DescribeExperiment): Settings {
  const { taskType = 'classification', hyperparameters = HYPERPARAMETERS, initialPrompt } = given
  if (taskType === 'toolSelection')
    throw badRequest('An experiment with the taskType toolSelection is created by POST /experiments/tool-selection')
  const inputVariables = given.inputVariables ?? null
  return {
    description: given.description ?? null,
    targetModel: given.targetModel,
    provider: given.provider ?? 'openai',
    taskType,
    optimizer: given.optimizer ?? 'prompticV2',
    ...startOf(initialPrompt, { taskType, inputVariables }),
    hyperparameters,
    schema: given.initialPredictionModelSchema ?? null,
    inputVariables,
    toolSelection: null,
  }
}

type NewDescription = { componentId: string; name: string | null; settings: Settings }

/** With a dataset of its own for the cases, and a prompt whose first version is the start. */
export async function describeNewExperiment(
  { db, ...context }: Context,
  by: Principal,
  { componentId, name, settings }: NewDescription,
): Promise<ExperimentRow> {
  const { workspaceId } = by
  const experimentId = context.newId()
  return db.transaction(async (tx) => {
    const inside = { db: dbWithin(tx), ...context }
    const title = name ?? 'Experiment'
    const dataset = await createDataset(inside, { workspaceId, componentId, name: title, description: OF_EXPERIMENT })
    const prompt = await createPrompt(inside, by, { componentId, name: promptName(title, experimentId) })
    const target = { componentId, promptId: prompt.id }
    const version = await saveStart(inside, by, { ...target, settings })
    const plan = emptyPlan({ promptId: prompt.id, version, model: settings.targetModel })
    await insertExperiment(tx, {
      workspace_id: workspaceId,
      id: experimentId,
      component_id: componentId,
      dataset_id: dataset.id,
      prompt_id: prompt.id,
      name,
      user_id: by.userId,
      max_nano_usd: null,
      plan: JSON.stringify(plan),
      items: JSON.stringify({ train: [], validation: [], test: 0 }),
      created_at: createdAtOf(experimentId),
    })
    await insertSettings(tx, { workspaceId, experimentId }, settings)
    const experiment = await requireExperiment(tx, { workspaceId, componentId, experimentId })
    await insertStart(tx, context, experiment)
    return experiment
  })
}

const OF_EXPERIMENT = 'The cases of an experiment, deleted with it'

/** Names are unique in a component, and have only some characters. */
function promptName(title: string, id: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `${words.slice(0, 80) || 'experiment'}-${id.slice(-8)}`
}

async function saveStart(
  context: Context,
  by: Principal,
  { settings, ...target }: { componentId: string; promptId: string; settings: Settings },
): Promise<number> {
  const { messages, targetModel, schema, taskType, toolSelection } = settings
  const provider = await findProvider(context.db.read, by.workspaceId, settings)
  const { version } = await saveVersion(context, by, {
    ...target,
    content: prepareContent({
      messages: messages.map(withKnownRole),
      provider: provider?.name ?? null,
      model: targetModel,
      ...(taskType === 'structuredOutput' &&
        schema && { responseFormat: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
      ...(toolSelection && { tools: toolSelection.tools.map(toolOf) }),
    }),
    note: null,
    labels: [],
    verdicts: [],
  })
  return version.number
}

type Content = Parameters<typeof prepareContent>[0]

function withKnownRole(message: Settings['messages'][number]): Content['messages'][number] {
  if ('placeholder' in message) return message
  const { role, content } = message
  return { role: role === 'system' || role === 'developer' || role === 'assistant' ? role : 'user', content }
}

function toolOf({ name, description, inputSchema }: NonNullable<Settings['toolSelection']>['tools'][number]) {
  const parameters = inputSchema ?? { type: 'object', properties: {} }
  return { type: 'function', function: { name, description, parameters } }
}

/** Locks it; throws 409 once it was started. */
export async function lockDescribed(tx: Queries, scope: ExperimentScope) {
  await lockExperiment(tx, scope)
  const experiment = await requireAnyExperiment(tx, scope)
  if (experiment.status !== 'pending')
    throw conflict(
      `The experiment was started before (${experiment.status}), so that it cannot be changed; duplicate it`,
    )
  const settings = await findSettings(tx, scope)
  if (!settings) throw conflict('The experiment was created with a plan, which cannot be changed; create another one')
  return { experiment, settings }
}

/** So that a start that was prepared before the change is not carried out. */
export async function touchExperiment(tx: Queries, context: Pick<Context, 'clock'>, scope: ExperimentScope) {
  await updateExperiment(tx, scope, { now: timestamp(context.clock.now()) })
}

export async function changeDescription(
  { db, ...context }: Context,
  by: Principal,
  { experimentId, ...change }: ChangeDescription & { experimentId: string },
): Promise<ExperimentRow> {
  const scope = { workspaceId: by.workspaceId, experimentId }
  return db.transaction(async (tx) => {
    const { experiment, settings } = await lockDescribed(tx, scope)
    const changed = withChange(settings, change)
    const plan: ExperimentPlan = JSON.parse(experiment.plan)
    const { componentId, promptId } = experiment
    const version = await saveStart({ db: dbWithin(tx), ...context }, by, { componentId, promptId, settings: changed })
    await updateSettings(tx, scope, changed)
    await updateExperiment(tx, scope, {
      ...(change.name !== undefined && { name: change.name }),
      plan: JSON.stringify({ ...plan, target: { ...plan.target, version, model: changed.targetModel } }),
      now: timestamp(context.clock.now()),
    })
    await replaceStart(tx, context, scope)
    return requireAnyExperiment(tx, scope)
  })
}

async function replaceStart(tx: Queries, context: Omit<Context, 'db'>, scope: ExperimentScope): Promise<void> {
  await deleteStart(tx, scope)
  await insertStart(tx, context, await requireAnyExperiment(tx, scope))
}

function withChange(settings: Settings, { name: _, initialPrompt, ...change }: ChangeDescription): Settings {
  const { initialPredictionModelSchema: schema, taskType = settings.taskType } = change
  if ((taskType === 'toolSelection') !== (settings.taskType === 'toolSelection'))
    throw badRequest(
      'The taskType toolSelection can be neither given to an experiment nor taken from it; create another one',
    )
  return {
    ...settings,
    taskType,
    targetModel: change.targetModel ?? settings.targetModel,
    provider: change.provider ?? settings.provider,
    optimizer: change.optimizer ?? settings.optimizer,
    hyperparameters: change.hyperparameters ?? settings.hyperparameters,
    ...(change.description !== undefined && { description: change.description }),
    ...(schema !== undefined && { schema }),
    ...(initialPrompt !== undefined && startWith(initialPrompt, { ...settings, taskType })),
  }
}

/** Of the selection of tools, the prompt is the one of the system. */
export function startWith(
  prompt: string,
  settings: Pick<Settings, 'taskType' | 'inputVariables' | 'toolSelection'>,
): Pick<Settings, 'messages' | 'addsInput' | 'toolSelection'> {
  const { toolSelection } = settings
  return {
    ...startOf(prompt, settings),
    toolSelection: toolSelection && { ...toolSelection, systemPrompt: prompt },
  }
}

/** With the dataset that was created for it; its prompt stays. */
export async function deleteAnyExperiment({ db, ...context }: Context, by: Principal, experimentId: string) {
  const scope = { workspaceId: by.workspaceId, experimentId }
  await db.transaction(async (tx) => {
    const { componentId, datasetId } = await requireAnyExperiment(tx, scope)
    const hasOwnDataset = (await findSettings(tx, scope)) !== undefined
    const inside = { db: dbWithin(tx), ...context }
    await deleteExperiment(inside, by, { ...scope, componentId })
    if (hasOwnDataset) await deleteDataset(inside, by, { componentId, datasetId })
  })
}
