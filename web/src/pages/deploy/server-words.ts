import type { Role } from '../../api/generated/api.ts'
import { withMetricTitles } from '../../ui/metric-words.ts'

/** A text of the server in the words of the page: versions as v12, metrics by their titles. */
export function inPageWords(text: string): string {
  return withMetricTitles(text).replaceAll(/\b[Vv]ersion (?=\d)/g, 'v')
}

/** Why versions were not compared, and what to do about it. */
export function splitRemedy(text: string): { reason: string; remedy: string | undefined } {
  const at = text.search(/ Run v\d+ over it/)
  return at < 0 ? { reason: text, remedy: undefined } : { reason: text.slice(0, at), remedy: text.slice(at + 1) }
}

/** Whether the role of the user suffices; `needed` if it does not. */
export function roleText(role: Role, needed: Role | undefined): string {
  const own = /^[aeo]/.test(role) ? `an ${role}` : `a ${role}`
  return needed === undefined ? `You are ${own}.` : `It takes the role ${needed}. You are ${own}.`
}
