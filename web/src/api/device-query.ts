import { queryOptions } from '@tanstack/react-query'
import { requestAuth } from './auth-client.ts'
import type { DeviceCode } from './session.ts'
import { useSubmission } from './use-submission.ts'

/** The state of a command-line login that waits for approval (RFC 8628). */
export function deviceQuery(userCode: string) {
  return queryOptions({
    queryKey: ['device', userCode],
    queryFn: ({ signal }) =>
      requestAuth<DeviceCode>(`/device?${new URLSearchParams({ user_code: userCode })}`, { signal }),
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
}

export type DeviceAnswer = 'approve' | 'deny'

export function useAnswerDevice(userCode: string) {
  return useSubmission({
    mutationFn: async (answer: DeviceAnswer) => {
      await requestAuth(`/device/${answer}`, { body: { userCode } })
      return answer
    },
  })
}
