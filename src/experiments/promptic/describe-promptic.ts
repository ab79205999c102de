/** Experiments as promptic-sdk reads them, also those that were created with a plan. */

import type { TemplateMessage } from '../../prompts/template.ts'
import type { Queries } from '../../storage/db.ts'
import { sumTestTokens } from '../experiment-cost-queries.ts'
import type { ExperimentPlan } from '../experiment-plan.ts'
import type { ExperimentRow } from '../experiment-queries.ts'
import { tokensOf } from '../guards/check-proposal.ts'
import type { PrompticExperiment } from './promptic-schemas.ts'
import { promptTextOf, type Settings } from './settings.ts'
import { findSettingsOf, findStartContents, findTestedContents } from './settings-queries.ts'

export async function describePromptic(q: Queries, rows: readonly ExperimentRow[]): Promise<PrompticExperiment[]> {
  const [first] = rows
  if (!first) return []
  const ids = rows.map(({ id }) => id)
  const settings = await findSettingsOf(q, first.workspaceId, ids)
  const starts = await findStartContents(q, first.workspaceId, ids)
  const tokens = await readTokensUsed(q, rows)
  const improved = rows.filter(({ id }) => settings.get(id)?.toolSelection?.optimizeSystemPrompt)
  const tested = await findTestedContents(
    q,
    first.workspaceId,
    improved.map(({ id }) => id),
  )
  return rows.map((row) => ({
    ...toPromptic(row, settings.get(row.id), { messages: starts.get(row.id) ?? [], tested: tested.get(row.id) }),
    tokensUsed: tokens(row),
  }))
}

/** With those of a test that has not been counted yet. */
async function readTokensUsed(q: Queries, rows: readonly ExperimentRow[]): Promise<(row: ExperimentRow) => number> {
  const isCounted = ({ status }: ExperimentRow) => status === 'completed'
  const trialIds = rows.flatMap((row) => (isCounted(row) || row.trialId === null ? [] : [row.trialId]))
  const ofTests = await sumTestTokens(q, { workspaceId: rows[0]?.workspaceId ?? '', trialIds })
  return (row) => row.tokensUsed + (isCounted(row) ? 0 : (ofTests.get(row.trialId ?? '') ?? 0))
}

function toPromptic(
  row: ExperimentRow,
  settings: Settings | undefined,
  { messages, tested }: { messages: readonly TemplateMessage[]; tested: readonly TemplateMessage[] | undefined },
): Omit<PrompticExperiment, 'tokensUsed'> {
  const { optimizer, target }: ExperimentPlan = JSON.parse(row.plan)
  const isSingle = messages.length <= 1 || settings?.addsInput === true
  return {
    id: row.id,
    datasetId: row.datasetId,
    name: row.name,
    description: settings?.description ?? null,
    targetModel: settings?.targetModel ?? target.model ?? '',
    provider: settings?.provider ?? target.provider ?? 'platform',
    aiComponentId: row.componentId,
    customProviderId: null,
    createdByUser: row.userId,
    experimentStatus: row.status,
    taskType: settings?.taskType ?? 'textGeneration',
    optimizer: settings?.optimizer ?? optimizer,
    promptFormat: isSingle ? 'single' : 'multi_message',
    initialPromptMessages: messages.map(shownMessage),
    initialPromptTokens: messages.length === 0 ? null : tokensOf(messages),
    initialPredictionModelSchema: settings?.schema ?? null,
    runNumber: null,
    hyperparameters: settings?.hyperparameters ?? {},
    startedAt: row.startedAt,
    endedAt: row.completedAt,
    retries: 0,
    errorCode: row.endedBy === 'canceled' ? 'canceled' : row.error === null ? null : 'failed',
    errorMessage: row.error,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    ...(settings?.inputVariables && { inputVariables: settings.inputVariables }),
    ...(settings?.toolSelection && {
      systemPrompt: settings.toolSelection.systemPrompt,
      optimizeSystemPrompt: settings.toolSelection.optimizeSystemPrompt,
      optimizedSystemPrompt: tested ? promptTextOf(tested, settings) : null,
    }),
  }
}

/** A placeholder stands for messages of the item. */
export function shownMessage(message: TemplateMessage): { role: string; content: string } {
  if ('placeholder' in message) return { role: 'user', content: `{{${message.placeholder}}}` }
  return { role: message.role, content: message.content }
}
