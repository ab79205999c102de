import type { Endpoint } from './providers/provider.ts'

/** Keeps the query of the base URL: some providers need a version there. */
export function endpointUrl(baseUrl: URL, { path, query = {} }: Endpoint): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
