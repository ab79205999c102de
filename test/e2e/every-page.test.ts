/** Every page, light and dark, in CI at three widths: accessible as far as axe can tell, and usable by a finger. */
import type { Page } from 'playwright-core'
import { beforeAll, it } from 'vitest'
import type { Client } from '../harness/client.ts'
import { PASSWORD, type Person, type TestApp } from '../harness/test-app.ts'
import { AGREEMENT_VISITS, seedRatedRun } from './agreement-visits.ts'
import { describePages, fillSignIn } from './describe-pages.ts'
import { expectAccessible } from './expect-accessible.ts'
import { startInstallation } from './installation.ts'
import { seedTrace, TRACE_ID } from './seed-trace.ts'
import { FAILED_LOAD, SHELL_VISITS } from './shell-visits.ts'

/** Nothing listens on this port: a test of the connection fails at once. */
const CLOSED_PORT = '127.0.0.1:9'
const ENVIRONMENT = {
  TOUCHSTONE_ADMIN_EMAIL: 'admin@example.com',
  TOUCHSTONE_ADMIN_PASSWORD: PASSWORD,
  TOUCHSTONE_ALLOWED_EGRESS: CLOSED_PORT,
}

type Place = {
  owner: Person
  viewer: Person
  stranger: Person
  filled: string
  empty: string
  component: string
  dataset: string
  run: string
}

type Visit = { name: string; as?: 'owner' | 'viewer' | 'stranger'; path: string; heading: string; prepare?: Step }
type Step = (page: Page) => Promise<unknown>

const VISITS: Visit[] = [
  { name: 'sign-in', path: '/sign-in', heading: 'Sign in' },
  { name: 'sign-in-refused', path: '/sign-in', heading: 'Sign in', prepare: signInWrongly },
  { name: 'sign-up-closed', path: '/sign-up', heading: 'Accounts come by invitation' },
  { name: 'applications', as: 'owner', path: '/', heading: 'Applications' },
  { name: 'applications-none', as: 'stranger', path: '/', heading: 'No application yet' },
  { name: 'application-new', as: 'owner', path: '/?new=true', heading: 'New application' },
  { name: 'components-none', as: 'owner', path: '/a/:empty/components', heading: 'No component yet' },
  { name: 'components', as: 'owner', path: '/a/:filled/components', heading: 'Components', prepare: seeTable },
  {
    name: 'components-as-viewer',
    as: 'viewer',
    path: '/a/:filled/components',
    heading: 'Components',
    prepare: seeReason,
  },
  { name: 'overview', as: 'owner', path: '/a/:filled', heading: 'Overview', prepare: seeTable },
  { name: 'component-overview', as: 'owner', path: '/a/:filled/c/:component', heading: 'Recent' },
  {
    name: 'component-datasets',
    as: 'owner',
    path: '/a/:filled/c/:component/datasets',
    heading: 'Datasets',
    prepare: seeTable,
  },
  {
    name: 'component-runs',
    as: 'owner',
    path: '/a/:filled/c/:component/runs',
    heading: 'Runs',
    prepare: seeTable,
  },
  {
    name: 'component-evaluations',
    as: 'owner',
    path: '/a/:filled/c/:component/evaluations',
    heading: 'Evaluations',
    prepare: seeTable,
  },
  ...SHELL_VISITS,
  ...AGREEMENT_VISITS,
  { name: 'component-delete', as: 'owner', path: '/a/:filled/components', heading: 'Components', prepare: askToDelete },
  { name: 'settings-general', as: 'owner', path: '/a/:filled/settings/general', heading: 'General' },
  {
    name: 'settings-api-keys',
    as: 'owner',
    path: '/a/:filled/settings/api-keys',
    heading: 'API Keys',
    prepare: seeTable,
  },
  { name: 'settings-members', as: 'owner', path: '/a/:filled/settings/members', heading: 'Members', prepare: seeTable },
  { name: 'settings-as-viewer', as: 'viewer', path: '/a/:filled/settings/members', heading: 'Not for your role' },
  { name: 'traces', as: 'viewer', path: '/a/:filled/traces', heading: 'Traces', prepare: seeRows },
  { name: 'traces-peek', as: 'viewer', path: `/a/:filled/traces?trace=${TRACE_ID}`, heading: 'Where is my order?' },
  { name: 'traces-none', as: 'owner', path: '/a/:empty/traces', heading: 'No trace yet' },
  { name: 'traces-no-match', as: 'viewer', path: '/a/:filled/traces?q=zzz', heading: 'No trace matches' },
  { name: 'trace', as: 'viewer', path: `/a/:filled/traces/${TRACE_ID}`, heading: 'Where is my order?' },
  {
    name: 'trace-timeline',
    as: 'viewer',
    path: `/a/:filled/traces/${TRACE_ID}?view=timeline`,
    heading: 'Where is my order?',
  },
  {
    name: 'trace-rated',
    as: 'owner',
    path: `/a/:filled/traces/${TRACE_ID}`,
    heading: 'Where is my order?',
    prepare: rateAndComment,
  },
  { name: 'first-trace', as: 'owner', path: '/a/:empty/first-trace', heading: 'Waiting for a trace…' },
  {
    name: 'first-trace-with-key',
    as: 'owner',
    path: '/a/:filled/first-trace',
    heading: 'Your first trace has arrived',
    prepare: fillInKey,
  },
  {
    name: 'first-trace-as-viewer',
    as: 'viewer',
    path: '/a/:filled/first-trace',
    heading: 'Your first trace has arrived',
  },
  { name: 'settings-rating-scheme', as: 'owner', path: '/a/:filled/settings/rating-scheme', heading: 'Rating scheme' },
  {
    name: 'settings-rating-scheme-changed',
    as: 'owner',
    path: '/a/:filled/settings/rating-scheme',
    heading: 'Rating scheme',
    prepare: removeRating,
  },
  {
    name: 'settings-rating-scheme-as-viewer',
    as: 'viewer',
    path: '/a/:filled/settings/rating-scheme',
    heading: 'Rating scheme',
  },
  {
    name: 'settings-models',
    as: 'owner',
    path: '/a/:filled/settings/models',
    heading: 'Models',
    prepare: testConnection,
  },
  { name: 'settings-models-none', as: 'owner', path: '/a/:empty/settings/models', heading: 'No model connected yet' },
  { name: 'settings-models-as-viewer', as: 'viewer', path: '/a/:filled/settings/models', heading: 'Not for your role' },
  { name: 'model-new', as: 'owner', path: '/a/:filled/settings/models?new=true', heading: 'Connect a model' },
  {
    name: 'model-edit',
    as: 'owner',
    path: '/a/:filled/settings/models',
    heading: 'Models',
    prepare: changeBaseUrl,
  },
  { name: 'settings-prices', as: 'owner', path: '/a/:filled/settings/prices', heading: 'Prices', prepare: seePrices },
  { name: 'settings-prices-none', as: 'owner', path: '/a/:empty/settings/prices', heading: 'No price of your own' },
  { name: 'price-new', as: 'owner', path: '/a/:filled/settings/prices?new=true', heading: 'Add price' },
  { name: 'prices-apply', as: 'owner', path: '/a/:filled/settings/prices', heading: 'Prices', prepare: askToReprice },
  { name: 'settings-retention', as: 'owner', path: '/a/:filled/settings/retention', heading: 'Last cleanup' },
  {
    name: 'settings-retention-shorter',
    as: 'owner',
    path: '/a/:filled/settings/retention',
    heading: 'Last cleanup',
    prepare: shortenRetention,
  },
  {
    name: 'settings-retention-as-viewer',
    as: 'viewer',
    path: '/a/:filled/settings/retention',
    heading: 'Last cleanup',
  },
  { name: 'settings-audit', as: 'owner', path: '/a/:filled/settings/audit', heading: 'Today' },
  { name: 'settings-audit-as-viewer', as: 'viewer', path: '/a/:filled/settings/audit', heading: 'Not for your role' },
  {
    name: 'settings-audit-no-match',
    as: 'owner',
    path: '/a/:filled/settings/audit?to=2020-01-01',
    heading: 'No event matches',
  },
  { name: 'settings-health', as: 'owner', path: '/a/:filled/settings/health', heading: 'This application' },
  { name: 'settings-health-as-viewer', as: 'viewer', path: '/a/:filled/settings/health', heading: 'Not for your role' },
  { name: 'account', as: 'owner', path: '/account', heading: 'Sessions' },
  { name: 'account-none', as: 'stranger', path: '/account', heading: 'No application yet' },
  { name: 'account-new-key', as: 'owner', path: '/account?new=true', heading: 'New API key' },
  {
    name: 'account-second-factor',
    as: 'owner',
    path: '/account',
    heading: 'Second factor',
    prepare: setUpSecondFactor,
  },
  { name: 'reset-refused', path: '/reset', heading: 'This link does not work' },
  { name: 'api-key-new', as: 'owner', path: '/a/:filled/settings/api-keys?new=true', heading: 'New API key' },
  {
    name: 'api-key-made',
    as: 'owner',
    path: '/a/:filled/settings/api-keys?new=true',
    heading: 'New API key',
    prepare: makeKey,
  },
  { name: 'member-new', as: 'owner', path: '/a/:filled/settings/members?new=true', heading: 'Invite member' },
  { name: 'device', as: 'owner', path: '/device', heading: 'Connect the command line' },
  // A few operations hold every kind of element; axe would look at each of the thousands on the whole page.
  { name: 'docs', path: '/docs?q=views', heading: 'Views' },
  { name: 'docs-nothing', path: '/docs?q=zzz', heading: 'Nothing matches' },
  { name: 'not-found', as: 'owner', path: '/a/none/components', heading: 'Nothing is here' },
  { name: 'not-found-bare', path: '/no/such/page', heading: 'Nothing is here' },
]

describePages(
  'every page',
  (app, open) => {
    let place: Place | undefined
    beforeAll(async () => {
      place = await seedPlace(app())
    })

    it.each(VISITS)(
      '$name is accessible at every width, light and dark',
      async ({ name, as, path, heading, prepare }) => {
        if (!place) throw new Error('the place exists only while a test runs')
        const { filled, empty, component, dataset, run } = place
        const person = as && { person: place[as] }
        const complaints = [/^answer: 401 POST \/api\/auth\/sign-in\/email$/, FAILED_LOAD]
        const page = await open(app().url, { ...person, complaints, isShared: true })
        // Whatever it pointed at on the page before, it must not point at here.
        await page.mouse.move(0, 0)
        const inComponent = path.replace(':component', component).replace(':dataset', dataset).replace(':run', run)
        await page.goto(inComponent.replace(':filled', filled).replace(':empty', empty))
        await page
          .getByRole('heading', { name: heading, exact: true })
          .or(page.getByRole('tab', { name: heading }))
          .waitFor()
        await prepare?.(page)
        await expectAccessible(page, name)
      },
    )

    it('the set-up page, the page of an invitation and of a command line are accessible, light and dark', async () => {
      if (!place) throw new Error('the place exists only while a test runs')
      const { owner, filled } = place
      const page = await open(app().url, { person: owner })
      const { body: device } = await app().anonymous.post('/api/auth/device/code', { client_id: 'touchstone-cli' })
      await page.goto(String(device.verification_uri_complete))
      await page.getByRole('button', { name: 'Approve' }).waitFor()
      await expectAccessible(page, 'device-request')
      const invited = { email: 'invited@example.com', role: 'editor' }
      const { body: invitation } = await app().asPerson(owner, filled).post('/members', invited)
      await page.goto(String(invitation.invitationUrl))
      await page.getByRole('heading', { name: 'This invitation is for another account' }).waitFor()
      await expectAccessible(page, 'invite-other-account')
      const newcomer = await open(app().url)
      await newcomer.goto(String(invitation.invitationUrl))
      await newcomer.getByRole('button', { name: 'Join' }).waitFor()
      await expectAccessible(newcomer, 'invite')

      await using fresh = await startInstallation('sqlite')
      const freshPage = await open(fresh.url)
      await freshPage.goto(fresh.setupLink)
      await freshPage.getByRole('heading', { name: 'Welcome to Touchstone' }).waitFor()
      await expectAccessible(freshPage, 'setup')
      await freshPage.goto('/sign-in')
      await freshPage.getByText('This server has no account yet').waitFor()
      await expectAccessible(freshPage, 'sign-in-before-setup')
    })
  },
  { environment: ENVIRONMENT },
)

async function seedPlace(app: TestApp): Promise<Place> {
  const { workspaceId: filled, client: sender } = await app.newWorkspace('Customer support')
  const { workspaceId: empty } = await app.newWorkspace('Search relevance')
  const owner = await app.newPerson([filled, empty].map((workspaceId) => ({ workspaceId, role: 'owner' as const })))
  const viewer = await app.newPerson([{ workspaceId: filled, role: 'viewer' }])
  const client = app.asPerson(owner, filled)
  await client.patch(`/workspaces/${filled}`, { name: 'Customer support', description: 'Everything a customer reads.' })
  await client.create('/components', { name: 'triage' })
  await client.create('/components', { name: 'summariser', description: 'Condenses a thread into three sentences.' })
  const component = await client.create('/components', {
    name: 'support-assistant',
    description: 'First-line answers.',
  })
  const path = `/components/${component}`
  const datasetId = await client.create(`${path}/datasets`, { name: 'golden answers', traceIds: ['a', 'b'] })
  const hardCases = { name: 'hard cases', description: 'What went wrong in October.' }
  const dataset = await client.create(`${path}/datasets`, hardCases)
  for (const name of ['v1', 'v2', undefined]) await client.create(`${path}/runs`, { datasetId, name, traceIds: ['a'] })
  await client.create(`${path}/evaluations`, { datasetId, name: 'faithfulness' })
  await client.create(`${path}/evaluations`, { datasetId })
  await client.create('/api-keys', { name: 'notebook', expiresAt: null })
  await client.create('/members', { email: 'grace@example.com', role: 'annotator' })
  await seedTrace(sender)
  await seedRejectedKey(app, client)
  const ratings = ['wrong', 'partly', 'right'].map((value, score) => ({ value, score }))
  await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
  const run = await seedRatedRun(app, { owner, workspaceId: filled, component, dataset })
  const baseUrl = `http://${CLOSED_PORT}/v1`
  await client.create('/connections', { name: 'Local', baseUrl, apiKey: 'secret', models: ['llama-4'] })
  const price = { inputPerMillion: 0.2, outputPerMillion: 0.6 }
  await client.create('/prices', { modelPattern: 'our-llama-.*', ...price })
  await client.create('/prices', {
    modelPattern: 'gpt-5',
    provider: 'openai',
    ...price,
    validFrom: '2026-01-01T00:00:00Z',
  })
  await client.send('PUT', '/retention', { body: { days: 90 } })
  return { owner, viewer, stranger: await app.newPerson(), filled, empty, component, dataset, run }
}

async function seedRejectedKey(app: TestApp, client: Client): Promise<void> {
  const { body: key } = await client.post('/api-keys', { name: 'old laptop', role: 'editor' })
  await client.delete(`/api-keys/${key.id}`)
  await app.withKey(String(key.key)).get('/me')
}

async function signInWrongly(page: Page): Promise<void> {
  await fillSignIn(page, 'nobody@example.com', 'not the password at all')
  await page.getByRole('alert').waitFor()
}

async function seeRows(page: Page): Promise<void> {
  await page.getByRole('grid', { name: 'Traces' }).getByText('Where is my order?').waitFor()
}

async function seeTable(page: Page): Promise<void> {
  await page.getByRole('table').waitFor()
}

async function seeReason(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New component' }).hover()
  await page.getByRole('tooltip').waitFor()
}

async function askToDelete(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Delete triage' }).click()
  await page.getByRole('dialog').waitFor()
}

async function rateAndComment(page: Page): Promise<void> {
  await page.getByRole('group', { name: 'Rating' }).getByRole('button').first().click()
  await page.getByText('Saved').waitFor()
  await page.getByRole('textbox', { name: 'Comment on the trace' }).fill('Where is the map?')
  await page.keyboard.press('Control+Enter')
  await page.getByRole('listitem').filter({ hasText: 'Where is the map?' }).waitFor()
  await page.getByRole('button', { name: 'Say why' }).click()
}

async function fillInKey(page: Page): Promise<void> {
  await page.getByRole('heading', { name: '1 request with a revoked key' }).waitFor()
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByText('The key is shown once.').waitFor()
}

async function makeKey(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).fill('ci')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'I have saved this key' }).click()
  await page.getByRole('alert').waitFor()
}

async function removeRating(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Remove partly' }).click()
  await page.getByText('No longer in the scheme: partly').waitFor()
}

async function testConnection(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Test Local' }).click()
  await page.getByText('It does not work').waitFor()
}

async function changeBaseUrl(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit Local' }).click()
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://example.com/v1')
  await page.getByText('A new base URL removes the key').waitFor()
}

async function setUpSecondFactor(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Turn on…' }).click()
  await page.getByRole('textbox', { name: 'Your password' }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
}

async function askToReprice(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Apply to stored traces…' }).click()
  await page.getByRole('dialog').waitFor()
}

async function seePrices(page: Page): Promise<void> {
  await page.getByRole('list', { name: 'Prices' }).waitFor()
}

async function shortenRetention(page: Page): Promise<void> {
  await page.getByRole('spinbutton', { name: 'Days' }).fill('7')
  await page.getByRole('button', { name: 'Save…' }).click()
  await page.getByRole('dialog').waitFor()
}
