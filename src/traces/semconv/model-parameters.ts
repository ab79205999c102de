import { quoteText } from '../../base/json.ts'
import type { Attributes, ReceivedSpan } from '../storing/received-span.ts'
import { asJsonObject, type JsonObject, parseGuarded } from './json/guarded-json.ts'
import { nestFlattened } from './json/nest-flattened.ts'
import { findParameterSource, snakeCase } from './parameter-names.ts'

type PickedParameter = { rank: number; key: string; value: unknown }

/** The best value of each setting by name, with its key or key prefix. */
export type PickedParameters = ReadonlyMap<string, PickedParameter>

/** The settings of a model call and its tools, under the names of the GenAI convention. Has no prototype. */
export function mapModelParameters({ attributes }: Pick<ReceivedSpan, 'attributes'>): Record<string, unknown> {
  return asObject(pickParameters(attributes))
}

function asObject(picked: PickedParameters): JsonObject {
  const parameters: JsonObject = Object.create(null)
  for (const [name, { value }] of picked) parameters[name] = value
  return parameters
}

/** The same as JSON text, without an object in between. */
export function parametersJson(picked: PickedParameters): string {
  let json = ''
  for (const [name, { value }] of picked) {
    // An object has the names that are numbers first.
    if (STARTS_WITH_DIGIT.test(name)) return JSON.stringify(asObject(picked))
    const separator = json === '' ? '' : ','
    json += `${separator}${quoteText(name)}:${JSON.stringify(value)}`
  }
  return `{${json}}`
}

const STARTS_WITH_DIGIT = /^\d/

export function pickParameters(attributes: Attributes): PickedParameters {
  const best = new Map<string, PickedParameter>()
  const readTogether = new Set<string>()
  const offer = (name: string, offered: PickedParameter) => {
    const other = best.get(name)
    if (isMissing(offered.value) || (other && other.rank <= offered.rank)) return
    best.set(name, offered)
  }
  for (const [key, value] of attributes) {
    const source = findParameterSource(key)
    if (source === undefined) continue
    const { form, rank, name } = source
    if (form === 'object') {
      for (const [setting, entry] of Object.entries(asJsonObject(value) ?? {})) {
        offer(snakeCase(setting), { rank, key, value: entry })
      }
    } else if (form === 'tools') {
      // Once for all keys of the list, even if another source wins: each read iterates over all attributes.
      if (readTogether.has(name)) continue
      readTogether.add(name)
      offer('tools', { rank, key: name, value: readTools(nestFlattened(attributes, name, ['tool'])) })
    } else offer(name, { rank, key, value: name === 'tools' ? readTools(value) : readSetting(value) })
  }
  return best
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function readSetting(value: unknown): unknown {
  return typeof value === 'string' ? (parseGuarded(value) ?? value) : value
}

/** A list of tools; each tool may be JSON. */
function readTools(value: unknown): unknown {
  const tools = readSetting(value)
  return Array.isArray(tools) ? tools.map(readTool) : tools
}

function readTool(tool: unknown): unknown {
  const read = readSetting(tool)
  const schema = asJsonObject(read)?.json_schema
  return schema === undefined ? read : readSetting(schema)
}
