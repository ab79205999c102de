import { readText, type Search } from '../../routes/search-params.ts'

export interface TraceSearch {
  span: string | undefined
  view: TraceView | undefined
  panel: TracePanel | undefined
  /** The query of the list that the trace was opened from, or `all`: previous and next move within it. */
  list: string | undefined
}

/** The selected span of a trace, how its spans are shown, and which part of the page a narrow screen shows. */
export function readTraceView(search: Search): TraceSearch {
  return {
    span: readText(search['span']),
    view: traceViews.find((view) => view === search['view']),
    panel: tracePanels.find((panel) => panel === search['panel']),
    list: readText(search['list']),
  }
}

const traceViews = ['tree', 'timeline', 'messages'] as const

export type TraceView = (typeof traceViews)[number]

const tracePanels = ['answer', 'tree', 'facts'] as const

export type TracePanel = (typeof tracePanels)[number]
