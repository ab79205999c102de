import type { InstanceHealth, WorkspaceUsage } from '../../api/generated/api.ts'
import { Notice } from '../../ui/notice.tsx'
import { findProblems } from './find-problems.ts'

interface HealthVerdictProps {
  health: InstanceHealth
  usage: WorkspaceUsage | undefined
}

/** What is wrong, and what to do about it. */
export function HealthVerdict({ health, usage }: HealthVerdictProps) {
  const problems = findProblems(health, usage)
  return (
    <div role="status" className="flex flex-col gap-3">
      {problems.length === 0 && (
        <Notice tone="good" title="Everything works">
          {health.scope === 'installation' ? 'No problem on this server.' : 'No problem in this application.'}
        </Notice>
      )}
      {problems.map(({ title, remedy }) => (
        <Notice key={title} tone="danger" title={title}>
          {remedy}
        </Notice>
      ))}
    </div>
  )
}
