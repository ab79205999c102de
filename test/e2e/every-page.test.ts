// @module-tag deep
/** Every page, light and dark, at three widths: accessible according to axe, and usable by touch. */
import type { Page } from 'playwright-core'
import { beforeAll, it } from 'vitest'
import { PASSWORD } from '../harness/test-app.ts'
import { AGREEMENT_VISITS } from './agreement-visits.ts'
import { COMPARE_TRACES_VISITS, MISSING_TRACE } from './compare-traces-visits.ts'
import { COMPARE_VISITS } from './compare-visits.ts'
import { DATASET_VISITS } from './dataset-visits.ts'
import { DECISION_VISITS } from './decisions-visits.ts'
import { describePages, fillSignIn } from './describe-pages.ts'
import { EVALUATION_VISITS } from './evaluation-visits.ts'
import { expectAccessible } from './expect-accessible.ts'
import { EXPERIMENT_VISITS } from './experiment-visits.ts'
import { IMPORT_VISITS } from './import-visits.ts'
import { startInstallation } from './installation.ts'
import { INVALID_CONFIG, NEW_EVALUATION_VISITS } from './new-evaluation-visits.ts'
import { PROMPT_VISITS } from './prompts-visits.ts'
import { RUN_VISITS } from './runs-visits.ts'
import { CLOSED_PORT, type Place, seedPlace } from './seed-place.ts'
import { TRACE_ID } from './seed-trace.ts'
import { FAILED_LOAD, SHELL_VISITS } from './shell-visits.ts'
import { TRIAL_VISITS } from './trial-visits.ts'

const ENVIRONMENT = {
  TOUCHSTONE_ADMIN_EMAIL: 'admin@example.com',
  TOUCHSTONE_ADMIN_PASSWORD: PASSWORD,
  TOUCHSTONE_ALLOWED_EGRESS: CLOSED_PORT,
}

type Visit = { name: string; as?: 'owner' | 'viewer' | 'stranger'; path: string; heading: string; prepare?: Step }
type Step = (page: Page) => Promise<unknown>

const VISITS: Visit[] = [
  { name: 'sign-in', path: '/sign-in', heading: 'Sign in' },
  { name: 'sign-in-rejected', path: '/sign-in', heading: 'Sign in', prepare: signInWrongly },
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
    name: 'component-evaluations',
    as: 'owner',
    path: '/a/:filled/c/:component/evaluations',
    heading: 'Evaluations',
    prepare: seeTable,
  },
  ...SHELL_VISITS,
  ...AGREEMENT_VISITS,
  ...RUN_VISITS,
  ...EVALUATION_VISITS,
  ...COMPARE_VISITS,
  ...COMPARE_TRACES_VISITS,
  ...DECISION_VISITS,
  ...NEW_EVALUATION_VISITS,
  ...TRIAL_VISITS,
  ...EXPERIMENT_VISITS,
  ...DATASET_VISITS,
  ...IMPORT_VISITS,
  ...PROMPT_VISITS,
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
  {
    name: 'settings-endpoints',
    as: 'viewer',
    path: '/a/:filled/settings/endpoints',
    heading: 'Endpoints',
  },
  { name: 'settings-endpoints-none', as: 'owner', path: '/a/:empty/settings/endpoints', heading: 'No endpoint yet' },
  { name: 'endpoint-new', as: 'owner', path: '/a/:filled/settings/endpoints?new=true', heading: 'Add an endpoint' },
  {
    name: 'endpoint-tested',
    as: 'owner',
    path: '/a/:filled/settings/endpoints',
    heading: 'Endpoints',
    prepare: testEndpoint,
  },
  {
    name: 'endpoint-edited',
    as: 'owner',
    path: '/a/:filled/settings/endpoints',
    heading: 'Endpoints',
    prepare: changeEndpointUrl,
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
  {
    name: 'forgot-password-without-mail',
    path: '/forgot-password',
    heading: 'This server sends no links for passwords',
  },
  { name: 'reset-rejected', path: '/reset', heading: 'This link does not work' },
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
        const ids = new Map(Object.entries(place))
        const person = as && { person: place[as] }
        const complaints = [
          /^answer: 401 POST \/api\/auth\/sign-in\/email$/,
          FAILED_LOAD,
          INVALID_CONFIG,
          MISSING_TRACE,
        ]
        const page = await open(app().url, { ...person, complaints, isShared: true })
        // The pointer must not stay over an element of the page before.
        await page.mouse.move(0, 0)
        await page.goto(path.replaceAll(/:([a-z]+)/g, (_, id) => String(ids.get(id))))
        await page
          .getByRole('heading', { name: heading, exact: true })
          .or(page.getByRole('tab', { name: heading }))
          .waitFor()
        await prepare?.(page)
        // What is loaded again is dimmed meanwhile.
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
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
  { environment: ENVIRONMENT, retryPauseMs: 5 },
)

async function signInWrongly(page: Page): Promise<void> {
  await fillSignIn(page, 'nobody@example.com', 'not the password at all')
  await page.getByRole('alert').waitFor()
}

async function seeRows(page: Page): Promise<void> {
  await page.getByRole('grid', { name: 'Traces' }).getByRole('row').nth(1).waitFor()
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

async function testEndpoint(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Test staging' }).click()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('It does not work').waitFor()
}

async function changeEndpointUrl(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Edit staging' }).click()
  await page.getByRole('textbox', { name: 'Base URL' }).fill('https://example.com/answer')
  await page.getByText('A new base URL removes the headers').waitFor()
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
