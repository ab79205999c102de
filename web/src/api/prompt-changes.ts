/** What people change of prompts: the prompt itself and its versions. */
import { api, dataOf, inApplication } from './api-client.ts'
import type { ComponentKey, PromptKey } from './prompts-query.ts'

const PROMPT = '/components/{componentId}/prompts/{promptId}'

export function createPrompt({ applicationId, ...path }: ComponentKey, body: { name: string; description?: string }) {
  return dataOf(
    api.POST('/components/{componentId}/prompts', { ...inApplication(applicationId), params: { path }, body }),
  )
}

export function describePrompt({ applicationId, ...path }: PromptKey, description: string | null) {
  return dataOf(api.PATCH(PROMPT, { ...inApplication(applicationId), params: { path }, body: { description } }))
}

export function deletePrompt({ applicationId, ...path }: PromptKey) {
  return dataOf(api.DELETE(PROMPT, { ...inApplication(applicationId), params: { path } }))
}

export function deleteVersion({ applicationId, ...path }: PromptKey, number: number) {
  const params = { path: { ...path, number: String(number) } }
  return dataOf(api.DELETE(`${PROMPT}/versions/{number}`, { ...inApplication(applicationId), params }))
}
