import { readText, type Search } from '../../routes/search-params.ts'

export interface PromptSearch {
  /** Without one: the draft, or else the newest version. */
  version: number | undefined
  view: 'diff' | 'json' | undefined
  /** With `view=diff`: the version before. */
  from: number | undefined
  /** The label that is about to be rolled back. */
  rollback: string | undefined
}

export function readPrompt(search: Search): PromptSearch {
  return {
    version: readNumber(search['version']),
    view: views.find((view) => view === search['view']),
    from: readNumber(search['from']),
    rollback: readText(search['rollback']),
  }
}

const views = ['diff', 'json'] as const

function readNumber(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : (readText(value) ?? '')
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}
