import {
  Bot,
  Circle,
  Fingerprint,
  Gauge,
  Link2,
  ListOrdered,
  type LucideIcon,
  MessageSquare,
  ScrollText,
  Search,
  Shield,
  Wrench,
} from 'lucide-react'
import type { SpanKind } from './outline-model.ts'

interface KindLook {
  label: string
  letter: string
  icon: LucideIcon
  /** The color of its bar. */
  bar: string
}

export const spanKinds: Record<SpanKind, KindLook> = {
  agent: { label: 'Agent', letter: 'A', icon: Bot, bar: 'bg-mark' },
  chain: { label: 'Chain', letter: 'C', icon: Link2, bar: 'bg-mark' },
  llm: { label: 'Model call', letter: 'L', icon: MessageSquare, bar: 'bg-series-4' },
  tool: { label: 'Tool', letter: 'T', icon: Wrench, bar: 'bg-series-3' },
  retriever: { label: 'Retriever', letter: 'R', icon: Search, bar: 'bg-series-5' },
  embedding: { label: 'Embedding', letter: 'E', icon: Fingerprint, bar: 'bg-series-4' },
  reranker: { label: 'Reranker', letter: 'K', icon: ListOrdered, bar: 'bg-series-5' },
  guardrail: { label: 'Guardrail', letter: 'G', icon: Shield, bar: 'bg-mark' },
  evaluator: { label: 'Evaluator', letter: 'V', icon: Gauge, bar: 'bg-mark' },
  prompt: { label: 'Prompt', letter: 'P', icon: ScrollText, bar: 'bg-mark' },
  span: { label: 'Span', letter: 'S', icon: Circle, bar: 'bg-mark' },
}

/** The kind of a span by an icon and a letter; its name for screen readers. */
export function KindMark({ kind }: { kind: SpanKind }) {
  const { label, letter, icon: Icon } = spanKinds[kind]
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-faint" title={label}>
      <Icon aria-hidden className="size-3.5" />
      <span aria-hidden className="w-2.5 font-mono text-[11px]">
        {letter}
      </span>
      <span className="sr-only">{label}</span>
    </span>
  )
}
