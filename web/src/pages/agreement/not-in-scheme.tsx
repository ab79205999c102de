import { Link } from '@tanstack/react-router'
import { BookX } from 'lucide-react'
import { pagePaths } from '../../path-builder.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { countOf } from '../../ui/format-number.ts'

/** There are ratings, but an ordered scheme without their words cannot compare them. */
export function NotInScheme({ applicationId, count }: { applicationId: string; count: number }) {
  return (
    <EmptyState
      icon={BookX}
      title="The ratings have other words"
      text={`${countOf(count, 'rating was', 'ratings were')} given with words that the rating scheme no longer has. Add these words to the scheme to count them again.`}
      action={
        <Link to={pagePaths.settings(applicationId, 'rating-scheme')} className={buttonClass()}>
          Open the rating scheme
        </Link>
      }
    />
  )
}
