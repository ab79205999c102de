/**
 * Derives the blocking Python client from the asynchronous one, so that both behave the same and only one is written by hand. What cannot
 * be derived (sleeping, running tasks concurrently) is in two modules with the same names, `async_tools` and `sync_tools`.
 */

const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/\basync (def|with|for)\b/g, '$1'],
  [/\bawait /g, ''],
  [/\bAsync([A-Z]\w*)/g, '$1'],
  [/\basync_(?!tools)(\w+)/g, 'sync_$1'],
  [/\basync_tools\b/g, 'sync_tools'],
  [/\bhttpx\.AsyncClient\b/g, 'httpx.Client'],
  [/\b__a(enter|exit|iter|next)__\b/g, '__$1__'],
  [/\benter_async_context\b/g, 'enter_context'],
  [/\baclosing\b/g, 'closing'],
  [/\bAsyncGenerator\[(\w+), None\]/g, 'Generator[$1, None, None]'],
  [/\baclose\b/g, 'close'],
  [/\baiter_lines\b/g, 'iter_lines'],
  [/\baread\b/g, 'read'],
  [/\baevaluate\b/g, 'evaluate'],
  // The generated module is one folder further down.
  [/^(\s*from )\.generated\./gm, '$1.'],
  [/^(\s*from )\.(?!sync_(?!tools)|api_types)/gm, '$1..'],
]

export function pythonSyncSource(source: string, file: string): string {
  const header = `# Generated from ${file} by \`npm run generate\`; do not edit.\n`
  return header + REPLACEMENTS.reduce((text, [pattern, replacement]) => text.replaceAll(pattern, replacement), source)
}
