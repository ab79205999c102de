import { isJsonObject, type JsonObject } from './guarded-json.ts'

/** Reads an object property by property and tracks which properties were not read, so that no data is lost. */
export type JsonCursor = {
  /** The first of these that is a non-empty text. */
  text: (...names: string[]) => string | undefined
  /** The first of these that exists and is not null. */
  any: (...names: string[]) => unknown
  /** The unread properties, to be spread into a message or a part; empty if all were read. */
  rest: () => { extra?: JsonObject }
}

/** `known` names the properties that the caller has already read. */
export function readFrom(object: JsonObject, known: readonly string[] = []): JsonCursor {
  const used = [...known]
  return {
    text: (...names) => {
      for (const name of names) {
        const value = Object.hasOwn(object, name) ? object[name] : undefined
        if (typeof value !== 'string' || value === '') continue
        used.push(name)
        return value
      }
      return undefined
    },
    any: (...names) => {
      for (const name of names) {
        const value = Object.hasOwn(object, name) ? object[name] : undefined
        if (value === null || value === undefined) continue
        used.push(name)
        return value
      }
      return undefined
    },
    rest: () => {
      const left = Object.keys(object).filter((name) => !used.includes(name) && !isEmpty(object[name]))
      return left.length > 0 ? { extra: Object.fromEntries(left.map((name) => [name, object[name]])) } : {}
    },
  }
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (typeof value === 'object' && Object.keys(value).length === 0)
}

/** Moves the content of wrapping properties up into the object. Returns undefined if names would conflict. */
export function unwrap(object: JsonObject, wrappers: readonly string[]): JsonObject | undefined {
  let current = object
  // OpenInference nests an image in an image in a part.
  for (let round = 0; round < 3; round += 1) {
    const wrapper = wrappers.find((name) => Object.hasOwn(current, name) && isJsonObject(current[name]))
    const inner = wrapper === undefined ? undefined : current[wrapper]
    if (wrapper === undefined || !isJsonObject(inner)) return current
    const outer = Object.entries(current).filter(([name]) => name !== wrapper)
    if (outer.some(([name]) => Object.hasOwn(inner, name))) return undefined
    current = Object.fromEntries([...outer, ...Object.entries(inner)])
  }
  return current
}
