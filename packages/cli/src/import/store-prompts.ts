/** Prompts, found by name; their versions, found by content; and labels. What is missing is created. */
import { findPrompt } from '../prompts/find-prompt.ts'
import type { PromptLabelRecord, PromptRecord, PromptVersionRecord } from './import-record.ts'
import { type ImportTarget, isRejectedContent, requireStored, type StoredPrompt } from './import-target.ts'
import { contentHash } from './prompt-content.ts'

const PROMPTS = '/components/{componentId}/prompts'
const VERSIONS = '/components/{componentId}/prompts/{promptId}/versions'
const LABELS = '/components/{componentId}/prompts/{promptId}/labels'
const LABEL = '/components/{componentId}/prompts/{promptId}/labels/{label}'

export async function storePrompt(target: ImportTarget, { name, description }: PromptRecord): Promise<void> {
  const { client, component, signal, tally, prompts } = target
  const { id: componentId } = component
  // Several files may have the same prompt; it is one.
  if (prompts.has(name)) return
  const found = componentId === undefined ? undefined : await findPrompt({ client, componentId, signal }, name)
  if (found && componentId !== undefined) {
    tally.alreadyThere('prompts')
    prompts.set(name, await readPrompt(target, { componentId, promptId: found.id }))
    return
  }
  const created: StoredPrompt = { id: undefined, numbers: new Map(), next: 1, labels: new Set(), bySource: new Map() }
  if (!target.isDryRun && componentId !== undefined) {
    const body = { name, ...(description !== undefined && { description }) }
    created.id = (await client.request('POST', PROMPTS, { params: { componentId }, body, signal })).id
  }
  tally.created('prompts')
  prompts.set(name, created)
}

async function readPrompt(
  { client, signal }: ImportTarget,
  params: { componentId: string; promptId: string },
): Promise<StoredPrompt> {
  const numbers = new Map<string, number>()
  let next = 1
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { limit: 100, ...(cursor !== undefined && { cursor }) }
    const page = await client.request('GET', VERSIONS, { params, query, signal })
    for (const { hash, number } of page.data) {
      numbers.set(hash, number)
      next = Math.max(next, number + 1)
    }
    cursor = page.nextCursor
  }
  const { data } = await client.request('GET', LABELS, { params, signal })
  const labels = new Set(data.filter(({ splits }) => splits.length > 0).map(({ name }) => name))
  return { id: params.promptId, numbers, next, labels, bySource: new Map() }
}

export async function storePromptVersion(target: ImportTarget, record: PromptVersionRecord): Promise<void> {
  const { client, component, signal, tally } = target
  const { content, number: sourceNumber, sourceName } = record
  const prompt = requireStored(target.prompts, record.prompt, 'prompt')
  const hash = contentHash(content)
  const known = prompt.numbers.get(hash)
  if (known !== undefined) {
    prompt.bySource.set(sourceNumber, known)
    tally.alreadyThere('versions')
    return
  }
  let number = prompt.next
  if (prompt.id !== undefined && component.id !== undefined && !target.isDryRun) {
    const parts = [record.note, number === sourceNumber ? undefined : sourceName]
    const note = parts.filter((part) => part !== undefined).join(' · ')
    // The server checks it.
    const body = { content: content as { messages: [] } & typeof content, ...(note !== '' && { note }) }
    const params = { componentId: component.id, promptId: prompt.id }
    try {
      number = (await client.request('POST', VERSIONS, { params, body, signal })).number
    } catch (error) {
      if (!isRejectedContent(error)) throw error
      const what = `${record.prompt}: ${sourceName}`
      tally.notTaken({ of: 'versions', what, reason: `the server rejected it: ${error.message}` })
      return
    }
  }
  prompt.numbers.set(hash, number)
  prompt.bySource.set(sourceNumber, number)
  prompt.next = Math.max(prompt.next, number + 1)
  tally.created('versions')
}

export async function storePromptLabel(target: ImportTarget, record: PromptLabelRecord): Promise<void> {
  const { client, component, signal, tally } = target
  const { label, sourceName } = record
  const prompt = requireStored(target.prompts, record.prompt, 'prompt')
  const what = `${record.prompt}: ${label}`
  const version = prompt.bySource.get(record.number)
  if (version === undefined) {
    tally.notTaken({ of: 'labels', what, reason: `${sourceName} was not taken` })
    return
  }
  if (prompt.labels.has(label)) {
    tally.alreadyThere('labels')
    return
  }
  if (prompt.id !== undefined && component.id !== undefined && !target.isDryRun) {
    const params = { componentId: component.id, promptId: prompt.id, label }
    const body = { splits: [{ version, weight: 100 }], note: `imported: ${sourceName}` }
    try {
      await client.request('PUT', LABEL, { params, body, signal })
    } catch (error) {
      if (!isRejectedContent(error)) throw error
      tally.notTaken({ of: 'labels', what, reason: `the server rejected it: ${error.message}` })
      return
    }
  }
  prompt.labels.add(label)
  tally.created('labels')
}
