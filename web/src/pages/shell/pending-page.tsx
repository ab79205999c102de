import { Skeleton } from '../../ui/skeleton.tsx'

/** The router waits 200 ms before it shows this. */
export function PendingPage() {
  return (
    <div className="mx-auto w-full max-w-6xl px-4 py-10">
      <Skeleton rows={3} appears="at-once" />
    </div>
  )
}
