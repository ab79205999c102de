import type { ConnectionTest } from '../../api/generated/api.ts'
import { Notice } from '../../ui/notice.tsx'

const NAMES_MAX = 12

export function ConnectionTestResult({ result: { ok, summary, models } }: { result: ConnectionTest }) {
  const rest = models.length - NAMES_MAX
  return (
    <Notice tone={ok ? 'good' : 'danger'} title={ok ? 'It works' : 'It does not work'}>
      <p className="wrap-anywhere">{summary}.</p>
      {models.length > 0 && (
        <p className="mt-1 font-mono text-[0.8125rem] text-soft wrap-anywhere">
          {models.slice(0, NAMES_MAX).join(', ')}
          {rest > 0 && <span className="font-sans"> and {rest} more</span>}
        </p>
      )}
    </Notice>
  )
}
