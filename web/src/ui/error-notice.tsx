import { RotateCcw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { errorText } from './error-text.ts'
import { Notice } from './notice.tsx'
import { RetryTime } from './retry-time.tsx'

interface ErrorNoticeProps {
  message: string
  requestId?: string
  /** When the server expects the request again. */
  retryAtMs?: number
  onRetry?: () => void
  isRetrying?: boolean
  children?: ReactNode
}

/** An error message, with the request id under which the server's log has the details. */
export function ErrorNotice({
  message,
  requestId,
  retryAtMs,
  onRetry,
  isRetrying = false,
  children,
}: ErrorNoticeProps) {
  return (
    <div role="alert">
      <Notice tone="danger">
        <p className="break-words">{message}</p>
        {requestId && (
          <p className="break-all text-soft">
            Request <code className="font-mono text-[12px]">{requestId}</code>
          </p>
        )}
        {retryAtMs !== undefined && <RetryTime atMs={retryAtMs} />}
        {children}
        <div className="mt-1.5 flex items-center gap-x-1 text-soft">
          {onRetry && (
            <Button size="small" isBusy={isRetrying} onClick={onRetry}>
              {!isRetrying && <RotateCcw aria-hidden className="size-3.5" />}
              Retry
            </Button>
          )}
          <CopyButton text={errorText(message, requestId)} label="Copy error" />
        </div>
      </Notice>
    </div>
  )
}
