import { readId, type Search } from '../../routes/search-params.ts'

/** What a new trial starts with. */
export interface NewTrialSearch {
  dataset: string | undefined
  prompt: string | undefined
  version: number | undefined
}

export function readNewTrial(search: Search): NewTrialSearch {
  const version = Number(search['version'])
  return {
    dataset: readId(search['dataset']),
    prompt: readId(search['prompt']),
    version: Number.isInteger(version) && version > 0 ? version : undefined,
  }
}
