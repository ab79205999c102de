/** The field of an object or the value of a list by its index, which has no leading zeros; undefined if there is none. */
export function childOf(value: unknown, name: string): { value: unknown } | undefined {
  if (Array.isArray(value)) {
    return /^(0|[1-9][0-9]*)$/.test(name) && Number(name) < value.length ? { value: value[Number(name)] } : undefined
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return { value: Reflect.get(value, name) }
}
