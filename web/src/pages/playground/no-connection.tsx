import { Link } from '@tanstack/react-router'
import { pagePaths } from '../../path-builder.ts'
import { Notice } from '../../ui/notice.tsx'

export function NoConnection({ applicationId }: { applicationId: string }) {
  return (
    <Notice title="No model is connected">
      A model answers only if there is a connection, unless this server has a default model. Add one in{' '}
      <Link to={pagePaths.settings(applicationId, 'models')} className="touch-link underline underline-offset-4">
        Settings, Models
      </Link>
      . What you write here stays.
    </Notice>
  )
}
