import type { ReactNode } from 'react'

type Tone = 'neutral' | 'gold' | 'good' | 'info' | 'danger'

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1 rounded-full align-middle px-2 py-0.5 text-xs font-medium ${tones[tone]}`}
    >
      {children}
    </span>
  )
}

const tones = {
  neutral: 'bg-hover text-soft',
  gold: 'bg-gold-wash text-gold-ink',
  good: 'bg-good-wash text-good',
  info: 'bg-info-wash text-info',
  danger: 'bg-danger-wash text-danger',
}
