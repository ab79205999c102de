import { Link } from '@tanstack/react-router'
import { GitCompare } from 'lucide-react'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

interface NoPairProps {
  title: string
  text: string
  applicationId: string
}

/** Why nothing is compared, and where two traces can be selected. */
export function NoPair({ title, text, applicationId }: NoPairProps) {
  return (
    <>
      <h1 className="sr-only">Compare traces</h1>
      <EmptyState
        icon={GitCompare}
        title={title}
        text={text}
        action={
          <Link to={pagePaths.traces(applicationId)} className={buttonClass('primary')}>
            Go to the traces
          </Link>
        }
      />
    </>
  )
}
