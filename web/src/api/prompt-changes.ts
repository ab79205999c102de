/** What people change of prompts: the prompt itself and its versions. */
import { api, dataOf, inApplication } from './api-client.ts'
import type { NewPromptContent, PromptVersion } from './generated/api.ts'
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

export interface NewVersion {
  content: NewPromptContent
  note: string | null
  labels: string[]
}

/** The saved version; not a new one if the prompt has a version of the same content already. */
export async function saveVersion(
  { applicationId, ...path }: PromptKey,
  body: NewVersion,
): Promise<{ version: PromptVersion; isNew: boolean }> {
  const sent = api.POST(`${PROMPT}/versions`, { ...inApplication(applicationId), params: { path }, body })
  const { response } = await sent
  return { version: await dataOf(sent), isNew: response.status === 201 }
}

export function deleteVersion({ applicationId, ...path }: PromptKey, number: number) {
  const params = { path: { ...path, number: String(number) } }
  return dataOf(api.DELETE(`${PROMPT}/versions/{number}`, { ...inApplication(applicationId), params }))
}
