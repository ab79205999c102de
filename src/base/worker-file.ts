/**
 * The file of a worker thread, which is named by its TypeScript source: the published package contains JavaScript. The
 * compiler rewrites the names in imports, but not those in URLs.
 */
export function workerFile(source: URL): URL {
  return IS_COMPILED ? new URL(source.href.replace(/\.ts$/, '.js')) : source
}

const IS_COMPILED = import.meta.url.endsWith('.js')
