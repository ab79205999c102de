/** Labels of a prompt: whether one may move, moving it, rolling it back, and what a move needs. */
import { keepPreviousData } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, apiQuery } from './api-query.ts'
import type { PromptLabelProtection, PromptSplit } from './generated/api.ts'
import type { PromptKey } from './prompts-query.ts'

export interface LabelKey extends PromptKey {
  label: string
}

const LABEL = '/components/{componentId}/prompts/{promptId}/labels/{label}'
const HISTORY_SIZE = 100

/** Whether a label may give a version a share, and what is missing. */
export function labelCheckQuery(key: LabelKey, query: { version: number; weight: number }) {
  const { applicationId, ...path } = pathOf(key)
  return {
    ...apiQuery(`${LABEL}/check`, { applicationId, params: { path, query } }),
    // While a share is chosen, the last response stays; that of another version is none.
    placeholderData: keepPreviousData,
  }
}

export function labelCheckKey(applicationId: string) {
  return apiKey(`${LABEL}/check`, applicationId)
}

/** The newest changes of a label. */
export function labelHistoryQuery(key: LabelKey) {
  const { applicationId, ...path } = pathOf(key)
  return apiQuery(`${LABEL}/history`, { applicationId, params: { path, query: { limit: HISTORY_SIZE } } })
}

export function labelHistoryKey(applicationId: string) {
  return apiKey(`${LABEL}/history`, applicationId)
}

/** `ifChange` is the change that the user has seen: a later one is not overwritten. */
export function moveLabel(key: LabelKey, body: { splits: PromptSplit[]; note?: string; ifChange: number }) {
  const { applicationId, ...path } = pathOf(key)
  return dataOf(api.PUT(LABEL, { ...inApplication(applicationId), params: { path }, body }))
}

export function rollBackLabel(key: LabelKey, body: { note?: string }) {
  const { applicationId, ...path } = pathOf(key)
  return dataOf(api.POST(`${LABEL}/rollback`, { ...inApplication(applicationId), params: { path }, body }))
}

export function protectLabel(key: LabelKey, body: PromptLabelProtection) {
  const { applicationId, ...path } = pathOf(key)
  return dataOf(api.PUT(`${LABEL}/protection`, { ...inApplication(applicationId), params: { path }, body }))
}

/** Without what else a page has in its key. */
function pathOf({ applicationId, componentId, promptId, label }: LabelKey) {
  return { applicationId, componentId, promptId, label }
}
