import { useLocation } from '@tanstack/react-router'
import { useState } from 'react'

/** The token after the # of the address. It is kept while the page is left: the address changes before the page is gone. */
export function useLinkToken(): string {
  const hash = useLocation({ select: (location) => location.hash })
  const [token, setToken] = useState(hash)
  if (hash !== '' && hash !== token) setToken(hash)
  return token
}
