import { Link } from '@tanstack/react-router'
import { Activity } from 'lucide-react'
import { pagePaths } from '../../path-builder.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

interface NoTracesProps {
  applicationId: string
  why: 'invalid' | 'filtered' | 'none'
  /** Undefined if there is no query. */
  onClearQuery: (() => void) | undefined
  /** Undefined if the time range is not limited. */
  onAllTimes: (() => void) | undefined
}

/** Instead of rows: the reason, with what helps. */
export function NoTraces({ applicationId, why, onClearQuery, onAllTimes }: NoTracesProps) {
  const text = why === 'filtered' && !onClearQuery ? 'No trace started in this time range.' : reasons[why].text
  return (
    <div className="px-6 py-4 max-sm:px-4">
      <EmptyState
        icon={Activity}
        title={reasons[why].title}
        text={text}
        action={
          <div className="flex flex-wrap justify-center gap-2">
            {why === 'filtered' && onAllTimes && <Button onClick={onAllTimes}>Show all times</Button>}
            {why === 'filtered' && onClearQuery && <Button onClick={onClearQuery}>Remove the query</Button>}
            {why === 'none' && (
              <Link to={pagePaths.firstTrace(applicationId)} className={buttonClass()}>
                Send your first trace
              </Link>
            )}
          </div>
        }
      />
    </div>
  )
}

const reasons = {
  invalid: { title: 'The query is invalid', text: 'Correct it above: the message says where.' },
  filtered: { title: 'No trace matches', text: 'No trace in this time range matches all terms of the query.' },
  none: {
    title: 'No trace yet',
    text: 'Send traces by OpenTelemetry or as JSON; they appear here within seconds.',
  },
}
