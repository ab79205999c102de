import { buildCli } from '../../packages/cli/src/application.ts'

/** A text may mention a command without its arguments. */
export type Use = 'run' | 'mention'

type Flag = { kind: string; values?: readonly string[] }

/** What is wrong with a command line of `touchstone`, by the definitions that its parser uses. */
export function problemsOfClient(words: string[], use: Use): string[] {
  const line = `touchstone ${words.join(' ')}`
  const rest = [...words]
  let target = buildCli({ hasColor: false }).root
  while ('getRoutingTargetForInput' in target) {
    const word = rest.shift()
    if (word === undefined) return use === 'mention' ? [] : [`${line}: a command is missing`]
    const next = target.getRoutingTargetForInput(word)
    if (next === undefined) return [`${line}: there is no command ${word}`]
    target = next
  }
  const flags: Record<string, Flag> = target.parameters.flags ?? {}
  const aliases: Record<string, string> = target.parameters.aliases ?? {}
  const values: string[] = []
  while (rest.length > 0) {
    const word = rest.shift() ?? ''
    if (!word.startsWith('-') || word === '-') {
      values.push(word)
      continue
    }
    const [name = '', given] = word.replace(/^--?/, '').split('=', 2)
    const flag = flags[aliases[name] ?? name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())]
    if (flag === undefined) return [`${line}: there is no ${word}`]
    if (flag.kind === 'boolean') continue
    const value = given ?? rest.shift()
    if (value === undefined || value.startsWith('--')) return [`${line}: ${word} needs a value`]
    if (flag.values && !flag.values.includes(value)) return [`${line}: ${word} cannot be ${value}`]
  }
  const { positional } = target.parameters
  if (use === 'mention' || positional?.kind === 'array') return []
  const parameters: readonly { optional?: boolean; default?: unknown }[] = positional?.parameters ?? []
  const needed = parameters.filter((one) => !one.optional && one.default === undefined).length
  const fits = values.length >= needed && values.length <= parameters.length
  return fits ? [] : [`${line}: ${values.length} arguments, ${needed} to ${parameters.length} are needed`]
}
