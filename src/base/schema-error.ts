/** Messages for what a JSON Schema rejects, for requests and for configurations. */

/** An error of the validator (Ajv). */
type SchemaError = {
  keyword: string
  /** A JSON Pointer to the invalid value. */
  instancePath: string
  params: Record<string, unknown>
  parentSchema?: Record<string, unknown> | undefined
}

/** The path of the invalid field below `root`, such as `traceIds[3]` or `config.gate`. */
export function invalidField({ keyword, instancePath, params }: SchemaError, root = ''): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') path.push(String(params['missingProperty']))
  if (keyword === 'additionalProperties') path.push(String(params['additionalProperty']).slice(0, 100))
  return path.reduce(
    (field, part) => (/^\d+$/.test(part) ? `${field}[${part}]` : field === '' ? part : `${field}.${part}`),
    root,
  )
}

/** What is wrong with the field, to be written after its path. */
export function violationOf({ keyword, params, parentSchema }: SchemaError): string {
  const { limit } = params
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not known'
    case 'type':
      return `must be ${typeNames(params['type'])}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`
    case 'maxItems':
      return `must have at most ${limit} entries`
    case 'uniqueItems':
      return `must not contain duplicates: ${equalEntries(params)} are equal`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'exclusiveMinimum':
      return `must be above ${limit}`
    case 'pattern':
      return parentSchema?.['format'] === 'uuid' || /\{8\}-/.test(String(params['pattern']))
        ? 'must be a UUID'
        : /@/.test(String(params['pattern']))
          ? 'must not be an e-mail address'
          : 'has an invalid format'
    case 'enum': {
      const { allowedValues } = params
      return `must be one of ${Array.isArray(allowedValues) ? allowedValues.join(', ') : 'the allowed values'}`
    }
    default:
      return 'is not valid'
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  null: 'null',
  array: 'an array',
  object: 'an object',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
}

function typeNames(type: unknown): string {
  const names: unknown[] = Array.isArray(type) ? type : String(type).split(',')
  return names.map((name) => TYPE_NAMES[String(name)] ?? String(name)).join(' or ')
}

/** Their places in ascending order; the validator reports them in any order. */
function equalEntries({ i, j }: Record<string, unknown>): string {
  return [Number(i), Number(j)]
    .sort((a, b) => a - b)
    .map((place) => `[${place}]`)
    .join(' and ')
}
