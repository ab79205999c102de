/**
 * All addresses that the interface links to. Pages read ids from the path and everything else from the query.
 */
export const pagePaths = {
  home: () => '/',
  signIn: () => '/sign-in',
  signUp: () => '/sign-up',
  forgotPassword: () => '/forgot-password',
  docs: () => '/docs',
  /** Built from the documents, outside of this interface: reached with `<a>`, not with the router's links. */
  guide: (page?: string) => (page === undefined ? '/guide/' : `/guide/${page}/`),
  device: () => '/device',
  account: () => '/account',
  /** For a member without the second factor that the application requires. */
  factorRequired: (applicationId: string) => `/factor-required/${encodeURIComponent(applicationId)}`,
  application: applicationPath,
  firstTrace: (applicationId: string) => `${applicationPath(applicationId)}/first-trace`,
  components: (applicationId: string) => `${applicationPath(applicationId)}/components`,
  component: (applicationId: string, componentId: string) =>
    `${applicationPath(applicationId)}/c/${encodeURIComponent(componentId)}`,
  /** The query has `base` and `cand`, the ids of the runs. */
  compare: (applicationId: string, componentId: string) => `${pagePaths.component(applicationId, componentId)}/compare`,
  decisions: (applicationId: string, componentId: string) =>
    `${pagePaths.compare(applicationId, componentId)}/decisions`,
  trends: (applicationId: string, componentId: string) => `${pagePaths.compare(applicationId, componentId)}/trends`,
  dataset: (applicationId: string, componentId: string, datasetId: string) =>
    `${pagePaths.componentPart(applicationId, componentId, 'datasets')}/${encodeURIComponent(datasetId)}`,
  datasetImport: (applicationId: string, componentId: string, datasetId: string) =>
    `${pagePaths.dataset(applicationId, componentId, datasetId)}/import`,
  run: (applicationId: string, componentId: string, runId: string) =>
    `${pagePaths.componentPart(applicationId, componentId, 'runs')}/${encodeURIComponent(runId)}`,
  evaluation: (applicationId: string, componentId: string, evaluationId: string) =>
    `${pagePaths.componentPart(applicationId, componentId, 'evaluations')}/${encodeURIComponent(evaluationId)}`,
  /** The query can name the `run` or `dataset` to evaluate, and the evaluation that is repeated with changes as `from`. */
  newEvaluation: (applicationId: string, componentId: string) =>
    `${pagePaths.componentPart(applicationId, componentId, 'evaluations')}/new`,
  trials: (applicationId: string, componentId: string) => `${pagePaths.component(applicationId, componentId)}/trials`,
  trial: (applicationId: string, componentId: string, trialId: string) =>
    `${pagePaths.trials(applicationId, componentId)}/${encodeURIComponent(trialId)}`,
  /** The query can name a `dataset`, and the `prompt` with the `version` to try. */
  newTrial: (applicationId: string, componentId: string) => `${pagePaths.trials(applicationId, componentId)}/new`,
  experiments: (applicationId: string, componentId: string) =>
    `${pagePaths.component(applicationId, componentId)}/experiments`,
  experiment: (applicationId: string, componentId: string, experimentId: string) =>
    `${pagePaths.experiments(applicationId, componentId)}/${encodeURIComponent(experimentId)}`,
  /** The query can name the `prompt` with the `version` to improve, and a `dataset`. */
  newExperiment: (applicationId: string, componentId: string) =>
    `${pagePaths.experiments(applicationId, componentId)}/new`,
  prompts: (applicationId: string, componentId: string) => `${pagePaths.component(applicationId, componentId)}/prompts`,
  /** The query can name a `version`, the `view`, with `view=diff` the version before it as `from`, and the label to roll back as `rollback`. */
  prompt: (applicationId: string, componentId: string, promptId: string) =>
    `${pagePaths.prompts(applicationId, componentId)}/${encodeURIComponent(promptId)}`,
  promptVersion: (applicationId: string, componentId: string, promptId: string, version: number) =>
    `${pagePaths.prompt(applicationId, componentId, promptId)}?version=${version}`,
  /** Gives a version a share of a label. The query can name the `version` and the share as `weight`; without them, the page proposes some. */
  promptDeploy: (applicationId: string, componentId: string, promptId: string, label: string) =>
    `${pagePaths.prompt(applicationId, componentId, promptId)}/deploy/${encodeURIComponent(label)}`,
  /** The query can name the `versions` side by side, and the `dataset` whose items are tried with `rows=items`. */
  promptPlayground: (applicationId: string, componentId: string, promptId: string) =>
    `${pagePaths.prompt(applicationId, componentId, promptId)}/playground`,
  annotate: (applicationId: string, componentId: string, runId: string) =>
    `${pagePaths.run(applicationId, componentId, runId)}/annotate`,
  work: (applicationId: string) => `${applicationPath(applicationId)}/work`,
  datasetAgreement: (applicationId: string, componentId: string, datasetId: string) =>
    `${pagePaths.dataset(applicationId, componentId, datasetId)}/agreement`,
  componentPart: (applicationId: string, componentId: string, part: ComponentPart) =>
    `${pagePaths.component(applicationId, componentId)}/${part}`,
  traces: (applicationId: string) => `${applicationPath(applicationId)}/traces`,
  trace: (applicationId: string, traceId: string) =>
    `${applicationPath(applicationId)}/traces/${encodeURIComponent(traceId)}`,
  /** The query has `left` and `right`, the ids of the traces. */
  compareTraces: (applicationId: string) => `${applicationPath(applicationId)}/traces/compare`,
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
  'endpoints',
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
  trials: (componentId: string) => `/api/v1/components/${encodeURIComponent(componentId)}/trials`,
  experiments: (componentId: string) => `/api/v1/components/${encodeURIComponent(componentId)}/experiments`,
  leaseCalls: (componentId: string) => `/api/v1/components/${encodeURIComponent(componentId)}/calls/lease`,
  componentPart: (componentId: string, part: ComponentPart) =>
    `/api/v1/components/${encodeURIComponent(componentId)}/${part}`,
  promptLabel: (componentId: string, promptId: string, label: string) =>
    `/api/v1/components/${[componentId, 'prompts', promptId, 'labels', label].map(encodeURIComponent).join('/')}`,
}

export const componentParts = ['datasets', 'runs', 'evaluations'] as const

export type ComponentPart = (typeof componentParts)[number]

/** A path with a query, for pages that read their own. A list becomes a repeated parameter. */
export function withQuery(path: string, query: Record<string, string | readonly string[]>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const one of typeof value === 'string' ? [value] : value) params.append(name, one)
  }
  return `${path}?${params}`
}

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
