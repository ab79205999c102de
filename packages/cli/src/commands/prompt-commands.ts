import type { CliContext, CommonFlags } from '../cli-context.ts'
import { escapeLine, escapeLines, printableJson } from '../output/escape-text.ts'
import { printList, printResource } from '../print-resource.ts'
import { requirePrompt } from '../prompts/find-prompt.ts'
import { openSession } from '../session.ts'

const PROMPTS = '/components/{componentId}/prompts'
const DIFF = '/components/{componentId}/prompts/{promptId}/diff'
const LABEL = '/components/{componentId}/prompts/{promptId}/labels/{label}'
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

/** A line for each text that differs, with - and + as in other diffs. */
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
  const print = (sign: '-' | '+' | ' ', text: string) => {
    const color = sign === '-' ? 'red' : sign === '+' ? 'green' : 'dim'
    for (const line of text.split('\n')) terminal.data(`${terminal.paint(color, `${sign} ${escapeLines(line)}`)}\n`)
  }
  for (const { change, before, after } of diff.messages) {
    if (change === 'same') continue
    if (before) print('-', textOf(before))
    if (after) print('+', textOf(after))
  }
  for (const { name: field, before, after } of diff.parameters) {
    print('-', `${escapeLine(field)}: ${JSON.stringify(before)}`)
    print('+', `${escapeLine(field)}: ${JSON.stringify(after)}`)
  }
}

export async function setLabel(
  this: CliContext,
  flags: NoteFlags & { evidence?: GivenEvidence },
  name: string,
  label: string,
  version: number,
): Promise<void> {
  const { client, params } = await openPrompt(this, flags, name)
  const { evidence } = flags
  const body = { splits: [{ version, weight: 100 }], ...noteOf(flags), ...(evidence && { evidence }) }
  const moved = await client.request('PUT', LABEL, { params: { ...params, label }, body, signal: this.signal })
  printResource(this, flags, moved)
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
