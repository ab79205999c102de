/** In ascending order: each role has all permissions of the roles before it. */
export const ROLES = ['viewer', 'annotator', 'editor', 'admin', 'owner'] as const

export type Role = (typeof ROLES)[number]

export function isRole(text: string): text is Role {
  return ROLES.some((role) => role === text)
}

export function isAtLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}

export function lowerRole(a: Role, b: Role): Role {
  return isAtLeast(a, b) ? b : a
}

/** The authenticated caller. Browsers send a cookie on their own, so only sessions need CSRF protection. */
export type Caller = {
  kind: 'api-key' | 'session'
  credential: 'bearer' | 'cookie'
  /** The unit of rate limits: the id of the key; for sessions, the id of the user. */
  credentialId: string
  /** The user; for an API key, the user who created it. */
  userId: string
}

/** A caller in one workspace. Such a caller reads and writes only data of that workspace. */
export type Principal = Caller & { workspaceId: string; role: Role }
