/** The tools of a prompt, in the form of any provider, as functions that can be sent to all of them. */
import { badRequest } from '../../base/errors.ts'
import type { Tool, ToolChoice } from '../../llm/chat.ts'

type Fields = Record<string, unknown>

/** Throws 400 for a tool that is no function, such as a search that only its provider can run. */
export function readTools(tools: readonly Fields[]): Tool[] {
  const read = tools.flatMap((tool, place) => functionsIn(tool).map((fields) => readFunction(fields, place)))
  const names = new Set<string>()
  for (const { name } of read) {
    if (names.has(name)) throw badRequest(`Two tools of the prompt have the name ${name}; rename one of them`)
    names.add(name)
  }
  return read
}

/** OpenAI has the function below the tool, or in it; Gemini has a list of them. */
function functionsIn(tool: Fields): Fields[] {
  const { functionDeclarations } = tool
  if (Array.isArray(functionDeclarations)) return functionDeclarations.map((fields) => Object(fields))
  const { type, function: own } = tool
  if (type === 'function' && typeof own === 'object' && own !== null) return [{ ...own }]
  return [tool]
}

const NAME = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/

function readFunction(fields: Fields, place: number): Tool {
  const { type = 'function', name, description, strict } = fields
  const at = `Tool ${place + 1} of the prompt`
  const isFunction = typeof name === 'string' && ['function', 'custom'].includes(String(type))
  if (!isFunction || 'format' in fields) {
    const kind = typeof type === 'string' && type !== 'function' ? type : Object.keys(fields).join(', ')
    throw badRequest(
      `${at} (${kind.slice(0, 100)}) is not a function, and only its provider can run it; remove it, or describe it with "name", "description" and "parameters"`,
    )
  }
  if (!NAME.test(name)) {
    throw badRequest(
      `${at} has the name ${JSON.stringify(name.slice(0, 100))}; use up to 128 letters, digits and _ . : -, beginning with a letter`,
    )
  }
  return {
    name,
    ...(typeof description === 'string' && { description }),
    parameters: readParameters(fields, at),
    ...(typeof strict === 'boolean' && { strict }),
  }
}

/** `input_schema` is Anthropic's, `inputSchema` that of the Model Context Protocol, and the others are Gemini's. */
const SCHEMAS = ['parameters', 'input_schema', 'inputSchema', 'parametersJsonSchema'] as const

function readParameters(fields: Fields, at: string): Fields {
  const [given] = SCHEMAS.map((key) => fields[key]).filter((schema) => schema !== undefined && schema !== null)
  if (given === undefined) return { type: 'object', properties: {} }
  if (typeof given !== 'object' || Array.isArray(given))
    throw badRequest(`The parameters of ${at.charAt(0).toLowerCase()}${at.slice(1)} must be a JSON Schema, an object`)
  return jsonSchemaOf({ ...given })
}

/** Gemini's own form of schemas has the names of types in capital letters. */
export function jsonSchemaOf(schema: Fields): Fields {
  const entries = Object.entries(schema).map(([key, value]) => {
    if (key === 'type' && typeof value === 'string') return [key, value.toLowerCase()]
    if (NAMED.has(key)) return [key, isObject(value) ? mapValues(value, nested) : value]
    return [key, LITERAL.has(key) ? value : nested(value)]
  })
  return Object.fromEntries(entries)
}

/** Their keys are names and not keywords. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
const LITERAL = new Set(['const', 'enum', 'default', 'examples', 'required', 'description', 'title'])

function nested(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nested)
  return isObject(value) ? jsonSchemaOf(value) : value
}

function mapValues(object: Fields, map: (value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]))
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** In the form of any provider. */
export function readToolChoice(choice: unknown, tools: readonly Tool[]): ToolChoice {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (choice === 'any') return 'required'
  const { type, name, function: own }: Fields = Object(choice)
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  const named = name ?? Object(own).name
  if (tools.some((tool) => tool.name === named)) return { name: String(named) }
  throw badRequest('The parameter toolChoice must be auto, none, required, or {"name": …} with the name of a tool')
}
