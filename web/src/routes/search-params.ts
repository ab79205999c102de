import { type Period, periods } from '../api/overview-query.ts'
import type { TraceListSort } from '../api/trace-list-query.ts'
import { type ComponentPart, componentParts, readLocalPath } from '../path-builder.ts'

type Search = Record<string, unknown>

/** Query parameters are plain text in both directions: a device code of digits must not become a number. */
export function parseSearch(text: string): Search {
  return Object.fromEntries(new URLSearchParams(text))
}

export function stringifySearch(search: Search): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined) params.set(name, String(value))
  }
  return params.size > 0 ? `?${params}` : ''
}

// The router merges these results into the raw query. A missing key would let the unchecked text through, so every key
// is always present, and undefined if the text is invalid.

/** `?new=true` opens the dialog that creates a resource. */
export function readNew(search: Search): { new: true | undefined } {
  return { new: search['new'] === 'true' || search['new'] === true ? true : undefined }
}

/** `?next=/path` is the page after signing in; anything but a path of this origin is ignored. */
export function readNext(search: Search): { next: string | undefined } {
  return { next: readLocalPath(search['next']) }
}

export function readUserCode(search: Search): { user_code: string | undefined } {
  return { user_code: readText(search['user_code']) }
}

/** `?tab=runs` is the former address of a part of a component. */
export function readTab(search: Search): { tab: ComponentPart | undefined } {
  return { tab: componentParts.find((known) => known === search['tab']) }
}

/** How far back the numbers of an overview go. */
export function readPeriod(search: Search): { period: Period | undefined } {
  return { period: periods.find((known) => known === search['period']) }
}

export interface TraceListSearch {
  q: string | undefined
  sort: TraceListSort | undefined
  /** Names of the visible columns, separated by commas. */
  cols: string | undefined
  from: string | undefined
  to: string | undefined
  /** The trace in the panel next to the list. */
  trace: string | undefined
}

/** The whole view of the list of traces, so that an address shows others the same. */
export function readTraceList(search: Search): TraceListSearch {
  return {
    q: readText(search['q']),
    sort: traceSorts.find((sort) => sort === search['sort']),
    cols: readText(search['cols']),
    from: readText(search['from']),
    to: readText(search['to']),
    trace: readText(search['trace']),
  }
}

const traceSorts: TraceListSort[] = ['time', '-time', 'duration', '-duration', 'cost', '-cost', 'tokens', '-tokens']

/** The selected span of a trace, and how its spans are shown. */
export function readTraceView(search: Search): { span: string | undefined; view: TraceView | undefined } {
  return { span: readText(search['span']), view: traceViews.find((view) => view === search['view']) }
}

const traceViews = ['tree', 'timeline', 'messages'] as const

export type TraceView = (typeof traceViews)[number]

export function readQuery(search: Search): { q: string | undefined } {
  return { q: readText(search['q']) }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
