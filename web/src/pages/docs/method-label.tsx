import type { Operation } from './reference.ts'

interface MethodLabelProps {
  method: Operation['method']
  size?: 'small' | 'normal'
}

export function MethodLabel({ method, size = 'normal' }: MethodLabelProps) {
  if (size === 'small') {
    return (
      <span className={`w-9 shrink-0 font-mono text-[0.6875rem] font-semibold ${texts[method]}`}>{short[method]}</span>
    )
  }
  return (
    <span
      className={`rounded-control px-2 py-0.5 font-mono text-meta font-semibold ${texts[method]} ${washes[method]}`}
    >
      {method}
    </span>
  )
}

const short = { GET: 'GET', POST: 'POST', PUT: 'PUT', PATCH: 'PATCH', DELETE: 'DEL' }

const texts = {
  GET: 'text-info',
  POST: 'text-good',
  PUT: 'text-gold-ink',
  PATCH: 'text-gold-ink',
  DELETE: 'text-danger',
}

const washes = {
  GET: 'bg-info-wash',
  POST: 'bg-good-wash',
  PUT: 'bg-gold-wash',
  PATCH: 'bg-gold-wash',
  DELETE: 'bg-danger-wash',
}
