import { useQueryClient } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import type { PromptContent, PromptVersion } from './generated/api.ts'
import { type PromptKey, promptVersionQuery, refreshPrompts } from './prompts-query.ts'
import { useSubmission } from './use-submission.ts'

export interface NewVersion {
  content: PromptContent
  note: string | undefined
  /** They point to the version from then on. */
  labels: string[]
}

export interface SavedVersion {
  version: PromptVersion
  /** A version with exactly this content was there before. */
  isKnown: boolean
}

export function useSaveVersion(key: PromptKey) {
  const queryClient = useQueryClient()
  const { applicationId, ...path } = key
  return useSubmission({
    mutationFn: async ({ content, note, labels }: NewVersion): Promise<SavedVersion> => {
      const body = { content, labels, ...(note && { note }) }
      const sent = api.POST(PATH, { ...inApplication(applicationId), params: { path }, body })
      const version = await dataOf(sent)
      return { version, isKnown: (await sent).response.status === 200 }
    },
    onSuccess: ({ version }) => {
      queryClient.setQueryData(promptVersionQuery(key, version.number).queryKey, version)
      void refreshPrompts(queryClient, applicationId)
    },
  })
}

const PATH = '/components/{componentId}/prompts/{promptId}/versions'
