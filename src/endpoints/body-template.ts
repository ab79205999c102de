/**
 * Templates of request bodies: JSON in whose strings `{{input}}` and `{{input.a.b}}` are replaced with the input of an item or a part of
 * it. A string that is one placeholder becomes the value itself, with its type. Within a longer string, a text is inserted as it is and
 * every other value as JSON. What is inserted is no template, and neither are the names of fields.
 */
import { badRequest } from '../base/errors.ts'
import { firstNames } from '../base/text.ts'
import { childOf } from './child-of.ts'
import { describeValue } from './describe-value.ts'

/** Of all inserted values together: a template that names a long input a thousand times must not fill the memory. */
export const INSERTED_LENGTH_MAX = 4_194_304
const MISSING_MAX = 5

/** Inner braces are no part of a placeholder, so no text is searched twice. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g
const PATH = /^input(\.[^.]+)*$/

/** The paths in a template, each once, in the order of their first use. Throws 400 for a placeholder that is not a path of the input. */
export function pathsIn(template: unknown): string[] {
  const paths = new Set<string>()
  for (const text of textsIn(template)) {
    for (const [placeholder, inner = ''] of text.matchAll(PLACEHOLDER)) {
      const path = inner.trim()
      if (!PATH.test(path)) {
        throw badRequest(
          `The body has ${placeholder}, but a placeholder must be {{input}} or a part of it, such as {{input.question}}`,
        )
      }
      paths.add(path)
    }
  }
  return [...paths]
}

/** The paths of the template that the input does not have. */
export function missingPaths(template: unknown, input: unknown): string[] {
  return pathsIn(template).filter((path) => !lookUp(input, path).isFound)
}

/** Throws 400 that names what the input does not have. */
export function renderBody(template: unknown, input: unknown): unknown {
  const values = new Map(pathsIn(template).map((path) => [path, lookUp(input, path)]))
  rejectMissing(values)
  let inserted = 0
  const valueAt = (path: string): unknown => {
    const found = values.get(path)
    if (!found?.isFound) throw new Error(`${path} was not looked up`)
    inserted += found.length
    if (inserted > INSERTED_LENGTH_MAX) {
      throw badRequest(`The values that the body takes from the input exceed ${INSERTED_LENGTH_MAX / 1_048_576} MiB`)
    }
    return found.value
  }

  function render(part: unknown): unknown {
    if (typeof part === 'string') return renderText(part)
    if (Array.isArray(part)) return part.map(render)
    if (typeof part !== 'object' || part === null) return part
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, render(value)]))
  }

  function renderText(text: string): unknown {
    const [first] = text.matchAll(PLACEHOLDER)
    if (first?.[0] === text) return valueAt(String(first[1]).trim())
    return text.replace(PLACEHOLDER, (_, inner: string) => {
      const value = valueAt(inner.trim())
      return typeof value === 'string' ? value : JSON.stringify(value)
    })
  }

  return render(template)
}

type LookedUp = { isFound: true; value: unknown; length: number } | { isFound: false; at: string; value: unknown }

function lookUp(input: unknown, path: string): LookedUp {
  const [root = '', ...names] = path.split('.')
  let value = input
  let at = root
  if (value === undefined) return { isFound: false, at, value }
  for (const name of names) {
    const child = childOf(value, name)
    if (!child) return { isFound: false, at, value }
    value = child.value
    at += `.${name}`
  }
  return { isFound: true, value, length: typeof value === 'string' ? value.length : JSON.stringify(value).length }
}

function rejectMissing(values: ReadonlyMap<string, LookedUp>): void {
  const missing = [...values].flatMap(([path, found]) => (found.isFound ? [] : [{ path, ...found }]))
  const [first] = missing
  if (!first) return
  const paths = missing.map(({ path }) => path)
  const contents = first.value === undefined ? 'there is no input' : `${first.at} is ${describeValue(first.value)}`
  throw badRequest(`The input has no value for ${firstNames(paths, MISSING_MAX)}: ${contents}`)
}

function* textsIn(part: unknown): Generator<string> {
  if (typeof part === 'string') yield part
  else if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) yield* textsIn(inner)
}
