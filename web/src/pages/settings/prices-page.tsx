import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { Coins, Plus } from 'lucide-react'
import { useState } from 'react'
import type { Price } from '../../api/generated/api.ts'
import { pricesQuery } from '../../api/prices-query.ts'
import { pagePaths } from '../../path-builder.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { missingRole } from '../shell/roles.ts'
import { useApplicationId, useMe } from '../shell/use-application.ts'
import { CreatePriceDialog } from './create-price-dialog.tsx'
import { DeletePriceDialog } from './delete-price-dialog.tsx'
import { PriceList } from './price-list.tsx'
import { RepriceDialog } from './reprice-dialog.tsx'
import { SettingsHead } from './settings-head.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/settings/prices')

export function PricesPage() {
  const applicationId = useApplicationId()
  const disabledReason = missingRole(useMe(), 'editor', 'Changing prices')
  const prices = useInfiniteQuery(pricesQuery(applicationId))
  const { new: isNew } = route.useSearch()
  const navigate = useNavigate()
  const [priceToDelete, setPriceToDelete] = useState<Price>()
  const path = pagePaths.settings(applicationId, 'prices')
  const empty = (
    <EmptyState
      icon={Coins}
      title="No price of your own"
      text="Most models have a bundled price. Add one for a model that has none, or for what you pay by contract."
    />
  )
  return (
    <>
      <SettingsHead
        section="prices"
        text="Your own prices for models. They come before the bundled ones."
        action={{ label: 'Add price', icon: Plus, disabledReason }}
      />
      <PagedList query={prices} empty={empty}>
        {(rows) => <PriceList prices={rows} disabledReason={disabledReason} onDelete={setPriceToDelete} />}
      </PagedList>
      {/* Not before the list: it would be pushed down. */}
      {!prices.isPending && <RepriceSection applicationId={applicationId} disabledReason={disabledReason} />}
      {isNew && !disabledReason && (
        <CreatePriceDialog applicationId={applicationId} onClose={() => void navigate({ to: path, replace: true })} />
      )}
      {priceToDelete && (
        <DeletePriceDialog
          applicationId={applicationId}
          price={priceToDelete}
          onClose={() => setPriceToDelete(undefined)}
        />
      )}
    </>
  )
}

interface RepriceSectionProps {
  applicationId: string
  disabledReason: string | undefined
}

function RepriceSection({ applicationId, disabledReason }: RepriceSectionProps) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <section className="mt-10 flex flex-wrap items-start justify-between gap-x-8 gap-y-4 border-t border-line pt-6">
      <div className="max-w-prose">
        <h2 className="font-display text-section font-semibold">Stored traces</h2>
        <p className="mt-1 text-soft">
          A trace is priced when it arrives. A price that you add or delete applies to new traces; apply it to stored
          ones here.
        </p>
      </div>
      <Button disabledReason={disabledReason} onClick={() => setIsAsking(true)}>
        Apply to stored traces…
      </Button>
      {isAsking && <RepriceDialog applicationId={applicationId} onClose={() => setIsAsking(false)} />}
    </section>
  )
}
