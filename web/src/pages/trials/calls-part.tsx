import type { TrialDetail } from '../../api/generated/api.ts'
import type { TrialKey } from '../../api/trials-query.ts'
import { CallBarcode } from './call-barcode.tsx'
import { ItemMatrix } from './item-matrix.tsx'
import { useTrialSearch } from './trial-search.ts'

interface CallsPartProps {
  trialKey: TrialKey
  trial: TrialDetail
}

/** All calls at once, and item by item. */
export function CallsPart({ trialKey, trial }: CallsPartProps) {
  const { search, change } = useTrialSearch()
  if (trial.status === 'pending') return null
  const open = (item: number) => {
    change({ filter: undefined, from: item === 1 ? undefined : item, call: undefined })
    document.getElementById('items-title')?.scrollIntoView({ block: 'start' })
  }
  return (
    <>
      <div className="mt-8 rounded-card border border-line bg-surface p-5 shadow-lift max-sm:p-4">
        <CallBarcode trialKey={trialKey} trial={trial} onOpen={open} />
      </div>
      <ItemMatrix trialKey={trialKey} trial={trial} search={search} change={change} />
    </>
  )
}
