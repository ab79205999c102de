import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js'
import openapi from '../../openapi.json?raw'
import { authPaths } from './auth-description.ts'
import type { Operation, Schema } from './openapi-types.ts'

interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const description: Description = JSON.parse(openapi)
// As in test/harness/description-check.ts.
const quickly = { inlineRefs: false, meta: false, validateSchema: false, code: { optimize: false } }
const options: Options = { strict: false, allErrors: true, validateFormats: false, ...quickly }
const validators = { exact: new Ajv2020(options), fromText: new Ajv2020({ ...options, coerceTypes: true }) }
for (const ajv of Object.values(validators)) ajv.addSchema({ $id: 'api', components: description.components })
/** By their text: most responses are the same error. */
const compiled = new Map<string, ValidateFunction>()

export const operations = [
  ...listOperations('/api/v1', description.paths),
  ...listOperations('', authPaths),
  // '/members/me' comes before '/members/{userId}'.
].sort((one, other) => one.parameterNames.length - other.parameterNames.length)

export type DescribedOperation = (typeof operations)[number]

function listOperations(prefix: string, paths: Record<string, Record<string, Operation>>) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => /^(get|post|put|patch|delete)$/.test(method))
      .map(([method, operation]) => ({
        ...operation,
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        parameterNames: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
        pattern: new RegExp(`^${prefix}${path.replace(/\{\w+\}/g, '([^/]+)')}$`),
      })),
  )
}

/**
 * What is wrong with a value; undefined if it matches. 'fromText' is for the parts of an address, which are all text; it
 * turns numbers into numbers in `value` itself.
 */
export function findMismatch(schema: Schema, value: unknown, ajv: keyof typeof validators = 'exact') {
  // References lead to the components of the description, which have a name of their own in the validator.
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/')
  const validate = compiled.get(`${ajv} ${text}`) ?? validators[ajv].compile(JSON.parse(text))
  compiled.set(`${ajv} ${text}`, validate)
  return validate(value) ? undefined : validators[ajv].errorsText(validate.errors, { dataVar: 'it' })
}

/** A minimal resource of the description. The caller names its type. */
export function exampleOf<Resource>(name: string): Resource {
  return JSON.parse(JSON.stringify(buildExample({ $ref: `#/components/schemas/${name}` })))
}

/** The smallest value that matches: no optional fields, empty lists, null where it is allowed. */
export function buildExample(schema: Schema): unknown {
  if (schema.$ref) return buildExample(findSchema(schema.$ref))
  if (schema.enum) return schema.enum[0]
  if (schema.anyOf) return buildExample(schema.anyOf[0] ?? {})
  const types = [schema.type].flat()
  if (types.includes('null')) return null
  if (types.includes('array'))
    return Array.from({ length: schema.minItems ?? 0 }, () => buildExample(schema.items ?? {}))
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 0
  if (types.includes('boolean')) return false
  if (types.includes('string')) return examplesOfFormats[schema.format ?? ''] ?? 'text'
  const names = schema.required ?? []
  return Object.fromEntries(names.map((name) => [name, buildExample(schema.properties?.[name] ?? {})]))
}

const examplesOfFormats: Record<string, string> = {
  uuid: '01890000-0000-7000-8000-000000000000',
  'date-time': '2026-01-02T03:04:05.678Z',
}

function findSchema(reference: string): Schema {
  const schema = description.components.schemas[reference.replace('#/components/schemas/', '')]
  if (!schema) throw new Error(`The description has no ${reference}`)
  return schema
}
