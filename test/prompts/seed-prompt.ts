import { expect } from 'vitest'
import type { Answer, Client } from '../harness/client.ts'
import type { TestApp } from '../harness/test-app.ts'

export type SeededPrompt = {
  workspaceId: string
  componentId: string
  promptId: string
  client: Client
  key: string
  /** Of the prompt. */
  path: string
  /** Of what is served to clients. */
  served: string
}

/** A prompt `answer` in a workspace of its own. */
export async function seedPrompt(app: TestApp): Promise<SeededPrompt> {
  const { workspaceId, client, key } = await app.newWorkspace()
  const componentId = await client.create('/components', { name: 'Support' })
  const promptId = await client.create(`/components/${componentId}/prompts`, { name: 'answer' })
  const path = `/components/${componentId}/prompts/${promptId}`
  const served = `/components/${componentId}/served-prompts/answer`
  return { workspaceId, componentId, promptId, client, key, path, served }
}

export function contentOf(text: string) {
  return { messages: [{ role: 'user', content: text }] }
}

/** Saves a version with this text; returns its number. */
export async function saveText({ client, path }: SeededPrompt, text: string): Promise<number> {
  const { status, text: response, body } = await client.post(`${path}/versions`, { content: contentOf(text) })
  expect([200, 201], response).toContain(status)
  return Number(body.number)
}

export async function saveTexts(prompt: SeededPrompt, count: number): Promise<void> {
  for (let number = 1; number <= count; number += 1)
    expect(await saveText(prompt, `Text ${number} for {{name}}`)).toBe(number)
}

/** Moves a label to one version, or to splits. */
export async function move(
  { client, path }: Pick<SeededPrompt, 'client' | 'path'>,
  label: string,
  to: number | [version: number, weight: number][],
  options: { note?: string; ifChange?: number } = {},
): Promise<Answer> {
  const splits = (typeof to === 'number' ? [[to, 100]] : to).map(([version, weight]) => ({ version, weight }))
  return client.send('PUT', `${path}/labels/${label}`, { body: { splits, ...options } })
}
