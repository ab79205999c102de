import { queryOptions } from '@tanstack/react-query'
import { apiPaths } from '../path-builder.ts'
import { requestJson, requestNothing } from './api-client.ts'
import type { DeviceCode } from './session.ts'
import { useSubmission } from './use-submission.ts'

/** The state of a command-line login that waits for approval (RFC 8628). */
export function deviceQuery(userCode: string) {
  return queryOptions({
    queryKey: ['device', userCode],
    queryFn: ({ signal }) => requestJson<DeviceCode>({ path: apiPaths.device(userCode), signal }),
    staleTime: 0,
    refetchOnWindowFocus: false,
  })
}

export type DeviceAnswer = 'approve' | 'deny'

export function useAnswerDevice(userCode: string) {
  return useSubmission({
    mutationFn: async (answer: DeviceAnswer) => {
      const path = answer === 'approve' ? apiPaths.approveDevice() : apiPaths.denyDevice()
      await requestNothing({ method: 'POST', path, body: { userCode } })
      return answer
    },
  })
}
