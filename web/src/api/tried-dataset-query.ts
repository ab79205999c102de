import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey } from './api-query.ts'
import type { PromptKey } from './prompts-query.ts'
import { TRIAL, TRIALS } from './trials-query.ts'

/** Older ones are not looked at. */
const TRIALS_READ = 5

/** The dataset of the newest trial of a prompt; null if none of the newest trials of the component is of this prompt. */
export function triedDatasetQuery({ applicationId, componentId, promptId }: PromptKey) {
  return queryOptions({
    queryKey: [...apiKey(TRIALS, applicationId), componentId, 'dataset of', promptId],
    queryFn: async ({ signal }): Promise<string | null> => {
      const init = { ...inApplication(applicationId), signal }
      const params = { path: { componentId }, query: { limit: TRIALS_READ } }
      const { data } = await dataOf(api.GET(TRIALS, { ...init, params }))
      const trials = await Promise.all(
        data.map(({ id: trialId }) => dataOf(api.GET(TRIAL, { ...init, params: { path: { componentId, trialId } } }))),
      )
      const isOfPrompt = ({ variants }: (typeof trials)[number]) =>
        variants.some(({ target }) => 'promptId' in target && target.promptId === promptId)
      return trials.find(isOfPrompt)?.datasetId ?? null
    },
  })
}
