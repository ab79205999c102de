import type { PromptLabel } from '../../api/generated/api.ts'
import { hasRole } from '../shell/roles.ts'
import { useMe } from '../shell/use-application.ts'

/** Whether the role of the user moves a label. Who may not reads on the page of the move whom to ask. */
export function useMayMove(labels: readonly PromptLabel[] | undefined, label: string): boolean {
  const { role } = useMe()
  return hasRole(role, labels?.find(({ name }) => name === label)?.protection.minRole ?? 'editor')
}
