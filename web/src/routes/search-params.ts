/**
 * The query of an address as text, and the parameters that several pages have. Those of one page are next to it, or in the file of its route.
 *
 * The router merges what is read into the raw query. A missing key would let the unchecked text through, so every key is always present, and
 * undefined if the text is invalid.
 */
import { type Period, periods } from '../api/overview-query.ts'

/** The query of an address, before it is checked. */
export type Search = Record<string, unknown>

/** Query parameters are plain text in both directions: a device code of digits must not become a number. A repeated one is a list. */
export function parseSearch(text: string): Search {
  const params = new URLSearchParams(text)
  const search: Search = Object.fromEntries(params)
  for (const name of listParameters) if (params.has(name)) search[name] = params.getAll(name)
  return search
}

/** Parameters that a query may have several times. */
const listParameters = ['cand']

export function stringifySearch(search: Search): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined) params.append(name, String(one))
    }
  }
  return params.size > 0 ? `?${params}` : ''
}

/** `?new=true` opens the dialog that creates a resource. */
export function readNew(search: Search): { new: true | undefined } {
  return { new: search['new'] === 'true' || search['new'] === true ? true : undefined }
}

/** How far back the numbers of an overview go. */
export function readPeriod(search: Search): { period: Period | undefined } {
  return { period: periods.find((known) => known === search['period']) }
}

export function readId(value: unknown): string | undefined {
  const text = readText(value)
  return text && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : undefined
}

export function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
