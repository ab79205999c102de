/** `prompts` of a config: texts, chats as JSON or YAML, and the files that it names. https://www.promptfoo.dev/docs/configuration/prompts */
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { parse as parseCsv } from 'csv-parse/sync'
import { parse as parseYaml } from 'yaml'
import { type Fields, fieldsOf, isFields, shorten, textOf, tryParse } from '../source-values.ts'

/** A prompt as it is written, or the reason why it cannot be read. `name` is not yet in the form of a name. */
export type SourcePrompt = { name: string; config: unknown } & ({ text: string } | { reason: string })

interface Entry {
  raw: string
  label: string | undefined
  config: unknown
  /** Of a prompt without a label or a file. */
  defaultName: string
}

const TEXT_FILES = ['.txt', '.md', '.j2', '.json', '.jsonl', '.yaml', '.yml', '.csv']
const CODE_FILES = /\.(?:c|m)?[jt]s$|\.(?:py|sh|bash|exe|bat|cmd|ps1|rb|pl|go)$/
const WITH_SCHEME = /^(?!file:)[a-z][a-z0-9+.-]*:\/\//i

export async function readSourcePrompts(
  prompts: unknown,
  { folder, dataset }: { folder: string; dataset: string },
): Promise<SourcePrompt[]> {
  const found: SourcePrompt[] = []
  for (const [place, entry] of entriesOf(prompts).entries())
    found.push(...(await readEntry({ ...entry, defaultName: `${dataset}/prompt-${place + 1}` }, folder)))
  return found
}

/** A list, one text, or in old configs an object with labels by file. */
function entriesOf(prompts: unknown): Omit<Entry, 'defaultName'>[] {
  if (isFields(prompts) && !('raw' in prompts) && !('id' in prompts))
    return Object.entries(prompts).map(([raw, label]) => ({ raw, label: textOf(label), config: undefined }))
  const list = Array.isArray(prompts) ? prompts : prompts === undefined || prompts === null ? [] : [prompts]
  return list.map((one) => {
    const { raw, id, label, config } = fieldsOf(one)
    return { raw: textOf(one) ?? textOf(raw) ?? textOf(id) ?? '', label: textOf(label), config }
  })
}

async function readEntry({ raw, label, config, defaultName }: Entry, folder: string): Promise<SourcePrompt[]> {
  const shown = label ?? shorten(raw, 80)
  const failed = (reason: string): SourcePrompt[] => [{ name: shown, config, reason }]
  if (raw === '') return failed('it is a function or has no text')
  if (raw.startsWith('exec:')) return failed('it is the output of a program; push what it prints')
  if (WITH_SCHEME.test(raw)) return failed('it is stored in another service; import it from there')
  if (!isPath(raw)) return [{ name: label ?? defaultName, config, text: raw }]
  const path = raw.replace(/^file:\/\//, '')
  if (CODE_FILES.test(path.replace(/:[^:/\\]*$/, ''))) return failed('it is written by code; push what it returns')
  const files = await filesOf(path, folder)
  if ('reason' in files) return failed(files.reason)
  const read: SourcePrompt[] = []
  for (const file of files.paths) {
    const texts = await textsOf(resolve(folder, file))
    const name = label ?? file.replace(/^(?:\.{0,2}\/)+/, '').slice(0, -extname(file).length || undefined)
    if ('reason' in texts) read.push({ name, config, reason: texts.reason })
    else
      for (const [place, one] of texts.texts.entries())
        read.push({ config, ...named(one, { name, place, of: texts.texts }) })
  }
  return read
}

type FileText = { text: string; label?: string | undefined }

function named({ text, label }: FileText, { name, place, of }: { name: string; place: number; of: FileText[] }) {
  return { text, name: label ?? (of.length > 1 ? `${name}-${place + 1}` : name) }
}

/** As promptfoo decides it: a text without line breaks that begins with `file://`, or looks like a path. */
function isPath(raw: string): boolean {
  if (raw.startsWith('file://')) return true
  if (raw.includes('\n')) return false
  const ending = extname(raw.replace(/:[^:/\\]*$/, '')).toLowerCase()
  return TEXT_FILES.includes(ending) || (CODE_FILES.test(raw.replace(/:[^:/\\]*$/, '')) && !/\s/.test(raw))
}

/** The file, or those that match an asterisk in the last part of the path. */
async function filesOf(path: string, folder: string): Promise<{ paths: string[] } | { reason: string }> {
  if (!/[*?[{]/.test(path)) return { paths: [path] }
  const pattern = basename(path)
  const parent = dirname(path)
  if (/[*?[{]/.test(parent) || /[?[{]|\*\*/.test(pattern))
    return { reason: 'only * in the name of a file is read; name the files, or use touchstone prompts push' }
  const expression = new RegExp(`^${pattern.split('*').map(escapeExpression).join('.*')}$`)
  try {
    const names = (await readdir(resolve(folder, parent))).filter((name) => expression.test(name)).sort()
    return names.length > 0 ? { paths: names.map((name) => join(parent, name)) } : { reason: 'no file matches it' }
  } catch (error) {
    return unreadable(error)
  }
}

async function textsOf(file: string): Promise<{ texts: FileText[] } | { reason: string }> {
  const ending = extname(file).toLowerCase()
  if (!TEXT_FILES.includes(ending)) return { reason: `files ${ending || 'without an ending'} are not read` }
  try {
    return { texts: readTexts(await readFile(file, 'utf8'), ending) }
  } catch (error) {
    return unreadable(error)
  }
}

function readTexts(content: string, ending: string): FileText[] {
  const text = content.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')
  if (ending === '.txt') return parts(text)
  if (ending === '.jsonl') return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [{ text: line }]))
  if (ending === '.yaml' || ending === '.yml') return [{ text: JSON.stringify(parseYaml(text)) }]
  if (ending !== '.csv') return [{ text }]
  const rows: Fields[] = parseCsv(text, { columns: true, bom: true, skip_empty_lines: true })
  return rows.flatMap(({ prompt, label }) => (textOf(prompt) ? [{ text: String(prompt), label: textOf(label) }] : []))
}

/** Several prompts of a file are separated by lines of three hyphens. */
function parts(text: string): FileText[] {
  return text.split(/^[ \t]*---[ \t]*$/m).flatMap((part) => (part.trim() === '' ? [] : [{ text: part.trim() }]))
}

function unreadable(error: unknown): { reason: string } {
  return { reason: `it cannot be read: ${error instanceof Error ? error.message : error}` }
}

function escapeExpression(text: string): string {
  return text.replace(/[.+^${}()|[\]\\]/g, '\\$&')
}

/** The messages of a text that is a chat: a list as JSON, or as YAML that begins with a role. Undefined for other texts. */
export function chatIn(text: string): unknown[] | { reason: string } | undefined {
  const trimmed = text.trim()
  if (/^- *role:/.test(trimmed)) return asChat(() => parseYaml(trimmed))
  if (!/^\[\s*\{/.test(trimmed) && !/^\{[\s\S]*"(?:messages|role)"/.test(trimmed)) return undefined
  return asChat(() => tryParse(trimmed))
}

function asChat(parse: () => unknown): unknown[] | { reason: string } {
  try {
    const value = parse()
    if (Array.isArray(value)) return value
    return { reason: 'it is no list of messages before its variables are replaced' }
  } catch (error) {
    return unreadable(error)
  }
}
