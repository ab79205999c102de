/** Prompts of Langfuse with all of their versions and labels. */
import type { ImportRecord } from '../import-record.ts'
import { type PromptMessage, promptNameOf, readChat, readSettings, templateReason } from '../prompt-content.ts'
import { type Fields, isFields, listOf, textOf } from '../source-values.ts'
import type { LangfuseApi } from './langfuse-api.ts'
import { LANGFUSE } from './map-langfuse-score.ts'

const LABEL = /^[a-z0-9][a-z0-9._-]{0,63}$/

export async function* readPrompts(api: LangfuseApi): AsyncGenerator<ImportRecord> {
  const taken = new Map<string, string>()
  for await (const entry of api.prompts()) {
    const original = String(entry['name'])
    const name = promptNameOf(original)
    if (name === undefined) {
      yield notTaken('prompts', original, 'its name has no letter or digit that names can have')
      continue
    }
    if (taken.has(name)) {
      yield notTaken('prompts', original, `its name would be ${name}, which is that of ${taken.get(name)}`)
      continue
    }
    taken.set(name, original)
    yield* readPrompt(api, { entry, original, name })
  }
}

type Named = { entry: Fields; original: string; name: string }

async function* readPrompt(api: LangfuseApi, { entry, original, name }: Named): AsyncGenerator<ImportRecord> {
  if (name !== original) {
    const reason = `its name is ${name} here: names have letters, digits and . _ / -`
    yield notTaken('other', `name of the prompt ${original}`, reason)
  }
  const tags = listOf(entry['tags']).filter((tag) => typeof tag === 'string')
  const about = [name === original ? undefined : original, tags.length === 0 ? undefined : `Tags: ${tags.join(', ')}`]
  const description = about.filter((part) => part !== undefined).join('. ')
  yield { kind: 'prompt', name, ...(description !== '' && { description }) }
  const labels: ImportRecord[] = []
  const numbers = listOf(entry['versions']).map(Number)
  for (const number of numbers.sort((a, b) => a - b)) {
    const version = await api.promptVersion(original, number)
    const what = `${name}: version ${number}`
    if (!version) {
      yield notTaken('versions', what, 'it was deleted meanwhile')
      continue
    }
    yield* readVersion({ name, number, version, what })
    for (const label of listOf(version['labels'])) labels.push(labelOf({ name, number, label: String(label) }))
  }
  yield* labels
}

type Version = { name: string; number: number; version: Fields; what: string }

function* readVersion({ name, number, version, what }: Version): Generator<ImportRecord> {
  const read = readMessages(version['prompt'])
  const texts = 'messages' in read ? read.messages.flatMap((one) => ('content' in one ? [one.content] : [])) : []
  const reason = 'reason' in read ? read.reason : texts.map(templateReason).find((one) => one !== undefined)
  if ('reason' in read || reason !== undefined) {
    yield notTaken('versions', what, reason ?? '')
    return
  }
  const { settings, unknown } = readSettings(version['config'])
  const note = textOf(version['commitMessage'])
  const content = { messages: read.messages, ...settings }
  const record = { kind: 'promptVersion', prompt: name, number, sourceName: sourceName(number), content } as const
  yield { ...record, ...(note !== undefined && { note }) }
  if (unknown.length > 0)
    yield notTaken('other', `config of ${what}: ${unknown.join(', ')}`, 'these are no settings of a model')
  if (isFields(version['resolutionGraph']))
    yield notTaken('other', `included prompts of ${what}`, 'their texts are inserted as they are now')
}

function readMessages(prompt: unknown): { messages: PromptMessage[] } | { reason: string } {
  if (typeof prompt === 'string') return { messages: [{ role: 'user', content: prompt }] }
  return Array.isArray(prompt) ? readChat(prompt) : { reason: 'it is neither a text nor a chat' }
}

function labelOf({ name, number, label }: { name: string; number: number; label: string }): ImportRecord {
  if (LABEL.test(label)) return { kind: 'promptLabel', prompt: name, label, number, sourceName: sourceName(number) }
  return notTaken('labels', `${name}: ${label}`, 'a label begins with a lower-case letter or a digit')
}

function sourceName(number: number): string {
  return `${LANGFUSE} version ${number}`
}

function notTaken(of: 'prompts' | 'versions' | 'labels' | 'other', what: string, reason: string): ImportRecord {
  return { kind: 'notTaken', of, what, reason }
}
