/**
 * Compares a walk of ARCHITECTURE.md with the files that its request ran: every file that it names did run, and every file that ran is
 * named, or its folder is. Files in parentheses are those of other cases. Helpers below `src/base/`, `src/storage/` and
 * `src/statistics/` need not be named, and neither need schemas.
 */
const HELPERS = /^src\/(base|storage|statistics)\/|-schemas\.ts$/

/** `title` is the end of the heading: `## Walk: a batch of spans`. A request without a walk has no errors. */
export function compareWithWalk(architecture: string, title: string, files: string[]): string[] {
  const [, rest] = architecture.split(`## Walk: ${title}\n`)
  if (rest === undefined) return []
  const [section = ''] = rest.split('\n## ')
  const names = (text: string) => [...text.matchAll(/`([\w./-]+\.ts|src\/[\w/-]+\/)`/g)].map(([, name = '']) => name)
  const isNamed = (file: string, name: string) =>
    name.endsWith('/') ? file.startsWith(name) : `/${file}`.endsWith(`/${name}`)
  const steps = section.slice(section.indexOf('\n1. '))
  const passed = names(steps.replaceAll(/\([^)]*\)/g, ''))
  return [
    ...passed
      .filter((name) => !files.some((file) => isNamed(file, name)))
      .map((name) => `ARCHITECTURE.md: ${title}: ${name} did not run`),
    ...files
      .filter((file) => !HELPERS.test(file) && !names(steps).some((name) => isNamed(file, name)))
      .map((file) => `ARCHITECTURE.md: ${title}: ${file} ran and is not named`),
  ]
}
