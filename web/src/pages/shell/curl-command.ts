interface CurlRequest {
  method: string
  url: string
  headers: string[]
  body?: unknown
}

/**
 * A command for a POSIX shell. The URL and headers are in double quotes, so that they may contain environment
 * variables.
 */
export function curlCommand({ method, url, headers, body }: CurlRequest): string {
  const verb = method === 'GET' ? '' : `-X ${method} `
  const parts = [`curl ${verb}"${url}"`, ...headers.map((header) => `-H "${header}"`)]
  if (body !== undefined) {
    parts.push(`-H "Content-Type: application/json"`, `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  }
  return parts.join(' \\\n  ')
}
