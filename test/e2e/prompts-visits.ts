/** The pages of prompts. Their other states are visited by `deploy.test.ts` and `playground.test.ts`. */
import type { Page } from 'playwright-core'
import type { Client } from '../harness/client.ts'

const PROMPTS = '/a/:filled/c/:component/prompts'
const PROMPT = `${PROMPTS}/:prompt`

export const PROMPT_VISITS = [
  { name: 'prompts', as: 'owner', path: PROMPTS, heading: 'support-assistant', prepare: seePrompts },
  { name: 'prompts-as-viewer', as: 'viewer', path: PROMPTS, heading: 'support-assistant' },
  { name: 'prompt-new', as: 'owner', path: PROMPTS, heading: 'support-assistant', prepare: createPrompt },
  { name: 'prompt', as: 'owner', path: PROMPT, heading: 'answer', prepare: seeEditor },
  { name: 'prompt-diff', as: 'viewer', path: `${PROMPT}?view=diff&from=1`, heading: 'answer', prepare: seeDiff },
  { name: 'prompt-json', as: 'viewer', path: `${PROMPT}?view=json`, heading: 'answer' },
  {
    name: 'prompt-roll-back',
    as: 'owner',
    path: `${PROMPT}?rollback=production`,
    heading: 'answer',
    prepare: seeDialog,
  },
  {
    name: 'deploy',
    as: 'owner',
    path: `${PROMPT}/deploy/production?version=2`,
    heading: 'Change the share of v2 in production',
  },
  {
    name: 'deploy-as-viewer',
    as: 'viewer',
    path: `${PROMPT}/deploy/staging?version=2`,
    heading: 'Let staging serve v2',
  },
  { name: 'playground', as: 'owner', path: `${PROMPT}/playground?versions=1,2`, heading: 'Playground' },
  { name: 'playground-items', as: 'viewer', path: `${PROMPT}/playground?rows=items`, heading: 'Playground' },
] as const

/** Two versions, of which production serves both; returns the id of the prompt. */
export async function seedPromptVersions(client: Client, component: string): Promise<string> {
  const prompts = `/components/${component}/prompts`
  const prompt = await client.create(prompts, { name: 'answer', description: 'Answers a customer.' })
  for (const rule of ['Be short.', 'Be short and kind to {{customer}}.']) {
    const messages = [
      { role: 'system', content: rule },
      { placeholder: 'history' },
      { role: 'user', content: '{{question}}' },
    ]
    await client.post(`${prompts}/${prompt}/versions`, { note: rule, content: { messages, model: 'llama-4' } })
  }
  for (const weight of [0, 20]) {
    const splits = [{ version: 1, weight: 100 - weight }, ...(weight > 0 ? [{ version: 2, weight }] : [])]
    await client.send('PUT', `${prompts}/${prompt}/labels/production`, { body: { splits, note: 'canary' } })
  }
  return prompt
}

async function seePrompts(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'answer', exact: true }).first().waitFor()
}

async function createPrompt(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New prompt' }).click()
  await page.getByRole('dialog').waitFor()
}

async function seeEditor(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: /^Text of message 1/ }).waitFor()
}

async function seeDiff(page: Page): Promise<void> {
  await page
    .getByText(/and kind to/)
    .first()
    .waitFor()
}

async function seeDialog(page: Page): Promise<void> {
  await page.getByRole('dialog', { name: 'Roll production back to v1?' }).waitFor()
}
