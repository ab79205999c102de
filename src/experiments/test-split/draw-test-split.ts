/**
 * A test split that has decided several times fits its winners. A new one is drawn from items that nothing was learned from or chosen by; the
 * items of the old one become training items, and the count of openings begins again. How often those before had decided is kept.
 */
import { conflict, notFound } from '../../base/errors.ts'
import { changeItemCount, findDataset } from '../../datasets/dataset-queries.ts'
import type { DatasetScope } from '../../datasets/items/item-queries.ts'
import { countTestOpenings, findDrawnTest, setDrawnTest } from '../../datasets/splits/split-queries.ts'
import type { Context, PrepareContext } from '../../http/route.ts'
import { inDataset } from '../../item-lists/change-items.ts'
import type { ReadNearDuplicates } from '../../item-lists/find-near-duplicates.ts'
import { listItemSplits, updateSplits } from '../../item-lists/item-change-queries.ts'
import { seededRandom } from '../../statistics/random/seeded-random.ts'
import type { Queries } from '../../storage/db.ts'
import { readTogether } from '../draw-splits.ts'
import { TEST_ITEMS_MIN } from '../experiment-plan.ts'
import { shuffle } from '../search/draw-sample.ts'
import { findReadItems, isSearchRunning } from './test-split-queries.ts'

type Reading = Pick<PrepareContext, 'db' | 'signal'>

export type FreshItems = { test: string[]; fresh: string[]; drawn: string[]; reason: string | null }

/** What a new test split could be drawn from. Compares all items, so that it runs before the transaction of a request. */
export async function readFreshItems(
  { db, signal }: Reading,
  readNearDuplicates: ReadNearDuplicates,
  scope: DatasetScope,
): Promise<FreshItems> {
  const [dataset] = await findDataset(db.read, scope)
  if (!dataset) throw notFound('Dataset')
  const bulk = db.bulk({ application: scope.workspaceId, from: 'request', signal })
  const found = await listItemSplits(bulk, scope, 'all')
  const { together } = await readTogether({ db, signal }, readNearDuplicates, { ...scope, found })
  const read = await findReadItems(bulk, scope)
  const used = new Set(found.filter(({ id, split }) => split !== null || read.has(id)).map(({ id }) => together(id)))
  const fresh = found.map(({ id }) => id).filter((id) => !used.has(together(id)))
  const test = found.filter(({ split }) => split === 'test').map(({ id }) => id)
  const isRunning = await isSearchRunning(db.read, scope)
  const reason = whyNot({ test: test.length, fresh: fresh.length, isRunning })
  return { test, fresh, drawn: reason === null ? draw(fresh, { together, count: test.length }) : [], reason }
}

function whyNot({ test, fresh, isRunning }: { test: number; fresh: number; isRunning: boolean }): string | null {
  if (test === 0) return 'The dataset has no test split yet; an experiment draws one'
  if (isRunning)
    return 'An experiment on this dataset is running, and its test is sealed; wait until it has ended, or cancel it'
  if (fresh >= TEST_ITEMS_MIN) return null
  const seen = fresh === 0 ? 'All other items have' : `All other items but ${fresh} have`
  return `${seen} been seen in training or validation, or are nearly the same as one of them; add at least ${TEST_ITEMS_MIN - fresh} new items without a split`
}

/** As many as the old one had, but enough for a verdict; items that belong together stay together. */
function draw(fresh: readonly string[], { together, count }: { together: (id: string) => string; count: number }) {
  const wanted = Math.max(TEST_ITEMS_MIN, count)
  const groups = [...Map.groupBy(fresh, together).values()]
  const drawn: string[] = []
  for (const group of shuffle(seededRandom(`test-split:${fresh.length}:${count}`), groups)) {
    if (drawn.length >= wanted) break
    drawn.push(...group)
  }
  return drawn
}

export async function describeTestSplit(q: Queries, scope: DatasetScope, { test, fresh, reason }: FreshItems) {
  const openings = await countTestOpenings(q, scope)
  return {
    items: test.length,
    openings,
    ...(await findDrawnTest(q, scope)),
    fresh: fresh.length,
    mayDraw: reason === null,
    summary: reason === null ? `A new test split can be drawn from ${fresh.length} items.` : `${reason}.`,
  }
}

/** Items that were changed meanwhile are left as they are. */
export async function drawTestSplit(
  context: Pick<Context, 'db' | 'clock'>,
  scope: DatasetScope & { userId: string },
  prepared: FreshItems,
): Promise<FreshItems> {
  if (prepared.reason !== null) throw conflict(prepared.reason)
  return inDataset(context, scope, async (tx, by) => {
    const now = new Map((await listItemSplits(tx, scope, 'all')).map(({ id, split }) => [id, split]))
    const drawn = prepared.drawn.filter((id) => now.get(id) === null)
    if (drawn.length < TEST_ITEMS_MIN || (await isSearchRunning(tx, scope)))
      throw conflict('The items were changed, or an experiment was started meanwhile; try again')
    const old = [...now].filter(([, split]) => split === 'test').map(([id]) => id)
    const { earlierOpenings } = await findDrawnTest(tx, scope)
    const openings = await countTestOpenings(tx, scope)
    await updateSplits(tx, scope, { ids: old, split: 'train', by })
    await updateSplits(tx, scope, { ids: drawn, split: 'test', by })
    await setDrawnTest(tx, scope, { drawnAt: by.at, earlierOpenings: earlierOpenings + openings })
    await changeItemCount(tx, { ...scope, by: 0, change: by })
    const isDrawn = new Set(drawn)
    const fresh = prepared.fresh.filter((id) => !isDrawn.has(id))
    return {
      test: drawn,
      fresh,
      drawn: [],
      reason: whyNot({ test: drawn.length, fresh: fresh.length, isRunning: false }),
    }
  })
}
