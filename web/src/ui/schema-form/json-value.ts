import type { FieldKind } from './json-schema.ts'

/** Whether the control of this kind can show the value; a config from elsewhere may have another one. */
export function fits(kind: FieldKind, value: unknown): boolean {
  switch (kind) {
    case 'text':
    case 'long-text':
    case 'choice':
      return typeof value === 'string'
    case 'number':
      return typeof value === 'number'
    case 'boolean':
      return typeof value === 'boolean'
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string')
    case 'span':
      return Array.isArray(value) && value.every((one) => typeof one === 'number' || one === null)
    case 'object':
      return isObject(value)
    case 'list':
      return Array.isArray(value) && value.every(isObject)
    default:
      return true
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Without a value the property is left out. The order of the others stays. */
export function withProperty(object: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  if (value !== undefined) return { ...object, [name]: value }
  const { [name]: _, ...others } = object
  return others
}
