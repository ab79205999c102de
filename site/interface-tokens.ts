/** The colors and fonts of the interface for the guide, read from its style sheet: one definition for both. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

const STYLES = join(import.meta.dirname, '../web/src/styles.css')
const NAME = 'virtual:interface-tokens.css'

/** Provides `virtual:interface-tokens.css`. The style sheet itself is for Tailwind, which the guide does not use. */
export function interfaceTokens(): Plugin {
  return {
    name: 'interface-tokens',
    resolveId: (id: string) => (id === NAME ? `\0${NAME}` : undefined),
    load: (id: string) => (id === `\0${NAME}` ? tokensOf(readFileSync(STYLES, 'utf8')) : undefined),
  }
}

/** The custom properties in the block `@theme`. */
function tokensOf(styles: string): string {
  const theme = /@theme \{(.*?)\n\}/s.exec(styles)?.[1] ?? ''
  const tokens = theme.match(/^ {2}--(color|font|radius)-[\w-]+: [^;]+;$/gm) ?? []
  if (tokens.length < 20) throw new Error('web/src/styles.css has no block @theme with the colors of the interface')
  return `:root, ::backdrop {\n${tokens.join('\n')}\n}\n`
}
