import type { ErrorObject } from 'ajv'
import { keyStep } from './compare-json.ts'

/** Formats a validation error as a message that starts with the path. */
export function schemaProblem(error: ErrorObject | undefined, root: string): string {
  if (!error) return 'it does not fit the schema'
  const steps = error.instancePath.split('/').slice(1)
  const place = steps.reduce((path, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return `${path}${/^\d+$/.test(key) ? `[${key}]` : keyStep(key)}`
  }, root)
  return `${place} ${complaint(error)}`
}

function complaint({ keyword, params, message = 'does not fit the schema' }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return `lacks ${String(params.missingProperty).slice(0, 100)}`
    case 'additionalProperties':
      return `has ${String(params.additionalProperty).slice(0, 100)}, which is not known`
    case 'unevaluatedProperties':
      return `has ${String(params.unevaluatedProperty).slice(0, 100)}, which is not known`
    case 'enum':
      return `must be one of ${JSON.stringify(params.allowedValues).slice(1, -1).slice(0, 200)}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue).slice(0, 200)}`
    default:
      return message.slice(0, 300)
  }
}
