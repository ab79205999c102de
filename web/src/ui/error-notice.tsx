import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'
import { errorText } from './error-text.ts'
import { Notice } from './notice.tsx'

interface ErrorNoticeProps {
  message: string
  requestId?: string
  children?: ReactNode
}

/** An error message, with the request id under which the server's log has the details. */
export function ErrorNotice({ message, requestId, children }: ErrorNoticeProps) {
  return (
    <div role="alert">
      <Notice tone="danger">
        <p className="break-words">{message}</p>
        <div className="mt-1 flex items-center gap-x-1 text-soft">
          {requestId && (
            <span className="min-w-0 break-all">
              Request <code className="font-mono text-xs">{requestId}</code>
            </span>
          )}
          <CopyButton text={errorText(message, requestId)} label="Copy error" />
        </div>
        {children}
      </Notice>
    </div>
  )
}
