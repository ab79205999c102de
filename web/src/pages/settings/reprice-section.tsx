import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { RepriceDialog } from './reprice-dialog.tsx'

interface RepriceSectionProps {
  applicationId: string
  disabledReason: string | undefined
}

export function RepriceSection({ applicationId, disabledReason }: RepriceSectionProps) {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <section className="mt-10 flex flex-wrap items-start justify-between gap-x-8 gap-y-4 border-t border-line pt-6">
      <div className="max-w-prose">
        <h2 className="font-display text-section font-semibold">Stored traces</h2>
        <p className="mt-1 text-soft">
          A trace is priced when it arrives. A price that you add or delete applies to new traces; apply it to stored
          ones here.
        </p>
      </div>
      <Button disabledReason={disabledReason} onClick={() => setIsAsking(true)}>
        Apply to stored traces…
      </Button>
      {isAsking && <RepriceDialog applicationId={applicationId} onClose={() => setIsAsking(false)} />}
    </section>
  )
}
