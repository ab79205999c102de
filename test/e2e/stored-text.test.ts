// @module-tag deep
import type { Locator, Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { createAccount } from '../../src/auth/accounts/accounts.ts'
import { insertMember } from '../../src/auth/members/member-queries.ts'
import { timestamp } from '../../src/base/clock.ts'
import { idGenerator } from '../../src/base/ids.ts'
import type { Client } from '../harness/client.ts'
import { rounds } from '../harness/stage.ts'
import type { Person, TestApp } from '../harness/test-app.ts'
import { until } from '../harness/wait-for.ts'
import { describePages, newOwner } from './describe-pages.ts'
import { HOSTILE_TEXTS, LONG_TEXT } from './hostile-texts.ts'
import { seedComparedRuns } from './seed-compared-runs.ts'

const ALLOWED_HOST = '127.0.0.1:9'
/** As long as the name of a model, or of a provider, may be. */
const MODELS = HOSTILE_TEXTS.map((text) => text.slice(0, 200))
const PROVIDERS = HOSTILE_TEXTS.map((text) => text.slice(0, 100))

const PAGES_EVERY = rounds({ test: 6, soak: 1 })

// The harness checks after each test that nothing runs, opens a dialog, loads or breaks the content policy.
describePages(
  'stored text',
  (app, open) => {
    let owner: { person: Person; workspaceId: string } | undefined
    beforeAll(async () => {
      owner = await newOwner(app())
      await seedHostileTexts(app(), owner)
    })

    async function openAt(path: string): Promise<Page> {
      if (!owner) throw new Error('the owner exists only while a test runs')
      const page = await open(app().url, { person: owner.person })
      await page.goto(path.replace(':id', owner.workspaceId))
      return page
    }

    it('there are enough hostile texts, and they fit on one page of a list', () => {
      expect(HOSTILE_TEXTS.length).toBeGreaterThanOrEqual(40)
      expect(HOSTILE_TEXTS.length).toBeLessThan(50)
    })

    it('names and descriptions of components are shown unchanged, in the list and on their pages', async () => {
      const page = await openAt('/a/:id/components')
      const links = page.getByRole('table', { name: 'Components' }).getByRole('rowheader').getByRole('link')
      expect(await textsOf(links)).toEqual(HOSTILE_TEXTS.toSorted())
      await expectNothingInjected(page)
      for (const [index, text] of (await links.allTextContents()).entries()) {
        // All texts reach the page through the same elements, and each visit is slow.
        if (index % PAGES_EVERY !== 0) continue
        await links.nth(index).click()
        // Only the page of a component has this link.
        await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Components' }).waitFor()
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(text)
        expect(await page.title()).toContain(text)
        expect(await page.getByRole('main').textContent()).toContain(`about ${text}`)
        await page.getByRole('navigation', { name: 'Application' }).getByRole('link', { name: 'Components' }).click()
      }
    })

    it('names of applications are shown unchanged, in the list and in the switcher', async () => {
      const page = await openAt('/')
      const names = await textsOf(page.getByRole('main').getByRole('listitem').getByRole('heading'))
      expect(names).toEqual(expect.arrayContaining(HOSTILE_TEXTS))
      await page.getByRole('button', { name: 'Choose an application' }).click()
      expect(await textsOf(page.getByRole('option'))).toEqual(names)
      await expectNothingInjected(page)
    })

    it('names of keys are shown unchanged', async () => {
      const page = await openAt('/a/:id/settings/api-keys')
      const names = await textsOf(page.getByRole('rowheader').locator('> span'))
      expect(names).toEqual(expect.arrayContaining(HOSTILE_TEXTS))
      await expectNothingInjected(page)
    })

    it('names of members are shown unchanged', async () => {
      const page = await openAt('/a/:id/settings/members')
      const members = page.getByRole('table', { name: 'Members' }).getByRole('rowheader')
      const shown = (await textsOf(members)).join('\n')
      for (const text of HOSTILE_TEXTS) expect(shown).toContain(text)
      await expectNothingInjected(page)
    })

    it('ratings are shown unchanged, in their fields and in the rating bar', async () => {
      const page = await openAt('/a/:id/settings/rating-scheme')
      const bar = page.getByRole('region', { name: 'As annotators see it' }).getByRole('listitem').locator('bdi')
      expect(await textsOf(bar)).toEqual(HOSTILE_TEXTS.toSorted())
      const fields = page.getByRole('textbox', { name: /^Word/ })
      expect(await fields.evaluateAll((inputs) => inputs.map((input) => Reflect.get(input, 'value')))).toEqual(
        HOSTILE_TEXTS,
      )
      await expectNothingInjected(page)
    })

    it('names of connections and of their models are shown unchanged', async () => {
      const page = await openAt('/a/:id/settings/models')
      expect(await textsOf(page.getByRole('main').getByRole('listitem').getByRole('heading', { level: 2 }))).toEqual(
        HOSTILE_TEXTS.toSorted(),
      )
      expect(await textsOf(page.getByRole('definition').locator('code'))).toEqual(MODELS.toSorted())
      await expectNothingInjected(page)
    })

    it('a new evaluation shows names of runs, datasets, models and evaluators unchanged', async () => {
      const page = await openAt('/a/:id/components')
      const links = page.getByRole('table', { name: 'Components' }).getByRole('rowheader').getByRole('link')
      await links.first().click()
      await page.getByRole('navigation', { name: 'Component' }).waitFor()
      const component = page.url().split('/c/')[1]?.split(/[/?]/)[0]
      if (!owner) throw new Error('the owner exists only while a test runs')
      const client = app().asPerson(owner.person, owner.workspaceId)
      const below = `/components/${component}`
      for (const name of HOSTILE_TEXTS.slice(0, 20)) {
        const datasetId = await client.create(`${below}/datasets`, { name })
        await client.post(`${below}/datasets/${datasetId}/items`, [{ input: name, output: name }])
        await client.create(`${below}/runs`, { datasetId, name })
      }
      const [datasetId] = (await client.list(`${below}/datasets`)).map(({ id }) => String(id))
      const evaluators = HOSTILE_TEXTS.slice(0, 40).map((name) => ({
        type: 'contains',
        name: name.slice(0, 200),
        value: name,
      }))
      const config = { evaluators, provider: HOSTILE_TEXTS[3], '<b>key</b>': 1 }
      const evaluation = await client.create(`${below}/evaluations`, { datasetId, config })
      await page.goto(`/a/${owner.workspaceId}/c/${component}/evaluations/new?from=${evaluation}`)
      const section = page.getByRole('region', { name: 'Contains a text' })
      await section.locator('summary').first().click()
      await section.getByRole('button', { name: 'Try on 3 cases' }).click()
      await section.getByText(/nothing stored/).waitFor()
      const datasets = page.getByRole('combobox', { name: 'Dataset' }).locator('option')
      expect((await datasets.allTextContents()).toSorted()).toEqual(HOSTILE_TEXTS.slice(0, 20).toSorted())
      const runs = page.getByRole('combobox', { name: 'Run' }).locator('option')
      expect(await runs.allTextContents()).toEqual(expect.arrayContaining(HOSTILE_TEXTS.slice(0, 20)))
      await page.getByText('Also in the config, and kept as they are: <b>key</b>.').waitFor({ state: 'attached' })
      await expectNothingInjected(page)
    })

    it('names of providers are shown unchanged', async () => {
      const page = await openAt('/a/:id/settings/prices')
      const shown = (await textsOf(page.getByRole('list', { name: 'Prices' }).getByRole('paragraph'))).join('\n')
      for (const text of PROVIDERS) expect(shown).toContain(text)
      await expectNothingInjected(page)
    })

    it('the audit log shows names of members unchanged', async () => {
      const page = await openAt('/a/:id/settings/audit')
      const subjects = page
        .getByRole('paragraph')
        .filter({ hasText: 'changed the role of' })
        .locator('bdi:nth-of-type(2)')
      expect(await textsOf(subjects)).toEqual(HOSTILE_TEXTS.toSorted())
      await expectNothingInjected(page)
    })

    it('an evaluation shows names, texts and reasons unchanged', async () => {
      if (!owner) throw new Error('the owner exists only while a test runs')
      const { workspaceId, person } = owner
      const { component, evaluations } = await seedHostileEvaluations(app().asPerson(person, workspaceId))
      const page = await openAt(`/a/:id/c/${component}/evaluations`)
      const links = page.getByRole('table', { name: 'Evaluations' }).getByRole('rowheader').getByRole('link')
      expect(await textsOf(links)).toEqual(evaluations.map(({ name }) => name).toSorted())
      await expectNothingInjected(page)
      for (const { id, name } of evaluations) {
        await page.goto(`/a/${workspaceId}/c/${component}/evaluations/${id}`)
        await page.getByRole('grid', { name: 'Cases' }).getByText(`asked ${name}`.slice(0, 150)).waitFor()
        expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name)
        expect(await textsOf(page.getByRole('heading', { level: 3 }))).toEqual([metricOf(name)])
        await page.keyboard.press('j')
        await page.getByRole('complementary', { name: 'Case' }).getByText(`answered ${name}`).first().waitFor()
        await expectNothingInjected(page)
        const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        expect(excess, name).toBe(0)
      }
    })

    it('a comparison shows questions, answers, expected texts and names of runs unchanged', async () => {
      const { person, workspaceId } = owner ?? {}
      if (!person || !workspaceId) throw new Error('the owner exists only while a test runs')
      const [one = '', other = ''] = HOSTILE_TEXTS
      const runs = [one.slice(0, 200), other.slice(0, 200)] as const
      const answer = (text: string) => `${text} ${text}`
      const seeded = await seedComparedRuns(app().asPerson(person, workspaceId), {
        name: 'compared',
        questions: HOSTILE_TEXTS,
        runs,
        answer,
      })
      const { component, baseline, candidate } = seeded
      const page = await openAt(`/a/:id/c/${component}/compare?base=${baseline}&cand=${candidate}`)
      const item = page.getByRole('article', { name: 'Item' })
      await item.waitFor()
      const seen = new Set<string>()
      for (let number = 0; number < 8; number += 1) {
        const text = (await item.getByRole('heading').textContent()) ?? ''
        seen.add(text)
        expect(HOSTILE_TEXTS.map((known) => known.trim())).toContain(text)
        expect(await item.textContent()).toContain(`What is expected of ${text}`)
        await page.keyboard.press('j')
        await expect.poll(() => item.getByRole('heading').textContent()).not.toBe(text)
      }
      expect(seen.size).toBe(8)
      await expectNothingInjected(page)
    })

    it('items of a dataset are shown unchanged, in the table and in the panel', async () => {
      if (!owner) throw new Error('the owner exists only while a test runs')
      const client = app().asPerson(owner.person, owner.workspaceId)
      const [component] = await client.list('/components')
      const [name = ''] = HOSTILE_TEXTS
      const dataset = await client.create(`/components/${component?.id}/datasets`, { name, description: name })
      const texts = HOSTILE_TEXTS.slice(0, 12)
      const items = texts.map((text) => ({ input: text, expected: text, metadata: { [text]: text } }))
      await client.post(`/components/${component?.id}/datasets/${dataset}/items`, items)
      const page = await openAt(`/a/:id/c/${component?.id}/datasets/${dataset}?sort=oldest`)
      const rows = page.getByRole('grid', { name: 'Items' }).getByRole('row')
      await rows.nth(texts.length).waitFor()
      const shown = await rows.evaluateAll((elements) => elements.map((element) => element.textContent))
      for (const [place, text] of texts.entries()) expect(shown[place + 1]).toContain(text.slice(0, 200))
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(name)
      await rows.nth(1).click()
      await page
        .getByRole('complementary', { name: 'Item' })
        .getByRole('heading', { name: /Results/ })
        .waitFor()
      await expectNothingInjected(page)
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect(excess).toBe(0)
    })

    it('a very long name does not make a page wider than the window', async () => {
      const tooWide: Record<string, unknown> = {}
      const settings = ['api-keys', 'members', 'rating-scheme', 'models'].map((section) => `/a/:id/settings/${section}`)
      for (const path of ['/', '/a/:id/components', ...settings]) {
        const page = await openAt(path)
        await page.getByText(LONG_TEXT).first().waitFor()
        const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
        if (excess !== 0) tooWide[path] = excess
      }
      expect(tooWide).toEqual({})
    })

    it('a name that reverses the direction of writing does not reverse the message around it', async () => {
      const page = await openAt('/a/:id/components')
      await page.getByRole('button', { name: /^Delete .?reversed and never ended$/ }).click()
      await page.getByRole('dialog').waitFor()
      expect(await page.evaluate(IS_WRITTEN_FORWARDS)).toBe(true)
    })

    it('a dialog and a message that name a hostile text show it as text', async () => {
      const page = await openAt('/a/:id/components')
      const text = HOSTILE_TEXTS[10] ?? ''
      await page.getByRole('button', { name: `Delete ${text}`, exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Delete component' })
      await dialog.getByRole('textbox', { name: `Type “${text}” to confirm` }).fill(text)
      await dialog.getByRole('button', { name: 'Delete component' }).click()
      await page.getByText(`Deleted ${text}.`, { exact: true }).first().waitFor()
      await expectNothingInjected(page)
    })
  },
  { environment: { TOUCHSTONE_ALLOWED_EGRESS: ALLOWED_HOST } },
)

async function seedHostileTexts(app: TestApp, { person, workspaceId }: { person: Person; workspaceId: string }) {
  const client = app.asPerson(person, workspaceId)
  const newId = idGenerator(app.clock)
  const memberIds: string[] = []
  const ratings = HOSTILE_TEXTS.map((value, score) => ({ value, score }))
  await client.send('PUT', '/rating-scheme', { body: { ratings, ordered: true } })
  for (const [index, name] of HOSTILE_TEXTS.entries()) {
    await client.create('/connections', { name, baseUrl: `http://${ALLOWED_HOST}/v1`, models: [MODELS[index]] })
    const price = { modelPattern: `m${index}`, inputPerMillion: 1, outputPerMillion: 1 }
    await client.create('/prices', { ...price, provider: PROVIDERS[index] })
  }
  for (const text of HOSTILE_TEXTS) {
    await client.create('/components', { name: text, description: `about ${text}` })
    await client.create('/workspaces', { name: text })
    await client.create('/api-keys', { name: text })
    // Not by an invitation: each would hash a password, which needs time and is not used.
    const memberId = await app.storage.transaction(async (tx) => {
      const credentials = { email: `${newId()}@example.com`, name: text, passwordHash: 'none' }
      const { id: userId } = await createAccount({ tx, clock: app.clock, newId }, credentials)
      const createdAt = timestamp(app.clock.now())
      await insertMember(tx, { workspaceId, userId, role: 'viewer', createdAt })
      return userId
    })
    memberIds.push(memberId)
  }
  // After all others, so that these events are the first page of the audit log.
  for (const id of memberIds) await client.patch(`/members/${id}`, { role: 'annotator' })
}

/** As long as the name of an evaluator may be. */
function metricOf(name: string): string {
  return `metric ${name}`.slice(0, 100).trim()
}

/** Evaluations of one case each, in which everything that has a text is hostile. */
async function seedHostileEvaluations(client: Client) {
  const component = await client.create('/components', { name: 'evaluated' })
  const path = `/components/${component}`
  const evaluations: { id: string; name: string }[] = []
  for (const [index, text] of [...HOSTILE_TEXTS, LONG_TEXT.slice(0, 400)].entries()) {
    if (index % PAGES_EVERY !== 0) continue
    // No name has spaces at its ends, or control characters.
    const name = text.replaceAll(/\p{Cc}/gu, '').trim()
    const datasetId = await client.create(`${path}/datasets`, { name })
    const item = { input: `asked ${name}`, output: `answered ${name}`, expected: `expected ${name}` }
    await client.post(`${path}/datasets/${datasetId}/items`, item)
    const config = { evaluators: [{ type: 'exactMatch', name: metricOf(name) }] }
    evaluations.push({ name, id: await client.create(`${path}/evaluations`, { datasetId, name, config }) })
  }
  for (const { id } of evaluations)
    await until(async () => expect((await client.get(`${path}/evaluations/${id}`)).body.status).toBe('completed'))
  return { component, evaluations }
}

async function textsOf(locator: Locator): Promise<string[]> {
  await locator.first().waitFor()
  return (await locator.allTextContents()).toSorted()
}

/** Whether "goes" stands to the left of "with", in "<name> goes with its datasets". */
const IS_WRITTEN_FORWARDS = `(() => {
  const walker = document.createTreeWalker(document.querySelector('dialog'), NodeFilter.SHOW_TEXT)
  while (walker.nextNode() && !walker.currentNode.data.includes('goes with'));
  const text = walker.currentNode
  const leftOf = (word) => {
    const range = document.createRange()
    range.setStart(text, text.data.indexOf(word))
    range.setEnd(text, text.data.indexOf(word) + word.length)
    return range.getBoundingClientRect().left
  }
  return leftOf('goes') < leftOf('with')
})()`

/** No element that only a text could have brought. */
async function expectNothingInjected(page: Page): Promise<void> {
  const main = page.getByRole('main')
  expect(await main.locator('script, iframe, object, embed, img, video, base, link, meta, style, math').count()).toBe(0)
  expect(await page.evaluate('document.baseURI')).toBe(page.url())
}
