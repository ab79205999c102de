/** What every page shows when a request that it loads with fails, and how the user continues. */
import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import openapi from '../../openapi.json?raw'
import type { DatasetContents, Instance, Prompt, Span, Trace } from '../../web/src/api/generated/api.ts'
import { createQueryClient } from '../../web/src/api/query-client.ts'
import { createAppRouter } from '../../web/src/routes/app-router.ts'
import { isDeep } from '../harness/stage.ts'
import { AGREEMENT, GOLDEN, SCHEME } from './agreement-examples.ts'
import { OUTLINE } from './annotated-trace.ts'
import { exampleOf } from './api-description.ts'
import { ALLOWED, CHECK, DEPLOY_PAGE, serveDeployment } from './deploy-examples.ts'
import { EVALUATION } from './evaluation-examples.ts'
import { COURSE, DETAIL, ONE as EXPERIMENT, EXPERIMENT_PAGE, INTERIM, RUNNING } from './experiment-examples.ts'
import { failed, forceFailure, networkFailure, onRequest } from './mock-api.ts'
import { ANNOTATE_PAGE, NEXT, RUN, serveQueue } from './mock-queue.ts'
import { ASSISTANT, address, eventually, idOf, inSupport, openPage, signIn, silenceConsole } from './open-page.ts'
import { layOutTable, listOf, rowOf, SERIES } from './open-traces.ts'
import { OVERVIEW, SUMMARY } from './overview-examples.ts'
import { LIST_PAGE, ONE, PROMPT_PAGE } from './prompt-examples.ts'
import { DONE, PROMPT_ID, ONE as TRIAL, TRIAL_PAGE } from './trial-examples.ts'

const COMPONENT = '/components/{componentId}'
const component = inSupport(`c/${ASSISTANT.id}`)
const run = `${component}/runs/${RUN.id}`

/** A page, and the requests without which it cannot show what it is for. */
const pages: [path: string, ...operations: string[]][] = [
  ['/', 'GET /workspaces'],
  ['/account', 'GET /api/auth/list-sessions', 'GET /api/auth/two-factor', 'GET /api-keys'],
  [inSupport(''), 'GET /component-summaries', 'GET /traces/series', 'GET /me'],
  [inSupport('components'), 'GET /components'],
  [component, 'GET /components/{componentId}', `GET ${COMPONENT}/overview`, `GET ${COMPONENT}/comparisons`],
  [
    `${component}/compare?base=${idOf(61)}&cand=${idOf(62)}`,
    `GET ${COMPONENT}/comparisons`,
    `GET ${COMPONENT}/run-summaries`,
    `GET ${COMPONENT}/comparisons/preferences`,
  ],
  [`${component}/compare?base=${idOf(61)}&cand=${idOf(62)}&cand=${idOf(63)}`, `POST ${COMPONENT}/comparisons`],
  [`${component}/runs`, `GET ${COMPONENT}/run-summaries`],
  [`${component}/compare/trends?period=7d`, `GET ${COMPONENT}/trends`],
  [`${component}/evaluations`, `GET ${COMPONENT}/evaluation-summaries`],
  [
    `${component}/evaluations/${EVALUATION.id}`,
    `GET ${COMPONENT}/evaluations/{evaluationId}`,
    `GET ${COMPONENT}/evaluations/{evaluationId}/scores/summary`,
    `GET ${COMPONENT}/evaluations/{evaluationId}/cases`,
  ],
  [
    `${component}/evaluations/new`,
    'GET /evaluators',
    `GET ${COMPONENT}/runs`,
    `GET ${COMPONENT}/datasets`,
    `POST ${COMPONENT}/evaluations`,
  ],
  [`${component}/trials`, `GET ${COMPONENT}/trials`],
  [
    `${component}/trials/new?prompt=${PROMPT_ID}&version=12`,
    `GET ${COMPONENT}/datasets`,
    `GET ${COMPONENT}/prompts`,
    `GET ${COMPONENT}/prompts/{promptId}/versions`,
    'GET /connections',
    'GET /evaluators',
    `POST ${COMPONENT}/trials`,
  ],
  [`${component}/experiments`, `GET ${COMPONENT}/experiment-summaries`],
  [
    EXPERIMENT_PAGE,
    `GET ${EXPERIMENT}`,
    `GET ${EXPERIMENT}/course`,
    `GET ${EXPERIMENT}/results`,
    `GET ${EXPERIMENT}/iterations/{iteration}`,
  ],
  [
    `${component}/experiments/new?prompt=${PROMPT_ID}&version=12`,
    `GET ${COMPONENT}/datasets`,
    `GET ${COMPONENT}/prompts`,
    'GET /connections',
    'GET /evaluators',
  ],
  [TRIAL_PAGE, `GET ${TRIAL}`, `GET ${TRIAL}/failures`],
  [LIST_PAGE, `GET ${COMPONENT}/prompt-summaries`, `GET ${COMPONENT}/prompt-changes`],
  [
    PROMPT_PAGE,
    `GET ${ONE}`,
    `GET ${ONE}/versions`,
    `GET ${ONE}/versions/{number}`,
    `GET ${ONE}/labels`,
    `GET ${ONE}/live`,
    `GET ${ONE}/results`,
  ],
  [`${PROMPT_PAGE}?view=diff`, `GET ${ONE}/diff`],
  [
    `${PROMPT_PAGE}/playground?rows=items`,
    `GET ${ONE}`,
    `GET ${ONE}/versions`,
    `GET ${ONE}/versions/{number}`,
    `GET ${COMPONENT}/dataset-summaries`,
    'GET /connections',
  ],
  [`${component}/compare/decisions`, `GET ${COMPONENT}/decisions`],
  [`${component}/compare/decisions?decision=${idOf(70)}`, `GET ${COMPONENT}/decisions/{decisionId}`],
  [`${DEPLOY_PAGE}?version=3`, CHECK, `GET ${ONE}/labels`, `GET ${ONE}/versions`, `GET ${ONE}/diff`, `GET ${ONE}`],
  [`${component}/datasets`, `GET ${COMPONENT}/dataset-summaries`],
  [
    `${component}/datasets/${GOLDEN.id}`,
    `GET ${COMPONENT}/datasets/{datasetId}`,
    `GET ${COMPONENT}/datasets/{datasetId}/item-rows`,
    `GET ${COMPONENT}/datasets/{datasetId}/health`,
    `GET ${COMPONENT}/datasets/{datasetId}/contents`,
  ],
  [`${component}/datasets/${GOLDEN.id}?item=${idOf(5)}`, `GET ${COMPONENT}/datasets/{datasetId}/item-rows/{itemId}`],
  [`${component}/datasets/${GOLDEN.id}/agreement`, `GET ${COMPONENT}/datasets/{datasetId}/agreement`],
  [
    `${component}/datasets/${GOLDEN.id}/import`,
    `GET ${COMPONENT}/datasets/{datasetId}`,
    `GET ${COMPONENT}/datasets/{datasetId}/imports`,
  ],
  [run, `GET ${COMPONENT}/runs/{runId}`, `GET ${COMPONENT}/runs/{runId}/cases`],
  [`${run}?tab=ratings`, `GET ${COMPONENT}/runs/{runId}/agreement`],
  [`${run}?tab=agreement`, `GET ${COMPONENT}/runs/{runId}/disagreements`],
  [ANNOTATE_PAGE, NEXT],
  [inSupport('traces?q=status%3Aerror&sort=-cost'), 'GET /traces', 'GET /traces/series', 'GET /unknown-components'],
  [inSupport(`traces?trace=${idOf(5)}`), 'GET /traces/{traceId}/outline'],
  [
    inSupport(`traces/${idOf(5)}?span=b`),
    'GET /traces/{traceId}',
    'GET /traces/{traceId}/outline',
    'GET /traces/{traceId}/spans/{spanId}',
    'GET /traces/{traceId}/annotation',
    'GET /traces/{traceId}/annotations',
    'GET /traces/{traceId}/comments',
    'GET /traces/{traceId}/links',
    'GET /rating-scheme',
  ],
  [
    inSupport(`traces/compare?left=${idOf(5)}&right=${idOf(6)}`),
    'GET /traces/{traceId}',
    'GET /traces/{traceId}/outline',
    'GET /traces/{traceId}/spans/{spanId}',
    'GET /traces',
  ],
  [`/factor-required/${idOf(1)}`, 'GET /workspaces'],
  [inSupport('work'), 'GET /me/work'],
  [inSupport('first-trace'), 'GET /onboarding', 'GET /example-data', 'GET /components'],
  [inSupport('settings/general'), 'GET /sharing', 'GET /trace-settings'],
  [inSupport('settings/api-keys'), 'GET /api-keys'],
  [inSupport('settings/members'), 'GET /members', 'GET /security-settings'],
  [inSupport('settings/rating-scheme'), 'GET /rating-scheme'],
  [inSupport('settings/models'), 'GET /connections', 'GET /spending'],
  [inSupport('settings/endpoints'), 'GET /endpoints'],
  [inSupport('settings/prices'), 'GET /prices'],
  [inSupport('settings/retention'), 'GET /retention'],
  [inSupport('settings/audit?action=member'), 'GET /audit-log'],
  [inSupport('settings/health'), 'GET /instance/health'],
]

const publicPages: [path: string, operation: string, rejection?: { title: string; statuses: number[] }][] = [
  ['/docs', 'GET /openapi.json'],
  ['/sign-in', 'GET /instance'],
  ['/sign-up', 'GET /instance'],
  ['/forgot-password', 'GET /instance'],
  ['/setup#token', 'GET /instance'],
  ['/invite#token', 'POST /invitations/lookup', { title: 'This invitation does not work', statuses: [401, 404, 409] }],
  ['/reset#token', 'POST /password-resets/lookup', { title: 'This link does not work', statuses: [404] }],
  ['/device?user_code=ABCDEFGH', 'GET /api/auth/device', { title: 'This code does not work', statuses: [403, 404] }],
]

const statuses = isDeep ? [401, 403, 404, 409, 429, 503] : [503]

it('every page of the interface is in one of the two lists', () => {
  const { routesByPath } = createAppRouter(createQueryClient(() => undefined))
  const listed = [...pages, ...publicPages].map(([path]) => path.replace(/[?#].*/, '').replace(/(?<=.)\/$/, ''))
  // A route with children is the frame around them.
  const patterns = Object.values(routesByPath).flatMap(({ fullPath, children, options: { component } }) =>
    component === undefined || children !== undefined ? [] : fullPath.replace(/(?<=.)\/$/, ''),
  )
  const missing = patterns.filter((pattern) => {
    const isPage = new RegExp(`^${pattern.replaceAll(/\$\w+/g, '[^/]+')}$`)
    return !listed.some((path) => isPage.test(path))
  })
  expect(missing).toEqual([])
})

layOutTable()

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  silenceConsole()
  showAllPanels()
  signIn()
  serveDeployment(ALLOWED)
  serveQueue(2)
  onRequest('GET /components', { data: [ASSISTANT] })
  onRequest('GET /components/{componentId}', ASSISTANT)
  onRequest(`GET ${COMPONENT}/overview`, OVERVIEW)
  onRequest(`GET ${COMPONENT}/datasets`, { data: [GOLDEN] })
  onRequest(`GET ${COMPONENT}/datasets/{datasetId}`, GOLDEN)
  onRequest(`GET ${COMPONENT}/evaluations/{evaluationId}`, EVALUATION)
  onRequest(`GET ${TRIAL}`, DONE)
  onRequest(`GET ${EXPERIMENT}`, { ...RUNNING, status: 'failed', endedBy: 'canceled' })
  onRequest(`GET ${EXPERIMENT}/course`, COURSE)
  onRequest(`GET ${EXPERIMENT}/results`, INTERIM)
  onRequest(`GET ${EXPERIMENT}/iterations/{iteration}`, DETAIL)
  onRequest(`GET ${COMPONENT}/prompts`, { data: [{ ...exampleOf<Prompt>('Prompt'), id: PROMPT_ID }] })
  onRequest(`GET ${COMPONENT}/datasets/{datasetId}/agreement`, AGREEMENT)
  onRequest(`GET ${COMPONENT}/datasets/{datasetId}/contents`, {
    ...exampleOf<DatasetContents>('DatasetContents'),
    items: 2,
  })
  onRequest(`GET ${COMPONENT}/runs/{runId}/agreement`, AGREEMENT)
  onRequest('GET /component-summaries', {
    from: SERIES.from,
    to: SERIES.to,
    bucketSeconds: 3600,
    data: [SUMMARY],
    nextCursor: null,
  })
  onRequest('GET /rating-scheme', SCHEME)
  onRequest('GET /traces', listOf([rowOf(5)]))
  onRequest('GET /traces/series', SERIES)
  onRequest('GET /traces/{traceId}', ({ params }) => ({ ...exampleOf<Trace>('Trace'), id: params['traceId'] ?? '' }))
  onRequest('GET /traces/{traceId}/outline', OUTLINE)
  onRequest('GET /traces/{traceId}/spans/{spanId}', { ...exampleOf<Span>('Span'), spanId: 'b', messages: null })
  onRequest('GET /openapi.json', { ...JSON.parse(openapi), paths: {} })
  onRequest('GET /api/auth/list-sessions', { data: [] })
})

/** A wide screen shows the facts of a trace without a click. */
function showAllPanels(): void {
  vi.spyOn(window, 'matchMedia').mockImplementation((media) =>
    Object.assign(new EventTarget(), { matches: media.includes('min-width'), media } as MediaQueryList),
  )
}

const shown = () => document.body.textContent ?? ''

/** Announced as an error, or the whole page says that nothing is here. */
const errors = () =>
  screen
    .queryAllByRole('alert')
    .map(({ textContent }) => textContent)
    .filter(Boolean)

function fail(operation: string, status: number): void {
  const retry = status === 429 || status === 503 ? { 'Retry-After': '30' } : {}
  forceFailure(operation, () => failed(status, `Forced ${status}.`, { 'X-Request-Id': `request-${status}`, ...retry }))
}

/** Each failure replaces the one before it: the button that retries works every time. */
async function expectReports(operation: string, open: () => unknown, forced: number[]): Promise<void> {
  let go: () => unknown = open
  for (const status of forced) {
    fail(operation, status)
    go()
    // The router shows that it is loading for half a second.
    await vi.advanceTimersByTimeAsync(700)
    await eventually(() => expect(shown()).toContain(`request-${status}`))
    expect(document.querySelector('h1'), 'the page has a heading').not.toBeNull()
    expect(shown()).toContain(status === 404 && errors().length === 0 ? 'Nothing is here' : `Forced ${status}.`)
    if (status === 429 || status === 503) expect(shown()).toMatch(/You can try again in (30|2\d) seconds\./)
    go = () => fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  }
  forceFailure(operation, networkFailure)
  go()
  await vi.advanceTimersByTimeAsync(3_000)
  await eventually(() => expect(shown()).toContain('The server did not answer.'))
}

async function retry(operation: string): Promise<void> {
  forceFailure(operation, undefined)
  fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
  await eventually(() => expect(errors()).toEqual([]))
}

const cases = pages.flatMap(([path, ...operations]) =>
  operations.map((operation, index) => ({ path, operation, isFirst: index === 0 })),
)

describe('a request that a page loads with fails', () => {
  const title = '$path shows why $operation failed, and loads it again'
  const expectRecovery = async (path: string, operation: string, forced: number[]) => {
    await expectReports(operation, () => openPage(path, 'strict'), forced)
    await retry(operation)
    expect(address()).toContain(path.split('?')[0]?.replace(/\/$/, ''))
  }
  const first = cases.filter(({ isFirst }) => isFirst)
  it.each(first)(title, { tags: 'sized' }, ({ path, operation }) => expectRecovery(path, operation, statuses))

  // All parts of the pages show errors in the same way, so the other requests of a page need not fail in all ways.
  const others = cases.filter(({ isFirst }) => !isFirst)
  // A column of the playground whose version is not found says that it was deleted.
  const isOwn404 = (path: string, operation: string) => path.includes('/playground') && operation.endsWith('/{number}')
  it.each(others)(title, { tags: 'deep' }, ({ path, operation }) =>
    expectRecovery(path, operation, isOwn404(path, operation) ? [503] : [404, 503]),
  )

  it.each(publicPages)(
    '%s shows why %s failed, and loads it again',
    { tags: 'sized' },
    async (path, operation, rejection) => {
      if (!path.startsWith('/device')) onRequest('GET /api/auth/get-session', null)
      onRequest('GET /instance', { ...exampleOf<Instance>('Instance'), setupNeeded: true, signupOpen: true })
      const forced = statuses.filter((status) => !rejection?.statuses.includes(status))
      await expectReports(operation, () => openPage(path, 'strict'), forced)
      await retry(operation)
    },
  )

  it.each(
    publicPages.flatMap(([path, operation, rejection]) => (rejection ? [{ path, operation, ...rejection }] : [])),
  )(
    '$path says that the link or code itself is of no use: $title',
    async ({ path, operation, title, statuses: [status = 404] }) => {
      if (!path.startsWith('/device')) onRequest('GET /api/auth/get-session', null)
      fail(operation, status)
      openPage(path)
      await eventually(() => screen.getByRole('heading', { name: title }))
    },
  )
})

describe('a session that ended', () => {
  const title = 'asks for the password on $path, and the same view is there afterwards'
  const expectSameView = async ({ path, operation }: { path: string; operation: string }) => {
    const deny = () => failed(401, 'Sign in first')
    forceFailure(operation, () => {
      forceFailure('GET /api/auth/get-session', () => Response.json(null))
      forceFailure('GET /me', deny)
      return deny()
    })
    openPage(path)
    await eventually(() => screen.getByRole('dialog', { name: 'Your session has ended' }))
    // Other requests of the page were denied, too: their responses come before anyone can sign in.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    for (const name of [operation, 'GET /me']) forceFailure(name, undefined)
    forceFailure('GET /api/auth/get-session', undefined)
    onRequest('POST /api/auth/sign-in/email', {})
    const dialog = within(screen.getByRole('dialog'))
    fireEvent.input(dialog.getByLabelText('Password'), { target: { value: 'correct horse' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Sign in' }))
    await eventually(() => expect([screen.queryByRole('dialog'), errors()]).toEqual([null, []]))
    expect(address()).toContain(path.replace(/\/$/, ''))
  }
  // One client sends the requests of all pages, so a page per area is enough for it; the deep stage opens the others.
  const perArea = new Set(['/account', inSupport(''), component, run, ANNOTATE_PAGE, inSupport('settings/members')])
  const firsts = pages.map(([path, operation = '']) => ({ path, operation }))
  it.each(firsts.filter(({ path }) => perArea.has(path)))(title, expectSameView)
  it.each(firsts.filter(({ path }) => !perArea.has(path)))(title, { tags: 'deep' }, expectSameView)
})
