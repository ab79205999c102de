import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from './empty-state.tsx'

interface NotFoundProps {
  /** What was looked for: "trace". */
  thing: string
  /** A link to the list. */
  action?: ReactNode
}

/** A missing thing and a thing of another application look the same, as in the API. */
export function NotFound({ thing, action }: NotFoundProps) {
  return (
    <EmptyState
      icon={SearchX}
      title={`This ${thing} is not here`}
      text="The address is wrong, it was deleted, or it belongs to an application that you are not a member of."
      action={action}
    />
  )
}
