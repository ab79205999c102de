import type { Page } from 'playwright-core'
import type { Client } from '../harness/client.ts'

const DATASET = '/a/:filled/c/:component/datasets/:dataset'

/** The page of a dataset, with its panel and dialogs. */
export const DATASET_VISITS = [
  { name: 'dataset', as: 'owner', path: DATASET, heading: 'hard cases', prepare: seeItems },
  { name: 'dataset-as-viewer', as: 'viewer', path: DATASET, heading: 'hard cases', prepare: openItem },
  { name: 'dataset-peek', as: 'owner', path: DATASET, heading: 'hard cases', prepare: openItem },
  { name: 'dataset-no-match', as: 'owner', path: `${DATASET}?q=zzz`, heading: 'No item matches' },
  { name: 'dataset-settings', as: 'owner', path: DATASET, heading: 'hard cases', prepare: openSettings },
  { name: 'dataset-by-hand', as: 'owner', path: DATASET, heading: 'hard cases', prepare: openForm('By hand…') },
  {
    name: 'dataset-by-query',
    as: 'owner',
    path: DATASET,
    heading: 'hard cases',
    prepare: openForm('From traces by a query…'),
  },
] as const

/** Two of them have the same question and disagree. */
export async function seedItems(client: Client, component: string, dataset: string): Promise<void> {
  await client.post(`/components/${component}/datasets/${dataset}/items`, [
    { input: 'Where is my parcel?', expected: 'On its way.', split: 'test', metadata: { channel: 'mail' } },
    { input: 'Where is my parcel?', expected: 'At your neighbor.', split: 'train' },
    { input: 'Can I return a bike that I have ridden for forty kilometers already?' },
  ])
}

async function seeItems(page: Page): Promise<void> {
  await page.getByText('3 of 3 loaded').waitFor()
}

async function openItem(page: Page): Promise<void> {
  await seeItems(page)
  await page.getByText('At your neighbor.').first().click()
  await page.getByRole('heading', { name: 'Results, newest run first' }).waitFor()
}

async function openSettings(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More about this dataset' }).click()
  await page.getByRole('menuitem', { name: 'Groups, splits and test set…' }).click()
  await page.getByRole('button', { name: 'Distribute' }).waitFor()
}

function openForm(item: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Add items' }).click()
    await page.getByRole('menuitem', { name: item }).click()
    await page.getByRole('dialog').waitFor()
  }
}
