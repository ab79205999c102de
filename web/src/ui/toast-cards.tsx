import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { Toast as RadixToast } from 'radix-ui'
import { createPortal } from 'react-dom'
import { buttonClass } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { errorText } from './error-text.ts'
import { RetryTime } from './retry-time.tsx'
import { dismissToast, type Toast, useToastHost, useToasts } from './toast-store.ts'

/** Success messages disappear on their own; an error stays until it is dismissed. F8 moves the focus here. */
export function ToastCards() {
  const host = useToastHost()
  const viewport = (
    <RadixToast.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2 max-sm:bottom-20" />
  )
  return (
    <RadixToast.Provider label="Notification">
      {useToasts().map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
      {host ? createPortal(viewport, host) : viewport}
    </RadixToast.Provider>
  )
}

function ToastCard({ toast }: { toast: Toast }) {
  const isError = toast.tone === 'danger'
  const Icon = isError ? CircleAlert : CircleCheck
  return (
    <RadixToast.Root
      type={isError ? 'foreground' : 'background'}
      duration={durationMs(toast)}
      onOpenChange={() => dismissToast(toast.id)}
      className="flex animate-rise items-start gap-3 rounded-card border border-line bg-raised px-4 py-3 text-data shadow-float"
    >
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${isError ? 'text-danger' : 'text-good'}`} />
      <RadixToast.Description className="min-w-0 flex-1 break-words">
        {toast.message}
        {toast.retryAtMs !== undefined && <RetryTime atMs={toast.retryAtMs} />}
        {toast.requestId && <span className="block font-mono text-[12px] break-all text-faint">{toast.requestId}</span>}
      </RadixToast.Description>
      {toast.onUndo && (
        <RadixToast.Action
          altText="Undo the last action"
          onClick={toast.onUndo}
          className={buttonClass('secondary', 'small')}
        >
          Undo
        </RadixToast.Action>
      )}
      {isError && <CopyButton text={errorText(toast.message, toast.requestId)} label="Copy error" />}
      <RadixToast.Close
        aria-label="Dismiss"
        className="grid size-7 shrink-0 touch:size-11 place-items-center rounded-control hover:bg-hover"
      >
        <X aria-hidden className="size-4" />
      </RadixToast.Close>
    </RadixToast.Root>
  )
}

function durationMs(toast: Toast): number {
  if (toast.tone === 'danger') return Number.POSITIVE_INFINITY
  return toast.onUndo ? 10_000 : 5000
}
