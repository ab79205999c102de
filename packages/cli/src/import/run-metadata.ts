import { fieldsOf } from './source-values.ts'

/** The metadata of a run has no nested values: they become JSON. */
export function runMetadata(value: unknown): Record<string, string | number | boolean> {
  const plain: Record<string, string | number | boolean> = {}
  for (const [key, field] of Object.entries(fieldsOf(value))) {
    if (typeof field === 'string' || typeof field === 'number' || typeof field === 'boolean') plain[key] = field
    else if (field !== null) plain[key] = JSON.stringify(field)
  }
  return plain
}
