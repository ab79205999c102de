import { Lock } from 'lucide-react'
import { EmptyState } from './empty-state.tsx'

/** For a page or a part of it that the role of the user does not include. `reason` is a sentence. */
export function Forbidden({ reason }: { reason: string }) {
  return <EmptyState icon={Lock} title="Not for your role" text={`${reason} Ask an admin of this application.`} />
}
