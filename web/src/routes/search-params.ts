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

/** `?application=` selects whose keys the account page shows. */
export function readAccount(search: Search): { application: string | undefined; new: true | undefined } {
  return { application: readText(search['application']), ...readNew(search) }
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

export interface AuditSearch {
  /** Actions, as the API takes them: "member,invitation". */
  action: string | undefined
  /** The id of a user. */
  actor: string | undefined
  /** Days, such as 2026-11-16, both included. */
  from: string | undefined
  to: string | undefined
}

export function readAudit(search: Search): AuditSearch {
  const action = readText(search['action'])
  return {
    action: action && /^[a-z.,-]{1,500}$/.test(action) ? action : undefined,
    actor: readId(search['actor']),
    from: readDay(search['from']),
    to: readDay(search['to']),
  }
}

function readId(value: unknown): string | undefined {
  const text = readText(value)
  return text && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : undefined
}

function readDay(value: unknown): string | undefined {
  const text = readText(value)
  return text && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}

export interface TraceListSearch {
  /** Empty if it was removed from a saved view. */
  q: string | undefined
  sort: TraceListSort | undefined
  /** Names of the visible columns, separated by commas. */
  cols: string | undefined
  /** The id of the saved view that was opened. */
  view: string | undefined
  from: string | undefined
  to: string | undefined
  /** The trace in the panel next to the list. */
  trace: string | undefined
}

/** The whole view of the list of traces, so that an address shows others the same. */
export function readTraceList(search: Search): TraceListSearch {
  return {
    q: readText(search['view']) && search['q'] === '' ? '' : readText(search['q']),
    sort: readTraceSort(search['sort']),
    cols: readText(search['cols']),
    view: readText(search['view']),
    from: readText(search['from']),
    to: readText(search['to']),
    trace: readText(search['trace']),
  }
}

export function readTraceSort(text: unknown): TraceListSort | undefined {
  return traceSorts.find((sort) => sort === text)
}

const traceSorts: TraceListSort[] = ['time', '-time', 'duration', '-duration', 'cost', '-cost', 'tokens', '-tokens']

export interface TraceSearch {
  span: string | undefined
  view: TraceView | undefined
  panel: TracePanel | undefined
}

/** The selected span of a trace, how its spans are shown, and which part of the page a narrow screen shows. */
export function readTraceView(search: Search): TraceSearch {
  return {
    span: readText(search['span']),
    view: traceViews.find((view) => view === search['view']),
    panel: tracePanels.find((panel) => panel === search['panel']),
  }
}

const traceViews = ['tree', 'timeline', 'messages'] as const

export type TraceView = (typeof traceViews)[number]

const tracePanels = ['answer', 'tree', 'facts'] as const

export type TracePanel = (typeof tracePanels)[number]

/** `?item=` is the trace on the annotation page. */
export function readItem(search: Search): { item: string | undefined } {
  return { item: readText(search['item']) }
}

/** Which disagreements are listed: those of two raters, with these ratings; and the one in the panel next to the list. */
export interface AgreementSearch {
  rater_a: string | undefined
  rater_b: string | undefined
  rating_a: string | undefined
  rating_b: string | undefined
  /** Without it, the open ones. */
  state: 'resolved' | 'all' | undefined
  item: string | undefined
}

export function readAgreement(search: Search): AgreementSearch {
  return {
    rater_a: readText(search['rater_a']),
    rater_b: readText(search['rater_b']),
    rating_a: readText(search['rating_a']),
    rating_b: readText(search['rating_b']),
    state: (['resolved', 'all'] as const).find((state) => state === search['state']),
    item: readText(search['item']),
  }
}

export interface RunSearch extends AgreementSearch {
  tab: (typeof runTabs)[number] | undefined
}

export function readRun(search: Search): RunSearch {
  return { tab: runTabs.find((tab) => tab === search['tab']), ...readAgreement(search) }
}

const runTabs = ['ratings', 'agreement'] as const

export function readQuery(search: Search): { q: string | undefined } {
  return { q: readText(search['q']) }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
