import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Scale } from 'lucide-react'
import { decisionsKey, decisionsQuery } from '../../api/decisions-query.ts'
import { useLiveQuery } from '../../api/live-events.ts'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { formatCount } from '../../ui/format-number.ts'
import { PeekDock, peekRoomClass } from '../../ui/peek-dock.tsx'
import { ComponentFrame } from '../components/component-frame.tsx'
import { PagedList } from '../shell/paged-list.tsx'
import { DecisionCard } from './decision-card.tsx'
import { DecisionPeek } from './decision-peek.tsx'

const route = getRouteApi('/_signed-in/a/$applicationId/c/$componentId/compare/decisions')

/** What was decided about the runs of a component, newest first. */
export function DecisionsPage() {
  const { applicationId, componentId } = route.useParams()
  const { decision: openId } = route.useSearch()
  const component = { applicationId, componentId }
  const query = useInfiniteQuery(decisionsQuery(component))
  useLiveQuery(applicationId, ['decisions'], decisionsKey(applicationId))
  const navigate = useNavigate()
  const open = (decision: string | undefined) =>
    void navigate({ to: pagePaths.decisions(applicationId, componentId), search: { decision }, resetScroll: false })
  const rows = query.data ?? []
  const position = rows.findIndex(({ id }) => id === openId)
  const goTo = (step: 1 | -1) => {
    const next = position === -1 ? undefined : rows[position + step]
    return next && (() => open(next.id))
  }
  return (
    <div className={openId ? peekRoomClass : ''}>
      <ComponentFrame {...component} part="Decisions">
        <h2 className="sr-only">Decisions</h2>
        <PagedList query={query} empty={<NoDecisions {...component} />}>
          {(decisions) => (
            <ol aria-label="Decisions" className="flex flex-col gap-3">
              {decisions.map((decision) => (
                <DecisionCard key={decision.id} {...component} decision={decision} isOpen={decision.id === openId} />
              ))}
            </ol>
          )}
        </PagedList>
      </ComponentFrame>
      {openId && (
        <PeekDock>
          <DecisionPeek
            key={openId}
            decision={{ ...component, decisionId: openId }}
            {...(position !== -1 && {
              position: `${position + 1} of ${formatCount(rows.length)}${query.hasNextPage ? '+' : ''}`,
            })}
            onPrevious={goTo(-1)}
            onNext={goTo(1)}
            onClose={() => open(undefined)}
          />
        </PeekDock>
      )}
    </div>
  )
}

function NoDecisions({ applicationId, componentId }: { applicationId: string; componentId: string }) {
  return (
    <EmptyState
      icon={Scale}
      title="No decision yet"
      text="Compare two runs and record what follows from it. The decision keeps its numbers, also when the runs are deleted."
      action={
        <Link to={pagePaths.compare(applicationId, componentId)} className={buttonClass()}>
          Compare two runs
        </Link>
      }
    />
  )
}
