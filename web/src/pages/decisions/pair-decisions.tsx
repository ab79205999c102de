import type { Decision } from '../../api/generated/api.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { authorName, DecisionLabel } from './decision-words.tsx'

/** What was decided about two runs, newest first. Earlier decisions stay, but no longer hold. */
export function PairDecisions({ decisions }: { decisions: Decision[] }) {
  return (
    <ol aria-label="Recorded decisions" className="flex flex-col gap-3 border-t border-line pt-4">
      {decisions.map((decision) => (
        <li key={decision.id} className={decision.supersededBy === null ? '' : 'text-soft'}>
          <p className="flex flex-wrap items-center gap-x-2 text-data">
            <DecisionLabel decision={decision.decision} />
            {decision.supersededBy !== null && <span className="text-meta">superseded</span>}
          </p>
          {decision.note !== '' && <p className="text-data whitespace-pre-wrap wrap-anywhere">{decision.note}</p>}
          <p className="text-meta text-faint">
            <bdi>{authorName(decision)}</bdi>, <RelativeTime time={decision.createdAt} />
          </p>
        </li>
      ))}
    </ol>
  )
}
