import { describeError } from '../../api/api-error.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'

/** Renders nothing without an error, so that forms can include it unconditionally. */
export function ErrorReport({ error }: { error: unknown }) {
  if (!error) return null
  return <ErrorNotice {...describeError(error)} />
}
