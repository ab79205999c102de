/**
 * All addresses that the interface links to. Pages read ids from the path and everything else from the query.
 */
export const pagePaths = {
  home: () => '/',
  signIn: () => '/sign-in',
  signUp: () => '/sign-up',
  docs: () => '/docs',
  device: () => '/device',
  account: () => '/account',
  application: applicationPath,
  firstTrace: (applicationId: string) => `${applicationPath(applicationId)}/first-trace`,
  components: (applicationId: string) => `${applicationPath(applicationId)}/components`,
  component: (applicationId: string, componentId: string) =>
    `${applicationPath(applicationId)}/c/${encodeURIComponent(componentId)}`,
  run: (applicationId: string, componentId: string, runId: string) =>
    `${applicationPath(applicationId)}/c/${encodeURIComponent(componentId)}/runs/${encodeURIComponent(runId)}`,
  annotate: (applicationId: string, componentId: string, runId: string) =>
    `${pagePaths.run(applicationId, componentId, runId)}/annotate`,
  work: (applicationId: string) => `${applicationPath(applicationId)}/work`,
  datasetAgreement: (applicationId: string, componentId: string, datasetId: string) =>
    `${applicationPath(applicationId)}/c/${encodeURIComponent(componentId)}/datasets/${encodeURIComponent(datasetId)}/agreement`,
  componentPart: (applicationId: string, componentId: string, part: ComponentPart) =>
    `${applicationPath(applicationId)}/c/${encodeURIComponent(componentId)}/${part}`,
  traces: (applicationId: string) => `${applicationPath(applicationId)}/traces`,
  trace: (applicationId: string, traceId: string) =>
    `${applicationPath(applicationId)}/traces/${encodeURIComponent(traceId)}`,
  /** Redirects to the first section. */
  allSettings: (applicationId: string) => `${applicationPath(applicationId)}/settings`,
  settings: (applicationId: string, section: SettingsSection) =>
    `${applicationPath(applicationId)}/settings/${section}`,
}

const settingsSections = [
  'general',
  'api-keys',
  'members',
  'rating-scheme',
  'models',
  'prices',
  'retention',
  'audit',
  'health',
] as const

export type SettingsSection = (typeof settingsSections)[number]

/** Paths of the API that the interface shows. The client of the API has the others from the description. */
export const apiPaths = {
  openapi: () => '/api/v1/openapi.json',
  components: () => '/api/v1/components',
  componentPart: (componentId: string, part: ComponentPart) =>
    `/api/v1/components/${encodeURIComponent(componentId)}/${part}`,
}

export const componentParts = ['datasets', 'runs', 'evaluations'] as const

export type ComponentPart = (typeof componentParts)[number]

/** The query that finds the traces of a component: by its name, which is easier to read, if the name can be quoted. */
export function componentTraces({ id, name }: { id: string; name: string }, which: 'all' | 'failed' = 'all'): string {
  const component = /["\\]/.test(name) ? id : `"${name}"`
  return which === 'all' ? `component:${component}` : `component:${component} status:error`
}

/** The same section of another application. Ids in the path belong to the old application, so they are removed. */
export function switchApplicationPath(pathname: string, applicationId: string): string {
  const [, section, page] = /^\/a\/[^/]+\/([^/]+)(?:\/([^/]+))?/.exec(pathname) ?? []
  if (section === 'components') return pagePaths.components(applicationId)
  if (section !== 'settings') return pagePaths.application(applicationId)
  return pagePaths.settings(applicationId, settingsSections.find((known) => known === page) ?? 'general')
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
