/** From least to most: each role may do everything that the ones before it may. */
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

/** Who is calling, and how we know. A cookie is sent by browsers on their own, so it alone needs protection from forgery. */
export type Caller = {
  kind: 'api-key' | 'session'
  credential: 'bearer' | 'cookie'
  /** Whose requests are counted together: the id of the key; for sessions, of the person. */
  credentialId: string
  /** The person; for an API key the person who made it. */
  userId: string
}

/** A caller inside one workspace. Everything such a caller reads or writes is of that workspace. */
export type Principal = Caller & { workspaceId: string; role: Role }
