import type { Pair } from './match-sequences.ts'

/** A call of another model has another name: "chat gpt-4o → gpt-5". */
export function stepName({ left, right }: Pair<{ name: string }>): string {
  if (!left || !right || left.name === right.name) return left?.name ?? right?.name ?? ''
  const [before, after] = [left.name.split(' '), right.name.split(' ')]
  const same = before.findIndex((word, index) => word !== after[index])
  return `${left.name} → ${after.slice(same < 0 || same >= after.length ? 0 : same).join(' ')}`
}
