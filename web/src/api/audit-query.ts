import { queryOptions } from '@tanstack/react-query'
import { api, dataOf, inApplication } from './api-client.ts'
import { apiKey, listQuery } from './api-query.ts'

const PAGE_SIZE = 100

export function auditQuery(applicationId: string) {
  return listQuery('/audit-log', { applicationId })
}

/** The names of all members by their user id; the e-mail address of those without a name. */
export function memberNamesQuery(applicationId: string) {
  return queryOptions({
    queryKey: [...apiKey('/members', applicationId), 'names'],
    queryFn: ({ signal }) => readMemberNames(applicationId, signal),
  })
}

async function readMemberNames(applicationId: string, signal: AbortSignal): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (let offset = 0; ; offset += PAGE_SIZE) {
    const params = { query: { limit: PAGE_SIZE, offset } }
    const page = await dataOf(api.GET('/members', { ...inApplication(applicationId), params, signal }))
    for (const { id, userId, name, email } of page.data) names.set(userId ?? id, name ?? email)
    if (page.data.length < PAGE_SIZE) return names
  }
}
