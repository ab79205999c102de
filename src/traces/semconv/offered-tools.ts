import type { Attributes } from '../storing/received-span.ts'
import { asJsonObject, isJsonObject, type JsonObject } from './json/guarded-json.ts'
import { pickParameters } from './model-parameters.ts'

/** More than a model can choose from. Each name costs memory in the analysis. */
const NAMES_MAX = 1_000

/** The settings of a model call without the tools, and the names of the tools. */
export type CallSettings = { settings: Readonly<Record<string, unknown>>; offeredTools: string[] }

/** The settings under the names of the GenAI convention, sorted by name, so that equal settings have equal text. */
export function readCallSettings(attributes: Attributes, input: string | null): CallSettings {
  const picked = [...pickParameters(attributes)].map(([name, { value }]) => [name, value] as const)
  const settings = Object.fromEntries(picked.filter(([name]) => !TOOL_SETTINGS.includes(name)).sort(byName))
  const offered = picked.filter(([name]) => TOOL_SETTINGS.includes(name)).map(([, value]) => value)
  return { settings, offeredTools: namesOf(offered.length > 0 ? offered : toolsOfRequest(input)) }
}

/** `functions` is the former name of OpenAI. */
const TOOL_SETTINGS = ['tools', 'functions']

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/** Some senders send the whole request as the input, with the tools next to the messages. */
function toolsOfRequest(input: string | null): unknown[] {
  if (input === null || !input.startsWith('{') || !/"(?:tools|functions)"/.test(input)) return []
  const request = asJsonObject(input)
  return request === undefined ? [] : TOOL_SETTINGS.map((name) => request[name])
}

function namesOf(offered: unknown[]): string[] {
  const names = new Set<string>()
  for (const tools of offered) addNames(names, tools)
  return [...names].slice(0, NAMES_MAX)
}

/** A tool, a list of tools, or an object of tools by name. The parser has bounded the depth. */
function addNames(names: Set<string>, tools: unknown): void {
  if (typeof tools === 'string' && tools !== '') names.add(tools)
  else if (Array.isArray(tools)) for (const tool of tools) addNames(names, tool)
  else if (isJsonObject(tools)) addNamesOf(names, tools)
}

function addNamesOf(names: Set<string>, tool: JsonObject): void {
  const name = tool.name ?? tool.toolName
  if (typeof name === 'string' && name !== '') {
    names.add(name)
    return
  }
  const wrapper = WRAPPERS.find((candidate) => typeof tool[candidate] === 'object' && tool[candidate] !== null)
  if (wrapper !== undefined) addNames(names, tool[wrapper])
  else if (Object.values(tool).every(isJsonObject)) for (const key of Object.keys(tool)) names.add(key)
}

/** OpenAI nests the function in the tool, Bedrock its specification, Gemini a list of declarations; OpenInference wraps all of them. */
const WRAPPERS = [
  'function',
  'toolSpec',
  'functionDeclarations',
  'function_declarations',
  'json_schema',
  'tools',
  'tool',
]
