import { Inbox, ListFilter } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import { Forbidden } from '../ui/forbidden.tsx'
import { NotFound } from '../ui/not-found.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { KitSection } from './kit-section.tsx'

export function StatesKit() {
  return (
    <KitSection title="States of a page or list">
      <div className="@container">
        <div className="grid gap-4 @3xl:grid-cols-2">
          <EmptyState
            icon={Inbox}
            title="No trace yet"
            text="Traces show what your component did, step by step."
            action={<Button look="primary">Send a test trace</Button>}
          />
          <EmptyState
            icon={ListFilter}
            title="Nothing matches"
            text="No trace of the last 24 hours matches this query."
            action={<Button>Clear the query</Button>}
          />
          <Forbidden reason="Only admins see who is a member." />
          <NotFound thing="trace" action={<Button>All traces</Button>} />
          <ErrorNotice message="The database is busy." requestId="req-01890000-0000-7000" onRetry={() => undefined} />
          <ErrorNotice message="The server cannot be reached." onRetry={() => undefined} isRetrying />
        </div>
      </div>
      <Skeleton rows={3} appears="at-once" />
    </KitSection>
  )
}
