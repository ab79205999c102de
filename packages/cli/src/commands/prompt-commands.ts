import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { escapeLine, escapeLines, printableJson } from '../output/escape-text.ts'
import { printList, printResource } from '../print-resource.ts'
import { changedLines } from '../prompts/changed-lines.ts'
import { requirePrompt } from '../prompts/find-prompt.ts'
import { openSession } from '../session.ts'

const PROMPTS = '/components/{componentId}/prompts'
const DIFF = '/components/{componentId}/prompts/{promptId}/diff'
const LABEL = '/components/{componentId}/prompts/{promptId}/labels/{label}'
const LABELS = '/components/{componentId}/prompts/{promptId}/labels'
const HISTORY = '/components/{componentId}/prompts/{promptId}/labels/{label}/history'
const ROLLBACK = '/components/{componentId}/prompts/{promptId}/labels/{label}/rollback'

type Flags = CommonFlags & { component?: string }
type NoteFlags = Flags & { note?: string }
export type GivenEvidence = { decisionId: string } | { comparison: { baselineRunId: string; candidateRunId: string } }

export async function listPrompts(this: CliContext, flags: Flags & { limit?: number }): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id: componentId } = await component(flags.component)
  const prompts = client.list(PROMPTS, { params: { componentId }, signal: this.signal })
  const entries = await prompts.toArray({ max: flags.limit ?? 50 })
  printList(this, flags, { entries, columns: ['id', 'name', 'description', 'updatedAt'] })
}

/** A line for each line that differs, with - and + as in other diffs. */
export async function diffPrompt(
  this: CliContext,
  flags: Flags,
  name: string,
  from: number,
  to: number,
): Promise<void> {
  const { client, params } = await openPrompt(this, flags, name)
  const { signal, terminal } = this
  const diff = await client.request('GET', DIFF, { params, query: { from, to }, signal })
  if (flags.json) return terminal.data(`${printableJson(diff)}\n`)
  const changes = diff.messages.filter(({ change }) => change !== 'same')
  if (changes.length === 0 && diff.parameters.length === 0)
    return terminal.message(`Versions ${from} and ${to} of ${name} have the same content.`)
  const print = (sign: '-' | '+', text: string) => {
    const color = sign === '-' ? 'red' : 'green'
    for (const line of text.split('\n')) terminal.data(`${terminal.paint(color, `${sign} ${escapeLines(line)}`)}\n`)
  }
  for (const { change, before, after, hunks, from: place } of changes) {
    if (change === 'changed' && after && 'role' in after) {
      terminal.data(`${terminal.paint('dim', `  message ${(place ?? 0) + 1}, ${after.role}:`)}\n`)
      const { removed, added } = changedLines(hunks)
      for (const line of removed) print('-', line)
      for (const line of added) print('+', line)
      continue
    }
    if (before) print('-', textOf(before))
    if (after) print('+', textOf(after))
  }
  for (const { name: field, before, after } of diff.parameters) {
    print('-', `${escapeLine(field)}: ${JSON.stringify(before)}`)
    print('+', `${escapeLine(field)}: ${JSON.stringify(after)}`)
  }
  for (const kind of ['variables', 'placeholders'] as const) {
    const { added, removed } = diff[kind]
    const changed = [...removed.map((one) => `-${one}`), ...added.map((one) => `+${one}`)]
    if (changed.length > 0) terminal.message(`${kind}: ${changed.join(' ')}`)
  }
}

export async function listLabels(this: CliContext, flags: Flags, name: string): Promise<void> {
  const { client, params } = await openPrompt(this, flags, name)
  const { data } = await client.request('GET', LABELS, { params, signal: this.signal })
  printList(this, flags, { entries: data, columns: ['name', 'splits', 'change', 'changedAt'] })
}

export async function listLabelChanges(
  this: CliContext,
  flags: Flags & { limit?: number },
  name: string,
  label: string,
): Promise<void> {
  const { client, params } = await openPrompt(this, flags, name)
  const query = { limit: Math.min(flags.limit ?? 50, 100) }
  const request = { params: { ...params, label }, query, signal: this.signal }
  const { data } = await client.request('GET', HISTORY, request)
  if (flags.json) return this.terminal.data(`${printableJson(data)}\n`)
  const entries = data.map(({ after, ...change }) => ({ ...change, splits: after?.splits ?? [] }))
  printList(this, flags, { entries, columns: ['change', 'kind', 'splits', 'note', 'changedAt'] })
}

/** `12`, or several with their shares: `11=90 12=10`. */
export async function setLabel(
  this: CliContext,
  flags: NoteFlags & { ifChange?: number; evidence?: GivenEvidence },
  ...[name = '', label = '', ...versions]: string[]
): Promise<void> {
  const splits = readSplits(versions)
  const { client, params } = await openPrompt(this, flags, name)
  const { evidence, ifChange } = flags
  const optional = { ...(ifChange !== undefined && { ifChange }), ...(evidence && { evidence }) }
  const body = { splits, ...noteOf(flags), ...optional }
  const moved = await client.request('PUT', LABEL, { params: { ...params, label }, body, signal: this.signal })
  printResource(this, flags, moved)
}

function readSplits(versions: readonly string[]): { version: number; weight: number }[] {
  return versions.map((text) => {
    const [, version, weight] = /^([1-9]\d{0,8})(?:=(\d{1,3}))?$/.exec(text) ?? []
    if (version === undefined || (weight === undefined && versions.length > 1)) {
      const form = 'Pass the number of one version, such as 12, or shares in percent, such as 11=90 12=10.'
      throw new CliError(`"${text}" is not a version with its share. ${form}`, EXIT.usage)
    }
    return { version: Number(version), weight: Number(weight ?? 100) }
  })
}

export async function rollBackLabel(this: CliContext, flags: NoteFlags, name: string, label: string): Promise<void> {
  const { client, params } = await openPrompt(this, flags, name)
  const request = { params: { ...params, label }, body: noteOf(flags), signal: this.signal }
  printResource(this, flags, await client.request('POST', ROLLBACK, request))
}

async function openPrompt(context: CliContext, flags: Flags, name: string) {
  const { client, component } = await openSession(context, flags)
  const { id: componentId } = await component(flags.component)
  const { id: promptId } = await requirePrompt({ client, componentId, signal: context.signal }, name)
  return { client, params: { componentId, promptId } }
}

function noteOf({ note }: NoteFlags) {
  return note === undefined ? {} : { note }
}

function textOf(message: { role: string; content: string } | { placeholder: string }): string {
  return 'placeholder' in message ? `placeholder ${message.placeholder}` : `${message.role}: ${message.content}`
}
