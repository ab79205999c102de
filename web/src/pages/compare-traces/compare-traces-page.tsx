import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { ArrowLeftRight } from 'lucide-react'
import { pagePaths } from '../../path-builder.ts'
import { ShortcutKeys } from '../../shortcuts/shortcut-keys.tsx'
import { useShortcut } from '../../shortcuts/shortcut-store.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { PageBody } from '../shell/page-body.tsx'
import { TopRow } from '../shell/top-row.tsx'
import { useApplicationCrumb } from '../shell/use-application.ts'
import { type CompareTracesSearch, swapped } from './compare-traces-search.ts'
import { NoPair } from './no-pair.tsx'
import { TracePairView } from './trace-pair-view.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/traces/compare')

/** What is different between two traces: amounts, texts, and step by step. */
export function CompareTracesPage() {
  const { applicationId } = route.useParams()
  const search = route.useSearch()
  const navigate = useNavigate()
  const { left, right } = search
  const change = (changes: Partial<CompareTracesSearch>) =>
    void navigate({
      to: pagePaths.compareTraces(applicationId),
      search: { ...search, ...changes },
      replace: true,
      resetScroll: false,
    })
  const isPair = left !== undefined && right !== undefined
  const swap = isPair ? () => change(swapped(search)) : undefined
  useShortcut('swapTraces', swap)
  return (
    <>
      <title>Compare traces · Touchstone</title>
      <TopRow
        parents={[useApplicationCrumb(), { label: 'Traces', to: pagePaths.traces(applicationId) }]}
        current="Compare traces"
      >
        {swap && (
          <Button look="quiet" size="small" onClick={swap}>
            <ArrowLeftRight aria-hidden className="size-4" />
            Swap
            <ShortcutKeys id="swapTraces" />
          </Button>
        )}
        <CopyButton text={window.location.href} label="Copy link" look="quiet" />
      </TopRow>
      <PageBody width="wide">
        {isPair ? (
          <TracePairView applicationId={applicationId} ids={{ left, right }} search={search} change={change} />
        ) : (
          <NoPair
            title="Choose two traces"
            text="Select two traces in the list, then Compare. The older one is A."
            applicationId={applicationId}
          />
        )}
      </PageBody>
    </>
  )
}
