import type { OpenApi, OperationObject, SecurityScheme } from '../../api/openapi-document.ts'

/** One way to authenticate: all headers that it names are required. */
export interface AuthWay {
  kind: 'none' | 'api-key' | 'session'
  label: string
}

export function describeAuth(openapi: OpenApi, operation: OperationObject): AuthWay[] {
  const requirements = operation.security ?? openapi.security ?? []
  if (requirements.length === 0) return [open]
  return requirements.map((requirement) => {
    const names = Object.keys(requirement)
    if (names.length === 0) return open
    // An API key and the token of a session are both bearer tokens: only their names distinguish them.
    if (names.includes('apiKey')) return { kind: 'api-key', label: 'API key' }
    const session = names.includes('sessionToken') ? 'Session token' : 'Session'
    const headers = names.map((name) => openapi.components?.securitySchemes?.[name]).filter(isHeader)
    return { kind: 'session', label: [session, ...headers.map(({ name }) => name)].join(' + ') }
  })
}

/** All ways in one line: a label for each would be a thousand elements for two hundred operations. */
export function authSummary(ways: AuthWay[]): string {
  // A session may be sent as a cookie or as a token; the example shows how.
  const titles = ways.map(({ kind, label }) =>
    kind === 'session' ? label.replace(/^Session( token)?/, 'session').replaceAll(' + ', ' with ') : label,
  )
  const text = [...new Set(titles)].join(' or ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/**
 * The headers of an example. The token of a session is also accepted as a bearer token, which is easier in a terminal.
 */
export function exampleHeaders(ways: AuthWay[]): string[] {
  if (ways.some(({ kind }) => kind === 'api-key')) return ['Authorization: Bearer $TOUCHSTONE_API_KEY']
  if (ways.every(({ kind }) => kind === 'none')) return []
  const needsApplication = ways.some(({ label }) => label.includes('X-AI-Application-Id'))
  return [
    'Authorization: Bearer $TOUCHSTONE_SESSION_TOKEN',
    ...(needsApplication ? ['X-AI-Application-Id: $TOUCHSTONE_APPLICATION_ID'] : []),
  ]
}

const open: AuthWay = { kind: 'none', label: 'No authentication' }

function isHeader(scheme: SecurityScheme | undefined): scheme is SecurityScheme & { name: string } {
  return scheme?.in === 'header' && scheme.name !== undefined
}
