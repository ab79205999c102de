import { readId, readText, type Search } from '../../routes/search-params.ts'

/** How the items of a dataset are chosen. */
export const itemPicks = ['seed', 'first', 'newest', 'turned', 'failing'] as const

export type ItemPick = (typeof itemPicks)[number]

export const toolAnswerKinds = ['recorded', 'ask', 'none'] as const

export type ToolAnswers = (typeof toolAnswerKinds)[number]

export interface PlaygroundSearch {
  /** The versions side by side: `11,12`, with `draft` for the draft of the prompt. Edits are on the device only. */
  versions: string | undefined
  /** Without it, the variables are typed by hand. */
  rows: 'items' | undefined
  dataset: string | undefined
  /** Only this one. */
  item: string | undefined
  /** What the versions of a link are called with, instead of what is saved in them. */
  provider: string | undefined
  model: string | undefined
  pick: ItemPick | undefined
  /** How many items. */
  items: number | undefined
  /** Another seed chooses other items. */
  seed: number | undefined
  tools: ToolAnswers | undefined
  diff: 'on' | undefined
}

export const ROWS_MAX = 10
export const ITEMS_DEFAULT = 3

export function readPlayground(search: Search): PlaygroundSearch {
  const versions = readText(search['versions'])
  return {
    versions: versions && /^(\d{1,9}|draft)(,(\d{1,9}|draft))*$/.test(versions) ? versions : undefined,
    rows: search['rows'] === 'items' ? 'items' : undefined,
    dataset: readId(search['dataset']),
    item: readId(search['item']),
    provider: readText(search['provider']),
    model: readText(search['model']),
    pick: itemPicks.find((known) => known === search['pick']),
    items: readNumber(search['items'], ROWS_MAX),
    seed: readNumber(search['seed'], 999_999),
    tools: toolAnswerKinds.find((known) => known === search['tools']),
    diff: search['diff'] === 'on' ? 'on' : undefined,
  }
}

/** A whole number from 1 to `max`. */
function readNumber(value: unknown, max: number): number | undefined {
  const text = typeof value === 'number' ? String(value) : (readText(value) ?? '')
  return /^[1-9]\d{0,5}$/.test(text) && Number(text) <= max ? Number(text) : undefined
}
