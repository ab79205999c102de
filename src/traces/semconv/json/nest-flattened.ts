import type { Attributes, AttributeValue } from '../../storing/received-span.ts'
import { areEmptyMessages } from '../messages/empty-messages.ts'
import { type JsonObject, stringifyGuarded } from './guarded-json.ts'
import { unescapeJson } from './unescape-json.ts'

/** Deeper than any convention. The rest of a deeper, possibly hostile key stays one name. */
const SEGMENTS_MAX = 24

type Branch = { value: AttributeValue | undefined; children: Map<string, Branch> | undefined }

/**
 * Builds a structure from keys such as `llm.input_messages.0.message.role`: a list if all names are numbers, otherwise an object.
 * Segments in `dropped` are only wrappers and are excluded. Returns undefined if no key has the prefix.
 */
export function nestFlattened(attributes: Attributes, prefix: string, dropped: readonly string[] = []): unknown {
  const root: Branch = { value: undefined, children: undefined }
  for (const [key, value] of attributes) {
    if (!key.startsWith(prefix) || value === null || value === '') continue
    insert(root, pathOf(key, prefix, dropped), typeof value === 'string' ? unescapeJson(value) : value)
  }
  return root.children === undefined ? undefined : build(root)
}

/** The same as JSON, ready to be the text of a field. Messages with only a role count as empty. */
export function flattenedText(attributes: Attributes, prefix: string, dropped: readonly string[]) {
  const nested = nestFlattened(attributes, prefix, dropped)
  const text = nested === undefined || areEmptyMessages(nested) ? undefined : stringifyGuarded(nested)
  return text === undefined ? null : { text, key: null }
}

function insert(root: Branch, path: readonly string[], value: AttributeValue): void {
  let branch = root
  for (const name of path) branch = childOf(branch, name)
  branch.value = value
}

/** Senders reuse the same few hundred keys, and splitting them is most of the work. */
const knownPaths = new Map<string, readonly string[]>()
const KNOWN_PATHS_MAX = 4096
const KNOWN_KEY_CHARACTERS_MAX = 128

/** Callers always drop the same segments for a prefix, so the key alone determines the path. */
function pathOf(key: string, prefix: string, dropped: readonly string[]): readonly string[] {
  const known = knownPaths.get(key)
  if (known !== undefined) return known
  const segments = key.slice(prefix.length).split('.')
  // The last segment names the value and is never dropped.
  const last = segments.slice(SEGMENTS_MAX - 1).join('.') || (segments.pop() ?? '')
  const path = [...segments.slice(0, SEGMENTS_MAX - 1).filter((segment) => !dropped.includes(segment)), last]
  if (key.length <= KNOWN_KEY_CHARACTERS_MAX) {
    if (knownPaths.size >= KNOWN_PATHS_MAX) knownPaths.clear()
    knownPaths.set(key, path)
  }
  return path
}

function childOf(branch: Branch, name: string): Branch {
  branch.children ??= new Map()
  const known = branch.children.get(name)
  if (known !== undefined) return known
  const child = { value: undefined, children: undefined }
  branch.children.set(name, child)
  return child
}

function build({ value, children }: Branch): unknown {
  if (children === undefined) return value
  if (value === undefined && isList(children)) return buildList(children)
  const object: JsonObject = {}
  if (value !== undefined) object.value = value
  for (const [name, child] of children) {
    if (name !== '__proto__') object[name] = build(child)
    else Object.defineProperty(object, name, { value: build(child), ...OWN_PROPERTY })
  }
  return object
}

const OWN_PROPERTY = { writable: true, enumerable: true, configurable: true }

function buildList(children: ReadonlyMap<string, Branch>): unknown[] {
  const entries = [...children]
  // Senders write lists in order, so sorting is rarely needed.
  if (!entries.every(([index], place) => Number(index) === place)) entries.sort(([a], [b]) => Number(a) - Number(b))
  return entries.map(([, child]) => build(child))
}

function isList(children: ReadonlyMap<string, Branch>): boolean {
  for (const name of children.keys()) if (!isIndex(name)) return false
  return true
}

function isIndex(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 0x30 && first <= 0x39 && /^\d{1,9}$/.test(name)
}
