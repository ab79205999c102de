import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { CliContext, CommonFlags } from '../cli-context.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'
import { printList } from '../print-resource.ts'
import { findNewestVersion, findPrompt } from '../prompts/find-prompt.ts'
import { formatPromptFile, type PromptFile, parsePromptFile } from '../prompts/prompt-file.ts'
import { promptFileNames } from '../prompts/prompt-file-names.ts'
import { readInput } from '../read-input.ts'
import { openSession, type Session } from '../session.ts'

const PROMPTS = '/components/{componentId}/prompts'
const VERSIONS = '/components/{componentId}/prompts/{promptId}/versions'
const VERSION = '/components/{componentId}/prompts/{promptId}/versions/{number}'
const LABELS = '/components/{componentId}/prompts/{promptId}/labels'

type Flags = CommonFlags & { component?: string; label?: string }
type Scope = { client: Session['client']; componentId: string; signal: AbortSignal }
type NamedFile = PromptFile & { name: string; file: string }

/** Saves a version of each file. All files are read first: if one of them is invalid, nothing is saved. */
export async function pushPrompts(
  this: CliContext,
  flags: Flags & { note?: string },
  ...files: string[]
): Promise<void> {
  const read: NamedFile[] = []
  for (const file of files) {
    const prompt = parsePromptFile((await readInput(this, file)).toString('utf8'), file)
    const name = prompt.name ?? basename(file, extname(file))
    const other = read.find((one) => one.name === name)
    if (other)
      throw new CliError(
        `${other.file} and ${file} are both the prompt ${name}. Give one of them another name in its front matter.`,
        EXIT.usage,
      )
    read.push({ ...prompt, name, file })
  }
  const { client, component } = await openSession(this, flags)
  const { id: componentId } = await component(flags.component)
  const entries: Awaited<ReturnType<typeof pushPrompt>>[] = []
  try {
    for (const prompt of read)
      entries.push(await pushPrompt({ client, componentId, signal: this.signal }, flags, prompt))
  } finally {
    // If the server rejects one, those before it are saved.
    if (entries.length > 0 || read.length === 0)
      printList(this, flags, { entries, columns: ['file', 'name', 'version', 'result', 'labels'] })
  }
}

async function pushPrompt(
  { client, componentId, signal }: Scope,
  flags: { label?: string; note?: string },
  { name, file, content, ...prompt }: NamedFile,
) {
  // What is written on the command line is of this moment, and the file may be older.
  const note = flags.note ?? prompt.note
  const { id: promptId } =
    (await findPrompt({ client, componentId, signal }, name)) ??
    (await client.request('POST', PROMPTS, { params: { componentId }, body: { name }, signal }))
  const params = { componentId, promptId }
  const newest = await findNewestVersion({ client, componentId, signal }, promptId)
  // The server checks what the file contains.
  const body = {
    content: content as { messages: [] },
    ...(note !== undefined && { note }),
    ...(flags.label !== undefined && { labels: [flags.label] }),
  }
  const { number, labels } = await client.request('POST', VERSIONS, { params, body, signal })
  const result = number > (newest ?? 0) ? 'created' : 'unchanged'
  return { file, name, version: number, result, labels }
}

/** Writes a file for each prompt. */
export async function pullPrompts(
  this: CliContext,
  flags: Flags & { folder?: string },
  ...names: string[]
): Promise<void> {
  const { client, component } = await openSession(this, flags)
  const { id: componentId } = await component(flags.component)
  const { signal, terminal } = this
  const prompts = await client.list(PROMPTS, { params: { componentId }, signal }).toArray()
  const unknown = names.find((name) => !prompts.some((prompt) => prompt.name === name))
  if (unknown !== undefined)
    throw new CliError(
      `The component has no prompt named "${unknown}". Run touchstone prompts list to see its prompts.`,
      EXIT.notFound,
    )
  // Of all prompts, so that a file does not depend on which of them are pulled.
  const files = promptFileNames(prompts)
  const entries: { file: string; name: string; version: number }[] = []
  for (const { id: promptId, name } of prompts) {
    if (names.length > 0 && !names.includes(name)) continue
    const number = await chooseNumber({ client, componentId, signal }, promptId, flags.label)
    if (number === undefined) {
      terminal.message(
        `${name} has no ${flags.label === undefined ? 'version' : `label ${flags.label}`}, so no file was written.`,
      )
      continue
    }
    const params = { componentId, promptId, number: String(number) }
    const { content } = await client.request('GET', VERSION, { params, signal })
    const { parts, reason } = files.get(name) ?? { parts: [], reason: undefined }
    if (parts.length === 0)
      throw new CliError(
        `The prompt ${name} cannot be written, because its name is no name of a file. Pull the others by their names.`,
        EXIT.unexpected,
      )
    const file = join(flags.folder ?? 'prompts', ...parts)
    if (reason !== undefined) terminal.message(`${name} is written to ${file}, because ${reason}.`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, formatPromptFile({ name, content }))
    entries.push({ file, name, version: number })
  }
  printList(this, flags, { entries, columns: ['file', 'name', 'version'] })
}

/** The newest version, or the one with the largest weight of a label. */
async function chooseNumber({ client, componentId, signal }: Scope, promptId: string, label: string | undefined) {
  const params = { componentId, promptId }
  if (label === undefined) return findNewestVersion({ client, componentId, signal }, promptId)
  const { data } = await client.request('GET', LABELS, { params, signal })
  const splits = data.find(({ name }) => name === label)?.splits ?? []
  return [...splits].sort((a, b) => b.weight - a.weight)[0]?.version
}
