/** Changes of Markdown that leave its code alone. */

const CODE = /^( *)(```+|~~~+)[^\n]*\n[\s\S]*?^\1\2[^\n]*$|(`+)(?!`)[\s\S]*?[^`]\3(?!`)/gm

/** Applies a change to the text outside of code blocks and code spans. */
export function changeProse(text: string, change: (prose: string) => string): string {
  const code: string[] = []
  // The mark cannot occur in a text file.
  const prose = text.replace(CODE, (block) => `\0${code.push(block) - 1}\0`)
  return change(prose).replace(/\0(\d+)\0/g, (_, index) => code[Number(index)] ?? '')
}

/** Removes comments, which mark the sections that tests run. */
export function stripComments(text: string): string {
  return changeProse(text, (prose) => prose.replace(/ ?<!--.*?-->/gs, ''))
}

/** Removes the first heading, which the page shows as its title. */
export function stripTitle(text: string): string {
  return text.replace(/^# .+\n+/m, '')
}
