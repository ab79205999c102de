import type { RowFilter, SplitName } from '../api/comparison-query.ts'
import type { ItemRowsFilter } from '../api/item-rows-query.ts'
import { type Period, periods } from '../api/overview-query.ts'
import type { CaseFilter, CaseSort } from '../api/runs-query.ts'
import type { TraceListSort } from '../api/trace-list-query.ts'
import { type TrendPeriod, trendPeriods } from '../api/trends-query.ts'
import { type ComponentPart, componentParts, readLocalPath } from '../path-builder.ts'

type Search = Record<string, unknown>

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

/** `?problem=` is why signing in with the provider did not work. */
export function readSignIn(search: Search): { next: string | undefined; problem: string | undefined } {
  return { ...readNext(search), problem: readText(search['problem']) }
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

/** `?decision=` is the decision in the panel next to the list. */
export function readDecision(search: Search): { decision: string | undefined } {
  return { decision: readId(search['decision']) }
}

export interface RunSearch extends AgreementSearch {
  tab: (typeof runTabs)[number] | undefined
  /** Which cases are listed, and in which order. */
  q: string | undefined
  filter: CaseFilter | undefined
  metric: string | undefined
  sort: CaseSort | undefined
  /** The trace in the panel, if the case has repetitions. */
  trace: string | undefined
}

export function readRun(search: Search): RunSearch {
  return {
    tab: runTabs.find((tab) => tab === search['tab']),
    q: readText(search['q']),
    filter: caseFilters.find((filter) => filter === search['filter']),
    metric: readText(search['metric']),
    sort: caseSorts.find((sort) => sort === search['sort']),
    trace: readText(search['trace']),
    ...readAgreement(search),
  }
}

const runTabs = ['cases', 'ratings', 'agreement'] as const

export const caseFilters: readonly CaseFilter[] = [
  'not_passed',
  'passed',
  'not_measured',
  'failed',
  'rated',
  'unrated',
  'not_arrived',
  'without_item',
]

const caseSorts: readonly CaseSort[] = ['item', 'duration', '-duration', 'cost', '-cost', 'score', '-score']

/** `?dataset=` lists the runs of one dataset. */
export function readRunList(search: Search): { dataset: string | undefined } {
  return { dataset: readId(search['dataset']) }
}

export interface TrendsSearch {
  period: TrendPeriod | undefined
  metric: string | undefined
  dataset: string | undefined
}

export function readTrends(search: Search): TrendsSearch {
  return {
    period: trendPeriods.find((known) => known === search['period']),
    metric: readText(search['metric']),
    dataset: readId(search['dataset']),
  }
}

/** Which cases of an evaluation are listed, and the case in the panel next to the list. */
export interface EvaluationSearch {
  /** The name of an evaluator. */
  metric: string | undefined
  state: CaseState | undefined
  /** Why there is no score, as a group of failures has it. */
  error: string | undefined
  sort: 'score' | '-score' | undefined
  /** The id of a case. */
  score: string | undefined
}

const caseStates = ['passed', 'not_passed', 'failed', 'skipped', 'retrying', 'waiting'] as const

export type CaseState = (typeof caseStates)[number]

export function readEvaluation(search: Search): EvaluationSearch {
  return {
    metric: readText(search['metric']),
    state: caseStates.find((state) => state === search['state']),
    error: readText(search['error'])?.slice(0, 500),
    sort: (['score', '-score'] as const).find((sort) => sort === search['sort']),
    score: readText(search['score'])?.slice(0, 128),
  }
}

export interface CompareSearch {
  /** The id of the baseline, and of up to ten candidates. */
  base: string | undefined
  cand: string[] | undefined
  metric: string | undefined
  filter: RowFilter | undefined
  /** The row in view: an item, with the number of its pair if it has several, or a trace. */
  item: string | undefined
  split: SplitName | undefined
  /** A number of at least 0, as text. */
  margin: string | undefined
  /** Prefer one of two answers without knowing whose they are. */
  mode: 'blind' | undefined
}

const candidatesMax = 10

export function readCompare(search: Search): CompareSearch {
  const given = Array.isArray(search['cand']) ? search['cand'] : [search['cand']]
  const cand = [...new Set(given.flatMap((id) => readId(id) ?? []))].slice(0, candidatesMax)
  const margin = readText(search['margin'])
  return {
    base: readId(search['base']),
    cand: cand.length > 0 ? cand : undefined,
    metric: readText(search['metric']),
    filter: rowFilters.find((filter) => filter === search['filter']),
    item: readText(search['item']),
    split: splitNames.find((split) => split === search['split']),
    margin: margin && /^(0|[1-9]\d{0,8})(\.\d{1,9})?$/.test(margin) ? margin : undefined,
    mode: search['mode'] === 'blind' ? 'blind' : undefined,
  }
}

export const rowFilters: readonly RowFilter[] = [
  'regressed',
  'improved',
  'tie',
  'failed',
  'not_measured',
  'only_baseline',
  'only_candidate',
]

export const splitNames: readonly SplitName[] = ['train', 'validation', 'test']

/** What a new evaluation starts with: a run, a dataset, or an evaluation that is repeated; and how it is edited. */
export interface NewEvaluationSearch {
  run: string | undefined
  dataset: string | undefined
  from: string | undefined
  view: 'json' | undefined
}

export function readNewEvaluation(search: Search): NewEvaluationSearch {
  return {
    run: readId(search['run']),
    dataset: readId(search['dataset']),
    from: readId(search['from']),
    view: search['view'] === 'json' ? 'json' : undefined,
  }
}

/** What the page of a dataset lists, and the item in the panel next to it. */
export interface DatasetSearch {
  q: string | undefined
  split: ItemRowsFilter['split'] | undefined
  source: ItemRowsFilter['source'] | undefined
  filter: ItemRowsFilter['filter'] | undefined
  sort: ItemRowsFilter['sort'] | undefined
  item: string | undefined
}

export function readDataset(search: Search): DatasetSearch {
  return {
    q: readText(search['q']),
    split: (['train', 'validation', 'test', 'none'] as const).find((split) => split === search['split']),
    source: (['trace', 'import', 'hand'] as const).find((source) => source === search['source']),
    filter: itemFilters.find((filter) => filter === search['filter']),
    sort: (['newest', 'oldest', 'turned'] as const).find((sort) => sort === search['sort']),
    item: readId(search['item']),
  }
}

const itemFilters = [
  'duplicates',
  'near_duplicates',
  'conflicts',
  'without_expected',
  'never_run',
  'test_read',
  'turned_to_fail',
  'turned_to_pass',
  'failing',
] as const

export function readQuery(search: Search): { q: string | undefined } {
  return { q: readText(search['q']) }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The step of an import, and the import that is shown when it is done. */
export function readImport(search: Search): { step: 'columns' | 'check' | undefined; import: string | undefined } {
  const step = search['step']
  return { step: step === 'columns' || step === 'check' ? step : undefined, import: readId(search['import']) }
}
