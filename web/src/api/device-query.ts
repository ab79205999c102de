import { queryOptions } from '@tanstack/react-query'
import { requestAuth } from './auth-client.ts'
import type { KeyRole } from './generated/api.ts'
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

/** The key that the command line gets. */
export type DeviceKey = { workspaceId: string; role: KeyRole }

export function useApproveDevice(userCode: string) {
  return useSubmission({
    mutationFn: (key: DeviceKey) => requestAuth('/device/approve', { body: { userCode, ...key } }),
  })
}

export function useDenyDevice(userCode: string) {
  return useSubmission({ mutationFn: () => requestAuth('/device/deny', { body: { userCode } }) })
}
