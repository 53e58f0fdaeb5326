import { XSRF_COOKIE } from '@muster/contract/client'
import { readStoredToken } from '../session/session.ts'

/** Headers that identify the user; for requests outside the endpoints. */
export function requestHeaders(): Record<string, string> {
  // Read for each request: another tab may have signed in again.
  const access_token = readStoredToken()
  const xsrf = XSRF_COOKIES.map((name) => readCookie(name)).find((value) => value !== undefined)
  return {
    ...(access_token === null ? {} : { authorization: `Token ${access_token}` }),
    ...(xsrf === undefined ? {} : { 'x-xsrf-token': xsrf }),
  }
}

/** The last one may belong to another program on this host name. Earlier versions of the server set no other. */
const XSRF_COOKIES = [`__Host-${XSRF_COOKIE}`, XSRF_COOKIE, 'XSRF-TOKEN']

function readCookie(name: string): string | undefined {
  const found = document.cookie.split('; ').find((cookie) => cookie.startsWith(`${name}=`))
  if (found === undefined) return undefined
  try {
    return decodeURIComponent(found.slice(name.length + 1))
  } catch {
    // A cookie of another program.
    return undefined
  }
}
