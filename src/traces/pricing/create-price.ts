import { recordAudit } from '../../auth/audit/audit.ts'
import { badRequest, conflict, notFound } from '../../base/errors.ts'
import { createdAtOf } from '../../base/ids.ts'
import type { Principal } from '../../base/principal.ts'
import type { Context } from '../../http/route.ts'
import { lockWorkspaceExclusive } from '../../storage/dialect.ts'
import type { PriceRow } from './application-prices.ts'
import { compileModelPattern } from './model-pattern.ts'
import { countPrices, insertPrice } from './price-queries.ts'
import type { CreatePrice } from './price-schemas.ts'
import { readTime } from './read-time.ts'

/** Every batch of spans reads all prices of an application. */
const PRICES_MAX = 500

/** Adds a price for spans that arrive from now on. Stored spans keep their cost until a repricing is requested. */
export async function createPrice(context: Context, by: Principal, input: CreatePrice): Promise<PriceRow> {
  compileModelPattern(input.modelPattern)
  const id = context.newId()
  const price: PriceRow = {
    id,
    modelPattern: input.modelPattern,
    provider: input.provider ?? null,
    inputPerMillion: input.inputPerMillion,
    outputPerMillion: input.outputPerMillion,
    cacheReadPerMillion: input.cacheReadPerMillion ?? null,
    cacheWritePerMillion: input.cacheWritePerMillion ?? null,
    validFrom: readTime('validFrom', input.validFrom),
    validUntil: readTime('validUntil', input.validUntil),
    createdAt: createdAtOf(id),
  }
  if (price.validFrom !== null && price.validUntil !== null && price.validFrom >= price.validUntil) {
    throw badRequest('The field validUntil must be later than validFrom')
  }
  const { workspaceId } = by
  await context.db.transaction(async (tx) => {
    // Locked while counting: otherwise concurrent requests could exceed the limit.
    if (!(await lockWorkspaceExclusive(tx, workspaceId))) throw notFound('Workspace')
    if ((await countPrices(tx, workspaceId)) >= PRICES_MAX) {
      throw conflict(`An application has at most ${PRICES_MAX} prices; delete one first`)
    }
    await insertPrice(tx, workspaceId, price)
    await recordAudit(tx, context, { by, workspaceId, action: 'price.created', resourceId: id })
  })
  return price
}
