/** Prompts as Markdown files: settings in the front matter, and below it a heading for each message. */
import { isDeepStrictEqual } from 'node:util'
import { parseDocument, stringify } from 'yaml'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-code-values.ts'

type Message = { role: string; content: string } | { placeholder: string }

export interface PromptFile {
  name: string | undefined
  note: string | undefined
  /** As the API expects it. The server checks it. */
  content: Record<string, unknown>
}

const SETTINGS = ['model', 'provider', 'parameters', 'tools', 'responseFormat', 'messages'] as const
const FRONT_MATTER = /^---\n([\s\S]*?)(?:^|\n)---[ \t]*(?:\n|$)/
const HEADING = /^# (?:(system|developer|user|assistant)|placeholder ([A-Za-z_][A-Za-z0-9_]*))[ \t]*$/
/** A line of a message that is or was a heading of this kind: a backslash more or less. */
const ESCAPABLE = /^\\*(?=# (?:(?:system|developer|user|assistant)|placeholder [A-Za-z_][A-Za-z0-9_]*)[ \t]*$)/

/** Throws what is wrong with the file. */
export function parsePromptFile(text: string, path: string): PromptFile {
  const fail = (message: string) => new CliError(`${path}: ${message}`, EXIT.usage)
  const source = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const [matter = '', yaml = ''] = FRONT_MATTER.exec(source) ?? []
  const settings = readYaml(yaml, fail)
  const known = new Set<string>(['name', 'note', ...SETTINGS])
  for (const key of Object.keys(settings))
    if (!known.has(key)) throw fail(`the front matter has no field ${key}; it has ${[...known].join(', ')}.`)
  const { name, note, messages: listed, ...content } = settings
  for (const [field, value] of Object.entries({ name, note }))
    if (value !== undefined && value !== null && typeof value !== 'string') throw fail(`${field} must be a text.`)
  const messages = readMessages(source.slice(matter.length), fail)
  if (listed !== undefined && messages.length > 0)
    throw fail('messages are either in the front matter or below it, and not in both.')
  if (listed === undefined && messages.length === 0)
    throw fail('there is no message. Begin each with a line such as "# system", "# user" or "# placeholder history".')
  return { name: textOf(name), note: textOf(note), content: { ...content, messages: listed ?? messages } }
}

/** The file of a version. What is the default is not written. */
export function formatPromptFile({
  name,
  content,
}: {
  name: string
  content: { messages: Message[] } & Record<string, unknown>
}): string {
  const { messages, ...settings } = content
  const written = Object.entries(settings).filter(([, value]) => !isDefault(value))
  const fields = { name, ...Object.fromEntries(written) }
  const body = messages.map(formatMessage).join('\n')
  const file = `---\n${formatYaml(fields)}---\n\n${body}`
  // White space at the ends of a message and carriage returns do not survive as Markdown.
  const isSame = isDeepStrictEqual(parsePromptFile(file, name).content['messages'], messages)
  return isSame ? file : `---\n${formatYaml({ ...fields, messages })}---\n`
}

/** A text with several lines is one line with escapes: blocks lose white space at the ends of lines. */
function formatYaml(fields: object): string {
  const doubleQuotedMinMultiLineLength = Number.POSITIVE_INFINITY
  return stringify(fields, { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength })
}

function readYaml(yaml: string, fail: (message: string) => Error): Record<string, unknown> {
  const document = parseDocument(yaml, { prettyErrors: false, uniqueKeys: true })
  const [error] = document.errors
  if (error) throw fail(`the front matter is not YAML: ${error.message}`)
  const settings: unknown = document.toJS() ?? {}
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
    throw fail('the front matter must have fields such as model.')
  return { ...settings }
}

function readMessages(body: string, fail: (message: string) => Error): Message[] {
  const messages: { heading: RegExpExecArray; lines: string[] }[] = []
  for (const line of body.split('\n')) {
    const heading = HEADING.exec(line)
    const last = messages.at(-1)
    if (heading) messages.push({ heading, lines: [] })
    else if (last) last.lines.push(line.replace(ESCAPABLE, (marks) => marks.slice(1)))
    else if (line.trim() !== '') throw fail(`the text "${line.slice(0, 40)}" is in no message.`)
  }
  return messages.map(({ heading: [line, role, placeholder], lines }) => {
    const content = lines
      .join('\n')
      .replace(/^(?:[ \t]*\n)+/, '')
      .trimEnd()
    if (placeholder === undefined) return { role: role ?? '', content }
    if (content !== '') throw fail(`there is text below "${line}", which stands for other messages.`)
    return { placeholder }
  })
}

function formatMessage(message: Message): string {
  if ('placeholder' in message) return `# placeholder ${message.placeholder}\n`
  const lines = message.content.split('\n').map((line) => line.replace(ESCAPABLE, (marks) => `\\${marks}`))
  return `# ${message.role}\n\n${lines.join('\n')}\n`
}

function isDefault(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
