import { hasStatus } from '../../api/api-error.ts'
import type { FieldError } from '../../ui/schema-form/json-schema.ts'

/** The key of the config that a message of the server names: "config.evaluators[1].maxMs must be above 0". */
export function configError(error: unknown): FieldError | undefined {
  if (!hasStatus(error, 400)) return undefined
  const [, keys, rest] = /^config\.([\w.[\]]+?)[.:]? (.*)$/s.exec(error.message) ?? []
  if (keys === undefined || rest === undefined) return undefined
  const path = [...keys.matchAll(/[^.[\]]+/g)].map(([key]) => (/^\d+$/.test(key) ? Number(key) : key))
  return { path, message: `${rest[0]?.toUpperCase() ?? ''}${rest.slice(1)}` }
}

/** The error of one evaluator, with a path below it. */
export function evaluatorError(error: FieldError | undefined, index: number): FieldError | undefined {
  const [key, place, ...path] = error?.path ?? []
  return error && key === 'evaluators' && place === index ? { path, message: error.message } : undefined
}

/** The error of one key of the config. */
export function keyError(error: FieldError | undefined, key: string): string | undefined {
  return error?.path[0] === key ? error.message : undefined
}
