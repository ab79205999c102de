/**
 * All addresses that the interface links to or calls. Pages read ids from the path and everything else from the query.
 */
export const pagePaths = {
  home: () => '/',
  signIn: () => '/sign-in',
  signUp: () => '/sign-up',
  docs: () => '/docs',
  device: () => '/device',
  components: (applicationId: string) => `${applicationPath(applicationId)}/components`,
  component: (applicationId: string, componentId: string) =>
    `${applicationPath(applicationId)}/components/${encodeURIComponent(componentId)}`,
  /** Redirects to the first section. */
  allSettings: (applicationId: string) => `${applicationPath(applicationId)}/settings`,
  settings: (applicationId: string, section: SettingsSection) =>
    `${applicationPath(applicationId)}/settings/${section}`,
}

export type SettingsSection = 'general' | 'api-keys' | 'members'

export const apiPaths = {
  openapi: () => '/api/v1/openapi.json',
  instance: () => '/api/v1/instance',
  setup: () => '/api/v1/setup',
  me: () => '/api/v1/me',
  workspaces: () => '/api/v1/workspaces',
  workspace: (workspaceId: string) => `/api/v1/workspaces/${encodeURIComponent(workspaceId)}`,
  components: () => '/api/v1/components',
  component: (componentId: string) => `/api/v1/components/${encodeURIComponent(componentId)}`,
  componentPart: (componentId: string, part: ComponentPart) =>
    `/api/v1/components/${encodeURIComponent(componentId)}/${part}`,
  evaluation: (componentId: string, evaluationId: string) =>
    `/api/v1/components/${encodeURIComponent(componentId)}/evaluations/${encodeURIComponent(evaluationId)}`,
  apiKeys: () => '/api/v1/api-keys',
  apiKey: (keyId: string) => `/api/v1/api-keys/${encodeURIComponent(keyId)}`,
  members: () => '/api/v1/members',
  myMembership: () => '/api/v1/members/me',
  member: (memberId: string) => `/api/v1/members/${encodeURIComponent(memberId)}`,
  lookUpInvitation: () => '/api/v1/invitations/lookup',
  acceptInvitation: () => '/api/v1/invitations/accept',
  signUpByInvitation: () => '/api/v1/invitations/sign-up',
  lookUpPasswordReset: () => '/api/v1/password-resets/lookup',
  passwordResets: () => '/api/v1/password-resets',
  session: () => '/api/auth/get-session',
  signIn: () => '/api/auth/sign-in/email',
  signUp: () => '/api/auth/sign-up/email',
  signOut: () => '/api/auth/sign-out',
  device: (userCode: string) => `/api/auth/device?${new URLSearchParams({ user_code: userCode })}`,
  approveDevice: () => '/api/auth/device/approve',
  denyDevice: () => '/api/auth/device/deny',
}

export type ComponentPart = 'datasets' | 'runs' | 'evaluations'

/** The same section of another application. Ids in the path belong to the old application, so they are removed. */
export function switchApplicationPath(pathname: string, applicationId: string): string {
  const [, section, page] = /^\/a\/[^/]+\/([^/]+)(?:\/([^/]+))?/.exec(pathname) ?? []
  if (section !== 'settings') return pagePaths.components(applicationId)
  return pagePaths.settings(applicationId, isSettingsSection(page) ? page : 'general')
}

/** Returns a path of this origin to continue with after signing in; undefined if the text could lead elsewhere. */
export function readLocalPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !text.startsWith('/')) return undefined
  const url = URL.parse(text, window.location.origin)
  // '/..//host' stays on this origin as a URL, but a browser would read its path alone as another host.
  if (url?.origin !== window.location.origin || url.pathname.startsWith('//')) return undefined
  return `${url.pathname}${url.search}${url.hash}`
}

/** The absolute URL of an API path, for commands that users paste into a terminal. */
export function absoluteUrl(path: string): string {
  return `${window.location.origin}${path}`
}

function applicationPath(applicationId: string): string {
  return `/a/${encodeURIComponent(applicationId)}`
}

function isSettingsSection(text: string | undefined): text is SettingsSection {
  return text === 'general' || text === 'api-keys' || text === 'members'
}
