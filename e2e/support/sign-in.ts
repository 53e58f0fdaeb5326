import { getMe } from '@muster/contract/api/users'
import { checkCredentials, login, type SignIn } from '@muster/contract/api/sessions'
import { callEndpoint, XSRF_COOKIE as OWN_XSRF_COOKIE } from '@muster/contract/client'
import type { Endpoint, Input, Output } from '@muster/contract/endpoint'
import { Secret, TOTP } from 'otpauth'

const XSRF_COOKIE = 'XSRF-TOKEN'

/** A signed-in user of the API: token, cookies and XSRF header, as the console sends them. */
export interface Session {
  url: string
  username: string
  name: string | null
  token: string
  cookies: ReadonlyMap<string, string>
  call<E extends Endpoint>(endpoint: E, input: Input<E>): Promise<Output<E>>
  /** Headers for requests that `call` does not make. */
  headers(): Record<string, string>
}

export interface Credentials {
  username: string
  password: string
  /** The key of the authenticator app, for users who have set one up. */
  totpKey?: string
  /** Used instead of a code of the app. */
  recoveryCode?: string
}

export async function signIn(url: string, credentials: Credentials): Promise<Session> {
  const { username, password, totpKey, recoveryCode } = credentials
  const client = createClient(url)
  let answer: SignIn = await client.call(checkCredentials, { body: { username, password } })
  if (answer.totp) {
    if (totpKey === undefined && recoveryCode === undefined)
      throw new Error(`${username} needs a TOTP key to sign in`)
    const body = { username, password, twofactor: recoveryCode ?? totpCode(totpKey ?? '') }
    answer = await client.call(login, { body })
  }
  if (answer.token === undefined) throw new Error('the sign-in answered no token')
  client.setToken(answer.token)
  // The first read brings the XSRF cookie, where the sign-in did not.
  await client.call(getMe, {})
  return {
    url,
    username,
    name: answer.name ?? null,
    token: answer.token,
    cookies: client.cookies,
    call: client.call,
    headers: client.headers,
  }
}

/** A socket with the cookies of the session, as a browser sends them. */
export function openSocket({ cookies }: Session, url: string): WebSocket {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  // Node's WebSocket takes headers, which the types of browsers do not know.
  return new WebSocket(url, { headers: { cookie } } as never)
}

/** The code that an authenticator app shows right now. */
function totpCode(key: string): string {
  return new TOTP({ secret: Secret.fromBase32(key) }).generate()
}

/** For Playwright's `newContext({storageState})`: a browser in which this session is signed in. */
export function storageStateOf(session: Session) {
  const { hostname } = new URL(session.url)
  const entries = { access_token: session.token, user_name: session.username, name: session.name ?? '' }
  return {
    cookies: [...session.cookies].map(([name, value]) => ({
      name,
      value,
      domain: hostname,
      path: '/',
      expires: -1,
      httpOnly: name !== XSRF_COOKIE && name !== OWN_XSRF_COOKIE,
      secure: false,
      sameSite: 'Strict' as const,
    })),
    origins: [
      {
        origin: session.url,
        localStorage: Object.entries(entries)
          .filter(([, value]) => value !== '')
          .map(([name, value]) => ({ name, value })),
      },
    ],
  }
}

function createClient(url: string) {
  const cookies = new Map<string, string>()
  let token = ''
  const headers = () => ({
    ...(token === '' ? {} : { authorization: `Token ${token}` }),
    ...(cookies.size === 0
      ? {}
      : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
    ...(cookies.has(XSRF_COOKIE) ? { 'x-xsrf-token': cookies.get(XSRF_COOKIE) ?? '' } : {}),
  })
  const fetchKeepingCookies: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    cookies,
    headers,
    setToken: (value: string) => (token = value),
    call: <E extends Endpoint>(endpoint: E, input: Input<E>) =>
      callEndpoint(endpoint, input, { baseUrl: url, headers, fetch: fetchKeepingCookies }),
  }
}
