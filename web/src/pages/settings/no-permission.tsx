import { Lock } from 'lucide-react'
import { EmptyState } from '../../ui/empty-state.tsx'

export function NoPermission({ reason }: { reason: string }) {
  return <EmptyState icon={Lock} title="Not for your role" text={`${reason} Ask an admin of this application.`} />
}
