import { readId, readText, type Search } from '../../routes/search-params.ts'

/** What a new trial starts with. */
export interface NewTrialSearch {
  dataset: string | undefined
  prompt: string | undefined
  /** Of the prompt: `11` or `11,12`. */
  version: string | undefined
  view: 'json' | undefined
}

export function readNewTrial(search: Search): NewTrialSearch {
  const version = typeof search['version'] === 'number' ? String(search['version']) : readText(search['version'])
  return {
    dataset: readId(search['dataset']),
    prompt: readId(search['prompt']),
    version: version && /^[1-9]\d{0,8}(,[1-9]\d{0,8}){0,49}$/.test(version) ? version : undefined,
    view: search['view'] === 'json' ? 'json' : undefined,
  }
}

export function versionsIn({ version }: Pick<NewTrialSearch, 'version'>): number[] {
  const numbers = version?.split(',').map(Number) ?? []
  return [...new Set(numbers)].sort((a, b) => a - b)
}
