/** More than any question and answer; a larger value would push the other spans out of their batch. */
const LENGTH_MAX = 1_000_000

/** A value as the text of an attribute: texts as they are, everything else as JSON. Undefined if there is nothing to show. Never throws. */
export function attributeText(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : jsonText(value)
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value, replacer()) ?? String(value)
  } catch {
    // A getter or toJSON of the value has failed: the observed function must not fail with it.
    return '[not serializable]'
  }
}

/** Replaces what JSON does not have, and objects that contain themselves. */
function replacer() {
  const ancestors: object[] = []
  return function (this: unknown, _key: string, value: unknown): unknown {
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Error) return `${value.name}: ${value.message}`
    if (value instanceof Map) return Object.fromEntries(value)
    if (value instanceof Set) return [...value]
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    // `this` is the object that contains the value: everything after it is no ancestor.
    while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop()
    if (ancestors.includes(value)) return '[circular]'
    ancestors.push(value)
    return value
  }
}
