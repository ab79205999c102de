import { readId, readText, type Search } from '../../routes/search-params.ts'

export interface AuditSearch {
  /** Actions, as the API takes them: "member,invitation". */
  action: string | undefined
  /** The id of a user. */
  actor: string | undefined
  /** Days, such as 2026-11-16, both included. */
  from: string | undefined
  to: string | undefined
}

export function readAudit(search: Search): AuditSearch {
  const action = readText(search['action'])
  return {
    action: action && /^[a-z.,-]{1,500}$/.test(action) ? action : undefined,
    actor: readId(search['actor']),
    from: readDay(search['from']),
    to: readDay(search['to']),
  }
}

function readDay(value: unknown): string | undefined {
  const text = readText(value)
  return text && /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}
