import { describeError } from '../../api/api-error.ts'
import { ErrorNotice } from '../../ui/error-notice.tsx'

interface QueryErrorProps {
  query: { error: Error | null; isFetching: boolean; refetch: () => Promise<unknown> }
}

/** Why something could not be loaded, and the way to load it again. Renders nothing without an error. */
export function QueryError({ query: { error, isFetching, refetch } }: QueryErrorProps) {
  if (!error) return null
  return <ErrorNotice {...describeError(error)} isRetrying={isFetching} onRetry={() => void refetch()} />
}
