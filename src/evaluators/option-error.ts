import type { ErrorObject } from 'ajv'

const KIND_WORDS: Record<string, string> = {
  string: 'a text',
  null: 'null',
  array: 'a list',
  object: 'an object',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
}

/** Formats an invalid option as a message that starts with its key: `config.evaluators[2].pattern must be a text`. */
export function optionError(error: ErrorObject | undefined, key: string): string {
  if (!error) return `${key} is not valid`
  const steps = error.instancePath.split('/').slice(1)
  const path = steps.reduce((at, step) => (/^\d+$/.test(step) ? `${at}[${step}]` : `${at}.${step}`), key)
  return `${path}${complaint(error)}`
}

function complaint({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return `.${params.missingProperty} is required`
    case 'additionalProperties':
      return `.${String(params.additionalProperty).slice(0, 100)} is not known`
    case 'type':
      return ` must be ${kinds(params.type)}`
    case 'minLength':
      return params.limit === 1 ? ' must not be empty' : ` must have at least ${params.limit} characters`
    case 'maxLength':
      return ` must have at most ${params.limit} characters`
    case 'minItems':
      return params.limit === 1 ? ' must have at least one entry' : ` must have at least ${params.limit} entries`
    case 'maxItems':
      return ` must have at most ${params.limit} entries`
    case 'uniqueItems':
      return ` has the same entry twice, at ${placesOf(params)}`
    case 'minimum':
      return ` must be at least ${params.limit}`
    case 'maximum':
      return ` must be at most ${params.limit}`
    case 'exclusiveMinimum':
      return ` must be above ${params.limit}`
    case 'enum':
      return ` must be one of ${Array.isArray(params.allowedValues) ? params.allowedValues.join(', ') : 'a few words'}`
    default:
      return ` ${message ?? 'is not valid'}`
  }
}

/** Formats both positions in ascending order, such as `[0] and [3]`; the validator reports them in any order. */
function placesOf({ i, j }: ErrorObject['params']): string {
  return [Number(i), Number(j)]
    .sort((a, b) => a - b)
    .map((place) => `[${place}]`)
    .join(' and ')
}

function kinds(type: unknown): string {
  const names: unknown[] = Array.isArray(type) ? type : String(type).split(',')
  return names.map((name) => KIND_WORDS[String(name)] ?? String(name)).join(' or ')
}
