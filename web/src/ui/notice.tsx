import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import type { ReactNode } from 'react'

type Tone = 'info' | 'good' | 'danger'

interface NoticeProps {
  tone?: Tone
  title?: string
  children: ReactNode
}

export function Notice({ tone = 'info', title, children }: NoticeProps) {
  const { icon: Icon, className } = tones[tone]
  return (
    <div className={`flex gap-3 rounded-control px-4 py-3 text-data ${className}`}>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 text-ink">
        {title && <p className="font-medium">{title}</p>}
        {children}
      </div>
    </div>
  )
}

const tones = {
  info: { icon: Info, className: 'bg-gold-wash text-gold-ink' },
  good: { icon: CircleCheck, className: 'bg-good-wash text-good' },
  danger: { icon: CircleAlert, className: 'bg-danger-wash text-danger' },
}
