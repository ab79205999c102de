/** What stands under a key of a JSON object; undefined for everything else. */
export function jsonField(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Reflect.get(value, key)
}
