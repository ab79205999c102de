import { readNew, readText, type Search } from '../../routes/search-params.ts'

export const promptPeriods = ['7d', '30d', '90d'] as const

export type PromptPeriod = (typeof promptPeriods)[number]

export interface PromptsSearch {
  /** What name, description, label or note contain. */
  q: string | undefined
  /** The name of a label, or `none` for prompts that serve nothing. */
  label: string | undefined
  period: PromptPeriod | undefined
  /** By which the prompts are measured. */
  metric: string | undefined
  new: true | undefined
}

export function readPrompts(search: Search): PromptsSearch {
  return {
    q: readText(search['q']),
    label: readText(search['label']),
    period: promptPeriods.find((known) => known === search['period']),
    metric: readText(search['metric']),
    ...readNew(search),
  }
}

export function daysOf(period: PromptPeriod): number {
  return Number.parseInt(period, 10)
}
