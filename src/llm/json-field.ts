/** The value of a key of a JSON object; undefined if the value is not an object or has no such key. */
export function jsonField(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Reflect.get(value, key)
}
