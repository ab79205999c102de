import type { Queries } from '../../storage/db.ts'
import { pagedList } from '../../storage/paged-list.ts'
import { deleteScoped, prepared, selectScoped } from '../../storage/query-building.ts'
import type { PriceRow } from './application-prices.ts'

const COLUMNS = [
  'id',
  'model_pattern as modelPattern',
  'provider',
  'input_per_million as inputPerMillion',
  'output_per_million as outputPerMillion',
  'cache_read_per_million as cacheReadPerMillion',
  'cache_write_per_million as cacheWritePerMillion',
  'valid_from as validFrom',
  'valid_until as validUntil',
  'created_at as createdAt',
] as const

export const listPrices = pagedList<{ workspaceId: string }>()((q, value) =>
  selectScoped(q, 'prices', { workspace_id: value('workspaceId') })
    .select(COLUMNS)
    .orderBy('id', 'desc')
    .limit(value('limit'))
    .offset(value('offset')),
)

/** For pricing, which needs all prices; `createPrice` limits their number. */
export async function listAllPrices(q: Queries, workspaceId: string): Promise<PriceRow[]> {
  return selectAllPrices(q, { workspaceId })
}

const selectAllPrices = prepared<{ workspaceId: string }>()((q, value) =>
  q.selectFrom('prices').select(COLUMNS).where('workspace_id', '=', value('workspaceId')).orderBy('id', 'desc'),
)

export async function countPrices(q: Queries, workspaceId: string): Promise<number> {
  const { count } = await selectScoped(q, 'prices', { workspace_id: workspaceId })
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertPrice(tx: Queries, workspaceId: string, price: PriceRow): Promise<void> {
  await tx
    .insertInto('prices')
    .values({
      workspace_id: workspaceId,
      id: price.id,
      model_pattern: price.modelPattern,
      provider: price.provider,
      input_per_million: price.inputPerMillion,
      output_per_million: price.outputPerMillion,
      cache_read_per_million: price.cacheReadPerMillion,
      cache_write_per_million: price.cacheWritePerMillion,
      valid_from: price.validFrom,
      valid_until: price.validUntil,
      created_at: price.createdAt,
    })
    .execute()
}

export async function deletePrice(tx: Queries, workspaceId: string, priceId: string): Promise<boolean> {
  const { numDeletedRows } = await deleteScoped(tx, 'prices', {
    workspace_id: workspaceId,
    id: priceId,
  }).executeTakeFirst()
  return numDeletedRows > 0n
}
