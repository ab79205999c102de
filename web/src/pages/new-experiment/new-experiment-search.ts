import { readId, readText, type Search } from '../../routes/search-params.ts'

/** What a new experiment starts with. */
export interface NewExperimentSearch {
  prompt: string | undefined
  version: number | undefined
  dataset: string | undefined
  view: 'json' | undefined
}

export function readNewExperiment(search: Search): NewExperimentSearch {
  const version = typeof search['version'] === 'number' ? String(search['version']) : readText(search['version'])
  return {
    prompt: readId(search['prompt']),
    version: version && /^[1-9]\d{0,8}$/.test(version) ? Number(version) : undefined,
    dataset: readId(search['dataset']),
    view: search['view'] === 'json' ? 'json' : undefined,
  }
}
